// SPDX-License-Identifier: Apache-2.0
// node peers.mjs --models FOLDER --materialize FILL.py --build BUILD --cache FOLDER [--threads 1,2]
//                [--rounds 50] [--peers ort,onednn,mobile] [--ours "options of plan_runner"]
//                [--base ours] [--row 1] [--pause 50] [--json FILE] [--python python3]
//                [--runner NAME=COMMAND]... [FILE.onnx]...
// Times of one inference, ours beside the peers', on the same inputs: README.md. Exit code 0 when all
// outputs are equal within 1e-4 of their scale, 1 when some differ, 2 wrong usage.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
    existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync,
} from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readModel } from '../ort/model.mjs';
import { difference, inputTensor, readSequenceProto, tensorProto } from '../ort/tensors.mjs';
import { Runner } from './runner.mjs';
import { geometricMeans, header, rowsOf, statistics } from './table.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const tolerance = 1e-4;
const warmups = 3;
const startSeconds = 1200; // ours may tune first

function readArguments() {
    const { values, positionals } = parseArgs({
        allowPositionals: true,
        options: {
            'models': { type: 'string' },
            'materialize': { type: 'string' },
            'build': { type: 'string' },
            'cache': { type: 'string' },
            'threads': { type: 'string', default: '1,2' },
            'rounds': { type: 'string', default: '50' },
            'row': { type: 'string', default: '1' },
            'peers': { type: 'string', default: 'ort,onednn,mobile' },
            'ours': { type: 'string', default: '' },
            'base': { type: 'string' },
            'pause': { type: 'string', default: '50' },
            'json': { type: 'string' },
            'python': { type: 'string', default: 'python3' },
            'runner': { type: 'string', multiple: true, default: [] },
        },
    });
    const files = [...positionals];
    if (values.models)
        files.push(...readdirSync(values.models, { recursive: true })
            .filter((name) => name.endsWith('.onnx')).map((name) => join(values.models, name)));
    for (const [name, command] of values.runner.map((runner) => runner.split(/=(.*)/s))) {
        if (!name || !command) throw new Error('--runner takes NAME=COMMAND');
        commands[name] = () => command.split(' ').filter(Boolean);
    }
    const added = values.runner.map((runner) => runner.split('=')[0]);
    const options = {
        ...values, files: files.sort(), rounds: Number(values.rounds), row: Number(values.row),
        pause: Number(values.pause),
        threads: values.threads.split(',').map(Number),
        runners: [...(values.build ? ['ours'] : []), ...added, ...values.peers.split(',').filter(Boolean)],
    };
    options.base ??= options.runners[0];
    if (files.length === 0 || !values.materialize || !values.cache ||
        !(options.rounds >= 1) || !(options.row >= 1) || !(options.pause >= 0) ||
        !options.threads.every((n) => n >= 1) || !options.runners.includes(options.base) ||
        options.runners.some((name) => !(name in commands)))
        throw new Error('usage: node peers.mjs --models FOLDER --materialize FILL.py --build BUILD --cache FOLDER ' +
            '[FILE.onnx]...');
    return options;
}

const commands = {
    ours: ({ build, ours }) => [join(build, 'bench', 'plan_runner'), ...ours.split(' ').filter(Boolean)],
    mnn: ({ build }) => [join(build ?? '', 'bench', 'mnn_runner')],
    ort: () => [process.execPath, join(here, 'ort_runner.mjs')],
    ...Object.fromEntries(['onednn', 'mobile', 'mobile_nhwc'].map((mode) =>
        [mode, ({ python }) => [python, join(here, 'torch_runner.py'), mode]])),
};

/** The model with weights, made once for each content of the light file and of the script. */
function materialized(file, { cache, materialize, python }) {
    const hash = createHash('sha256').update(readFileSync(file)).update(readFileSync(materialize)).digest('hex');
    const folder = join(cache, `${basename(file, '.onnx')}-${hash.slice(0, 12)}`);
    if (!existsSync(folder)) {
        const unfinished = mkdtempSync(join(cache, 'unfinished-'));
        execFileSync(python, [materialize, file, join(unfinished, 'model.onnx')], { stdio: 'pipe' });
        const { inputs } = readModel(new Uint8Array(readFileSync(join(unfinished, 'model.onnx'))));
        inputs.forEach((input, i) =>
            writeFileSync(join(unfinished, `input_${i}.pb`), tensorProto(inputTensor(input, 0))));
        renameSync(unfinished, folder);
    }
    return folder;
}

