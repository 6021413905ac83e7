// SPDX-License-Identifier: Apache-2.0
// node compare.mjs A.onnx B.onnx [--seed N] [--rtol 1e-4] [--input NAME:1x3x224x224]...
// Runs both models on the same pseudo-random inputs in ONNX Runtime and compares the outputs.
// Weights that a file only gives a shape (ConstantOfShape) become inputs of both models and get
// the same pseudo-random elements. Exit code 0 when all outputs agree, 1 when not, 2 wrong usage.

import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import ort from 'onnxruntime-node';
import { readModel, withWeightsAsInputs } from './model.mjs';
import { difference, elementsOf, generator, inputTensor } from './tensors.mjs';

/** Elements that keep activations in range: variance 2 / fan-in for products, else near `value`. */
function weightTensor({ name, dims, value }, seed) {
    const random = generator(name, seed);
    const fan = dims.length > 2 ? elementsOf(dims.slice(1)) : Math.max(...dims);
    const reach = Math.sqrt(6 / fan);
    const next = dims.length > 1 ? () => (2 * random() - 1) * reach : () => value * (0.5 + random());
    return new ort.Tensor('float32', Float32Array.from({ length: elementsOf(dims) }, next), dims);
}

function readArguments() {
    const { values, positionals } = parseArgs({
        allowPositionals: true,
        options: {
            seed: { type: 'string', default: '0' },
            rtol: { type: 'string', default: '1e-4' },
            input: { type: 'string', multiple: true, default: [] },
        },
    });
    const shapes = new Map(values.input.map((text) => {
        const colon = text.lastIndexOf(':');
        return [text.slice(0, colon), text.slice(colon + 1).split('x').map(Number)];
    }));
    const [seed, rtol] = [Number(values.seed), Number(values.rtol)];
    if (positionals.length !== 2 || !Number.isInteger(seed) || !(rtol >= 0))
        throw new Error('usage: node compare.mjs A.onnx B.onnx [--seed N] [--rtol 1e-4] [--input NAME:1x3]...');
    return { paths: positionals, seed, rtol, shapes };
}

async function compare({ paths, seed, rtol, shapes }) {
    const files = paths.map((path) => new Uint8Array(readFileSync(path)));
    const models = files.map(readModel);
    const shared = new Map([...models[0].weights].filter(([name, { dims }]) =>
        String(models[1].weights.get(name)?.dims) === String(dims)));
    const feeds = {};
    for (const weight of shared.values()) feeds[weight.name] = weightTensor(weight, seed);
    for (const input of models[0].inputs) feeds[input.name] = inputTensor(input, seed, shapes);
    console.log(`${Object.keys(feeds).length - shared.size} inputs, ${shared.size} weights filled in, ` +
        `${models[0].weights.size - shared.size} and ${models[1].weights.size - shared.size} left as they are`);

    const results = [];
    for (const [k, file] of files.entries()) {
        const session = await ort.InferenceSession.create(withWeightsAsInputs(file, shared), { logSeverityLevel: 3 });
        const start = performance.now();
        results.push(await session.run(feeds));
        console.log(`${paths[k]}: ran in ${(performance.now() - start).toFixed(0)} ms (host)`);
    }
    if (models[0].outputs.length !== models[1].outputs.length)
        throw new Error(`${models[0].outputs.length} and ${models[1].outputs.length} outputs`);
    let agree = true;
    models[0].outputs.forEach((name, i) => {
        const { abs, rel, scale, finite } = difference(results[0][name], results[1][models[1].outputs[i]]);
        const good = rel <= rtol && finite > 0;
        agree &&= good;
        console.log(`${good ? 'agree ' : 'DIFFER'} ${name}: greatest error ${abs.toPrecision(3)}, ` +
            `relative to the scale of ${scale.toPrecision(3)} ${rel.toPrecision(3)}, ${finite} finite numbers`);
    });
    return agree;
}

let options;
try {
    options = readArguments();
} catch (error) {
    console.error(error.message);
    process.exit(2);
}
try {
    process.exitCode = (await compare(options)) ? 0 : 1;
} catch (error) {
    console.error(error.message);
    process.exitCode = 1;
}
