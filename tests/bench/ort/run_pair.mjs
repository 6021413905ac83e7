// SPDX-License-Identifier: Apache-2.0
// node run_pair.mjs A.onnx B.onnx [DATA]
// Creates a session for A and prints how long that took, as JSON. With a folder for data, also runs
// both models on the same pseudo-random inputs, writes A's inputs and outputs there as ONNX's backend
// tests store them, and prints how B's outputs differ.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ort from 'onnxruntime-node';
import { readModel } from './model.mjs';
import { difference, inputTensor, tensorProto } from './tensors.mjs';

const [first, second, data] = process.argv.slice(2);

async function create(path) {
    const start = performance.now();
    const session = await ort.InferenceSession.create(path, { logSeverityLevel: 3 });
    return { session, milliseconds: performance.now() - start };
}

const a = await create(first);
const result = { create_ms: a.milliseconds };
if (data) {
    const models = [first, second].map((path) => readModel(new Uint8Array(readFileSync(path))));
    const feeds = {};
    for (const input of models[0].inputs) feeds[input.name] = inputTensor(input, 0);
    const expected = await a.session.run(feeds);
    await a.session.release();
    const b = await create(second);
    const actual = await b.session.run(feeds);
    mkdirSync(data, { recursive: true });
    models[0].inputs.forEach(({ name }, i) =>
        writeFileSync(join(data, `input_${i}.pb`), tensorProto(feeds[name])));
    result.rel = 0;
    result.finite = 0;
    models[0].outputs.forEach((name, i) => {
        writeFileSync(join(data, `output_${i}.pb`), tensorProto(expected[name]));
        const { rel, finite } = difference(expected[name], actual[models[1].outputs[i]]);
        result.rel = Math.max(result.rel, rel);
        result.finite += finite;
    });
}
console.log(JSON.stringify(result));
