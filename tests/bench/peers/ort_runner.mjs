// SPDX-License-Identifier: Apache-2.0
// node ort_runner.mjs MODEL --threads N --inputs DIR
// A runner (README.md) for ONNX Runtime: all optimizations, one operator after the other.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { ort, readTensorProto, sequenceProto } from '../ort/tensors.mjs';

const { values: options, positionals: [path] } = parseArgs({
    allowPositionals: true,
    options: { 'threads': { type: 'string', default: '1' }, 'inputs': { type: 'string' } },
});
const threads = Number(options.threads);
// Not resourceUsage()'s: that begins with the peak of whoever started this.
const peak = () => Number(/^VmHWM:\s*(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))[1]) / 1024;

const start = performance.now();
const session = await ort.InferenceSession.create(path, {
    logSeverityLevel: 3, graphOptimizationLevel: 'all', executionMode: 'sequential',
    intraOpNumThreads: threads, interOpNumThreads: 1,
});
const load = performance.now() - start;
const feeds = {};
session.inputNames.forEach((name, i) => {
    feeds[name] = readTensorProto(new Uint8Array(readFileSync(join(options.inputs, `input_${i}.pb`))));
});

let outputs;
async function run() {
    const begin = performance.now();
    outputs = await session.run(feeds);
    return performance.now() - begin;
}

const first = await run();
console.log(`ready ${JSON.stringify({ name: 'ONNX Runtime', version: ort.env.versions.node, threads,
    load_ms: load, first_run_ms: first, rss_mb: peak() })}`);
for await (const line of createInterface({ input: process.stdin })) {
    const [command, ...rest] = line.split(' ');
    if (command === 'run') {
        console.log((await run()).toFixed(6));
    } else if (command === 'output') {
        writeFileSync(rest.join(' '), sequenceProto(session.outputNames.map((name) => outputs[name])));
        console.log('written');
    } else if (command === 'rss') {
        console.log(peak().toFixed(3));
    } else if (command === 'quit') {
        break;
    } else {
        throw new Error(`unknown command ${command}`);
    }
}
process.exit(0);
