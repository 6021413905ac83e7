// SPDX-License-Identifier: Apache-2.0
// node models.mjs --models FOLDER --build BUILD [--materialize FILL.py] [--most-gmac 100]
//                 [--rounds 5] [--sessions] [--python python3] [--work FOLDER] [FILE.onnx]...
// One row per model: opened, inferred, partitioned, exported, read back, checked by onnx.checker;
// and, up to --most-gmac multiply-accumulates, run with weights that `FILL.py LIGHT FULL` fills in:
// the export in ONNX Runtime, and the partitioned model in Graphloom's interpreter, both against
// the original in ONNX Runtime on the same inputs. Beside the time to open a model stand those of
// ONNX Runtime (creating a session; for larger models with --sessions only) and of
// onnx.shape_inference. Exit code 0 when every row holds, 1 when one does not, 2 wrong usage.

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const here = fileURLToPath(new URL('.', import.meta.url));
const tolerance = 1e-4; // of the greatest error, relative to the scale of its output
const mostBuffer = 1 << 26;

function readArguments() {
    const { values, positionals } = parseArgs({
        allowPositionals: true,
        options: {
            'models': { type: 'string' },
            'build': { type: 'string' },
            'materialize': { type: 'string' },
            'most-gmac': { type: 'string', default: '100' },
            'rounds': { type: 'string', default: '5' },
            'sessions': { type: 'boolean', default: false },
            'python': { type: 'string', default: 'python3' },
            'work': { type: 'string' },
        },
    });
    const files = [...positionals];
    if (values.models)
        files.push(...readdirSync(values.models, { recursive: true })
            .filter((name) => name.endsWith('.onnx')).map((name) => join(values.models, name)));
    const mostGmac = Number(values['most-gmac']);
    const rounds = Number(values.rounds);
    if (!values.build || files.length === 0 || !(mostGmac >= 0) || !(rounds >= 1))
        throw new Error('usage: node models.mjs --models FOLDER --build BUILD [--materialize FILL.py] [FILE.onnx]...');
    return { ...values, files: files.sort(), mostGmac, rounds };
}

/** The JSON that a program prints last; an error with what it said when it fails. */
function lastJson(program, args) {
    const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', maxBuffer: mostBuffer });
    if (status !== 0)
        throw new Error((stderr || stdout || `${program} ended with ${status}`).trim().split('\n').at(-1));
    return JSON.parse(stdout.trim().split('\n').at(-1));
}

/** One model through everything. */
function measure(file, options, folder) {
    const row = { name: basename(file, '.onnx') };
    const graphloom = join(options.build, 'bin', 'graphloom');
    Object.assign(row, lastJson(join(options.build, 'bench', 'models_bench'),
        ['--json', '--rounds', String(options.rounds), file]));
    if (!row.back) throw new Error('its export reads back as another model');

    const runs = !(row.gmac > options.mostGmac);
    const full = join(folder, 'full.onnx');
    if ((runs || options.sessions) && options.materialize)
        execFileSync(options.python, [options.materialize, file, full], { stdio: 'pipe' });
    const model = existsSync(full) ? full : file;
    const exported = join(folder, 'export.onnx');
    execFileSync(graphloom, ['--batch', model, '--passes', 'ago', '--export', exported, '--progress', 'none'],
        { stdio: 'pipe', maxBuffer: mostBuffer });
    execFileSync(options.python, [join(here, '..', '..', 'support', 'check_export.py'), exported], { stdio: 'pipe' });
    row.checked = true;
    Object.assign(row, { onnx: lastJson(options.python, [join(here, 'shape_inference.py'), String(options.rounds), model]) });
    if (!runs && !options.sessions) return row;

    // In a process of its own: what a session takes is given back.
    row.session = lastJson(process.execPath, [join(here, 'run_pair.mjs'), model, exported,
        ...(runs ? [join(folder, 'data')] : [])]);
    if (!runs) return row;
    if (!(row.session.rel <= tolerance && row.session.finite > 0))
        throw new Error(`the export differs in ONNX Runtime: ${row.session.rel}, ${row.session.finite} finite numbers`);
    const report = join(folder, 'report.json');
    const { status, stderr } = spawnSync(graphloom, ['--batch', model, '--passes', 'ago', '--report', report,
        '--progress', 'none', '--test-data', join(folder, 'data')], { encoding: 'utf8', maxBuffer: mostBuffer });
    if (!existsSync(report)) throw new Error(`interpreter: ${stderr.trim().split('\n').at(-1)} (${status})`);
    const [data] = JSON.parse(readFileSync(report, 'utf8')).test_data;
    row.interpreter = data.max_rel_error ?? Infinity;
    if (!(row.interpreter <= tolerance)) throw new Error(`the interpreter differs: ${data.message}`);
    return row;
}

const columns = [
    ['model', -22, (r) => r.name],
    ['nodes', 6, (r) => r.nodes],
    ['left', 5, (r) => r.left],
    ['GMAC', 8, (r) => r.gmac?.toFixed(3)],
    ['fixed', 6, (r) => r.fixed],
    ['sym.', 5, (r) => r.symbolic],
    ['none', 5, (r) => r.none],
    ['open', 7, (r) => r.open_ms?.toFixed(1)],
    ['onnx', 7, (r) => r.onnx?.milliseconds.toFixed(1)],
    ['ORT', 8, (r) => r.session?.create_ms.toFixed(0)],
    ['parts', 6, (r) => r.subgraphs],
    ['check', 6, (r) => (r.checked ? 'ok' : undefined)],
    ['export', 9, (r) => r.session?.rel?.toExponential(1)],
    ['interpr.', 9, (r) => r.interpreter?.toExponential(1)],
];

const line = (cells) => cells.map((cell, i) => (columns[i][1] < 0 ? String(cell ?? '-').padEnd(-columns[i][1])
    : String(cell ?? '-').padStart(columns[i][1]))).join(' ');

function main() {
    const options = readArguments();
    const work = options.work ?? mkdtempSync(join(tmpdir(), 'graphloom-models-'));
    let failed = 0;
    let run = 0;
    console.log('Shapes of node outputs after folding; milliseconds to open with shapes inferred (host, median), of ' +
        'onnx.shape_inference,\nand of creating a session; subgraphs; onnx.checker; greatest errors relative to ' +
        'the scale of an output, against ONNX Runtime.\n');
    console.log(line(columns.map(([title]) => title)));
    for (const file of options.files) {
        const folder = join(work, basename(file, '.onnx'));
        mkdirSync(folder, { recursive: true });
        try {
            const row = measure(file, options, folder);
            run += row.interpreter !== undefined;
            console.log(line(columns.map(([, , value]) => value(row))));
        } catch (error) {
            ++failed;
            console.log(`${basename(file, '.onnx').padEnd(22)} FAILED: ${error.message}`);
        }
        rmSync(folder, { recursive: true, force: true });
    }
    if (!options.work) rmSync(work, { recursive: true, force: true });
    console.log(`\n${options.files.length} models, ${failed} failed, ${run} run against ONNX Runtime`);
    return failed === 0 ? 0 : 1;
}

try {
    process.exitCode = main();
} catch (error) {
    console.error(error.message);
    process.exitCode = 2;
}