/** Times and outputs of all runners of a model; what fails has a `reason` instead. */
async function measure(file, threads, options, scratch) {
    const folder = materialized(file, options);
    const cells = options.runners.map((name) => ({ name, times: [] }));
    const alive = () => cells.filter((cell) => !cell.reason);
    const attempt = async (cell, action) => {
        try {
            await action(cell);
        } catch (error) {
            cell.reason = error.message;
        }
    };
    for (const cell of cells)
        await attempt(cell, async () => {
            cell.runner = await Runner.start([...commands[cell.name](options), join(folder, 'model.onnx'),
                '--threads', String(threads), '--inputs', folder], startSeconds);
            cell.about = cell.runner.about;
            for (let i = 0; i < warmups; ++i) await cell.runner.run();
        });
    for (let round = 0; round < options.rounds; ++round) {
        const turns = alive();
        for (let i = 0; i < turns.length; ++i)
            await attempt(turns[(i + round) % turns.length], async (cell) => {
                await sleep(options.pause);  // threads of the one before stop spinning
                await cell.runner.run();     // its caches are its own again
                const row = await cell.runner.runRow(options.row);
                cell.times.push(...row.slice(Math.floor(options.row / 2)));
            });
    }
    for (const cell of alive())
        await attempt(cell, async () => {
            const output = join(scratch, `${cell.name}.pb`);
            await cell.runner.ask(`output ${output}`);
            cell.outputs = readSequenceProto(new Uint8Array(readFileSync(output)));
            cell.rss_mb = Number(await cell.runner.ask('rss'));
            Object.assign(cell, statistics(cell.times));
        });
    for (const cell of cells) cell.runner?.stop();
    compare(alive());
    return cells.map(({ runner, outputs, ...cell }) => cell);
}

/** Adds to each cell how its outputs differ from those of the peer that is first. */
function compare(cells) {
    const reference = cells.find((cell) => cell.name !== 'ours') ?? cells[0];
    for (const cell of cells) {
        const found = reference.outputs.map((expected, i) =>
            (cell.outputs[i] ? difference(expected, cell.outputs[i]) : { rel: Infinity, finite: 0 }));
        cell.difference = Math.max(...found.map(({ rel }) => rel));
        cell.differs = !(cell.difference <= tolerance && found.some(({ finite }) => finite > 0));
    }
}

async function main() {
    const options = readArguments();
    mkdirSync(options.cache, { recursive: true });
    const scratch = mkdtempSync(join(tmpdir(), 'graphloom-peers-'));
    const results = [];
    console.log(`${cpus()[0].model}, ${cpus().length} processors; ${options.rounds} rounds of ${options.row} in a row; ` +
        `ratios are times relative to ${options.base}\n`);
    console.log(header());
    for (const file of options.files)
        for (const threads of options.threads) {
            const model = basename(file, '.onnx');
            let cells;
            try {
                cells = await measure(file, threads, options, scratch);
            } catch (error) {
                const reason = (error.stderr ?? error.message).toString().trim().split('\n').at(-1);
                cells = [{ name: 'model', times: [], reason }];
            }
            results.push({ model, threads, cells });
            console.log(rowsOf(model, threads, cells, options.base).join('\n'));
        }
    rmSync(scratch, { recursive: true, force: true });
    console.log(`\n${geometricMeans(results, options).join('\n')}`);
    if (options.json)
        writeFileSync(options.json,
            JSON.stringify({ processor: cpus()[0].model, rounds: options.rounds, row: options.row, results }, null, 1));
    return results.some(({ cells }) => cells.some((cell) => cell.differs)) ? 1 : 0;
}

try {
    process.exitCode = await main();
} catch (error) {
    console.error(error.message);
    process.exitCode = 2;
}
