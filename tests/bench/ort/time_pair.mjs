// SPDX-License-Identifier: Apache-2.0
// node time_pair.mjs A.onnx B.onnx ROUNDS THREADS
// Runs both models on the same pseudo-random inputs, one after the other in every round, and prints
// as JSON how B's outputs differ from A's and the milliseconds of both: least and median.

import { readFileSync } from 'node:fs';
import ort from 'onnxruntime-node';
import { readModel } from './model.mjs';
import { difference, inputTensor } from './tensors.mjs';

const [first, second, rounds, threads] = process.argv.slice(2);
const paths = [first, second];
const models = paths.map((path) => readModel(new Uint8Array(readFileSync(path))));
const feeds = {};
for (const input of models[0].inputs) feeds[input.name] = inputTensor(input, 0);
const sessions = [];
for (const path of paths)
    sessions.push(await ort.InferenceSession.create(path, { logSeverityLevel: 3, intraOpNumThreads: Number(threads) }));

const result = { rel: 0, finite: 0 };
const outputs = [await sessions[0].run(feeds), await sessions[1].run(feeds)];
models[0].outputs.forEach((name, i) => {
    const { rel, finite } = difference(outputs[0][name], outputs[1][models[1].outputs[i]]);
    result.rel = Math.max(result.rel, rel);
    result.finite += finite;
});
const times = [[], []];
for (let round = 0; round < Number(rounds); ++round)
    for (const which of round % 2 ? [1, 0] : [0, 1]) {
        const start = performance.now();
        await sessions[which].run(feeds);
        times[which].push(performance.now() - start);
    }
for (const list of times) list.sort((x, y) => x - y);
[result.before, result.after] = times.map((list) => ({ min: list[0], median: list[list.length >> 1] }));
console.log(JSON.stringify(result));
