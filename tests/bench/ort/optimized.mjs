// SPDX-License-Identifier: Apache-2.0
// node optimized.mjs --models FOLDER --build BUILD --materialize FILL.py [--passes dnnfusion]
//                    [--set pass.parameter=value]... [--rounds 21] [--threads 2] [--flat]
//                    [--python python3] [FILE.onnx]...
// What passes do to a model for a runtime that knows nothing of them: the model with weights that
// `FILL.py LIGHT FULL` fills in, and its export after the passes, both in ONNX Runtime with all its
// optimizations, on the same inputs and one after the other in every round. One row per model: how
// the outputs differ, milliseconds before and after (least, median), and their ratio. Exit code 0
// when every row holds: outputs equal within 1e-4 of their scale, and not slower by more than the
// noise, which is how far the median is above the least of the original.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const here = fileURLToPath(new URL('.', import.meta.url));
const tolerance = 1e-4;

const { values: options, positionals } = parseArgs({
    allowPositionals: true,
    options: {
        'models': { type: 'string' },
        'build': { type: 'string' },
        'materialize': { type: 'string' },
        'passes': { type: 'string', default: 'dnnfusion' },
        'set': { type: 'string', multiple: true, default: [] },
        'rounds': { type: 'string', default: '21' },
        'threads': { type: 'string', default: '2' },
        'flat': { type: 'boolean', default: false },
        'python': { type: 'string', default: 'python3' },
    },
});
const files = [...positionals];
if (options.models)
    files.push(...readdirSync(options.models, { recursive: true })
        .filter((name) => name.endsWith('.onnx')).map((name) => join(options.models, name)));
if (!options.build || !options.materialize || files.length === 0) {
    console.error('usage: node optimized.mjs --models FOLDER --build BUILD --materialize FILL.py [FILE.onnx]...');
    process.exit(2);
}

function measure(file, folder) {
    const full = join(folder, 'full.onnx');
    const exported = join(folder, 'export.onnx');
    execFileSync(options.python, [options.materialize, file, full], { stdio: 'pipe' });
    execFileSync(join(options.build, 'bin', 'graphloom'),
        ['--batch', full, '--passes', options.passes, '--export', exported, '--progress', 'none',
            ...(options.flat ? ['--export-flat'] : []), ...options.set.flatMap((setting) => ['--set', setting])],
        { stdio: 'pipe', maxBuffer: 1 << 26 });
    // In a process of its own: what sessions take is given back.
    const text = execFileSync(process.execPath,
        [join(here, 'time_pair.mjs'), full, exported, options.rounds, options.threads], { encoding: 'utf8' });
    return JSON.parse(text.trim().split('\n').at(-1));
}

let failed = 0;
let product = 1;
let count = 0;
console.log('model                    differs    before min  median     after min  median   before/after');
for (const file of files.sort()) {
    const folder = mkdtempSync(join(tmpdir(), 'graphloom-optimized-'));
    const name = basename(file, '.onnx').padEnd(22);
    try {
        const { rel, finite, before, after } = measure(file, folder);
        const noise = before.median / before.min;
        const ratio = before.median / after.median;
        const same = rel <= tolerance && finite > 0;
        const fast = ratio * noise >= 1;
        failed += !(same && fast);
        product *= ratio;
        ++count;
        const ms = (value) => value.toFixed(2).padStart(10);
        console.log(`${name} ${rel.toExponential(1).padStart(9)}  ${ms(before.min)} ${ms(before.median)}  ` +
            `${ms(after.min)} ${ms(after.median)}  ${ratio.toFixed(3).padStart(8)}` +
            `${same ? '' : '  OUTPUTS DIFFER'}${fast ? '' : '  SLOWER'}`);
    } catch (error) {
        ++failed;
        console.log(`${name} FAILED: ${(error.stderr || error.message).toString().trim().split('\n').at(-1)}`);
    }
    rmSync(folder, { recursive: true, force: true });
}
console.log(`\n${files.length} models, ${failed} failed, geometric mean ${(product ** (1 / count)).toFixed(3)}`);
process.exitCode = failed ? 1 : 0;
