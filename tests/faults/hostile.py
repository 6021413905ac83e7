# SPDX-License-Identifier: Apache-2.0
"""Hostile files: refused with place and reason, without a crash and without unbounded memory."""
import json
import os
import resource
import shutil
import signal
import sqlite3
import time

from harness import ended, row
from models import message, model, node, number, tensor, tiny, value
from mutation import ENDLESS, damaged, damagedDatabase, damagedText

BOUND = [(resource.RLIMIT_AS, 6 << 30)]
OUTCOMES = [0, 1, 2, 3, 4]


def tried(case, what, *words, timeout=30):
    ran = case.run(*words, limits=BOUND, timeout=timeout)
    case.endsWell(ran, OUTCOMES, what)
    case.check('not enough memory' not in ran.err, f'{what}: it takes all memory that it gets')
    case.check('\x1b' not in ran.out + ran.err, f'{what}: a raw escape sequence reaches the terminal')
    return ran


def mutations(case, times, good, damage, run):
    """Runs on 200 damaged files, each named by its number, by which it can be made again."""
    for i in case.rounds(times):
        file = case.work / f'bad{good.suffix}'
        shutil.copy(good, file)
        damage(file)
        run(f'mutation {i}', file)
        for left in case.work.glob(f'bad{good.suffix}*'):
            left.unlink()


def bytesOf(case):
    return lambda file: file.write_bytes(damaged(case.random, file.read_bytes()))


def textOf(case):
    def change(file):
        kind = damaged if case.random.random() < 0.4 else damagedText
        file.write_bytes(kind(case.random, file.read_bytes()))
    return change


def databaseOf(case):
    def change(file):
        if case.random.random() < 0.4:
            file.write_bytes(damaged(case.random, file.read_bytes()))
        else:
            damagedDatabase(case.random, file)
    return change


def goodSession(case):
    source, session = case.work / 'm.onnx', case.work / 'good.gloom'
    source.write_bytes(tiny())
    case.endsWell(case.run('--batch', source, '--passes', 'dnnfusion,ago', '--save', session), [0],
                  'the session before')
    return source, session


def goodProfile(case):
    database = case.work / 'good.db'
    lines = case.work / 'good.jsonl'
    lines.write_text('{"graphloom":"profile","schema":1}\n' + '\n'.join(
        json.dumps({'structure': f's{i}', 'shapes': 'float[8]', 'device': 'cpu', 'schedule': '',
                    'provenance': 'host', 'min_ns': 1.0, 'median_ns': 2.5, 'count': 3,
                    'measured_at_ms': 1 + i, 'version': '1.0'}) for i in range(20)) + '\n')
    case.endsWell(case.run('--profile', 'import', lines, '--profile-db', database), [0], 'the import')
    connection = sqlite3.connect(database)
    connection.execute('PRAGMA journal_mode = DELETE')  # all in one file
    connection.close()
    return database, lines


@row('hostile files', 'sessions', quick=8, full=200)
def sessions(case, times):
    source, session = goodSession(case)
    mutations(case, times, session, databaseOf(case),
              lambda what, file: tried(case, what, '--batch', source, '--compare', file))


@row('hostile files', 'sessions in the window', quick=2, full=40)
def shownSessions(case, times):
    source, session = goodSession(case)
    mutations(case, times, session, databaseOf(case),
              lambda what, file: tried(case, what, file, '--screenshot', case.work / 'p.png'))


@row('hostile files', 'sessions without plans, with endless views and triggers', quick=1, full=1)
def writtenSessions(case, times):
    source, session = goodSession(case)
    renamed = 'ALTER TABLE {0} RENAME TO kept; CREATE VIEW {0} AS {1}'
    for sql in ('UPDATE state SET plan = -1', 'DELETE FROM object', 'DROP TABLE run',
                renamed.format('state', f'SELECT i AS position, 0 AS plan, "" AS text, 0 AS by_hand '
                                        f'FROM ({ENDLESS})'),
                renamed.format('fact', f"SELECT 'current' AS name, i AS value FROM ({ENDLESS})"),
                f'CREATE VIEW more AS {ENDLESS}',
                f'CREATE TRIGGER t AFTER INSERT ON state BEGIN {ENDLESS}; END'):
        file = case.work / 'bad.gloom'
        shutil.copy(session, file)
        database = sqlite3.connect(file)
        database.executescript(sql)
        database.commit()
        database.close()
        ways = [['--batch', source, '--compare', file], [file, '--screenshot', case.work / 'p.png']]
        for words in ways[:1] if case.isOver() else ways:
            ran = tried(case, sql, *words)
            case.check(ran.code in (2, 3, 4) and 'bad.gloom' in ran.err,
                       f'{sql}: is not refused with its file: {ran.text()}')


@row('hostile files', 'profile databases', quick=6, full=200)
def profiles(case, times):
    good, lines = goodProfile(case)
    actions = (['--profile', 'info'], ['--profile', 'import', lines],
               ['--profile', 'export', case.work / 'out.jsonl'])
    mutations(case, times, good, databaseOf(case),
              lambda what, file: tried(case, what, *case.random.choice(actions), '--profile-db', file))


@row('hostile files', 'profile lines', quick=6, full=200)
def profileLines(case, times):
    good, lines = goodProfile(case)
    mutations(case, times, lines, textOf(case),
              lambda what, file: tried(case, what, '--profile', 'import', file, '--profile-db',
                                       case.work / 'into.db'))


@row('hostile files', 'configurations', quick=6, full=200)
def configurations(case, times):
    source, good = case.work / 'm.onnx', case.work / 'good.json'
    source.write_bytes(tiny())
    good.write_text(json.dumps({'model': str(source), 'passes': ['dnnfusion', 'ago'], 'threads': 2,
                                'set': {'ago.threshold': 600}, 'assert': ['model.nodes == 3'],
                                'seed': 3, 'input': {'x': '2x4'}}))
    mutations(case, times, good, textOf(case),
              lambda what, file: tried(case, what, '--batch', '--config', file, '--dry-run'))


@row('hostile files', 'baselines', quick=6, full=200)
def baselines(case, times):
    source, report = case.work / 'm.onnx', case.work / 'good.json'
    source.write_bytes(tiny())
    case.endsWell(case.run('--batch', source, '--passes', 'dnnfusion', '--report', report), [0], 'report')
    mutations(case, times, report, textOf(case),
              lambda what, file: tried(case, what, '--batch', source, '--passes', 'dnnfusion',
                                       '--baseline', file))


@row('hostile files', 'assertions', quick=6, full=200)
def assertions(case, times):
    source = case.work / 'm.onnx'
    source.write_bytes(tiny())
    good = case.work / 'good.txt'
    good.write_text('model.nodes == 3 and (passes[0].seconds < 1e3 or not fusion.layers_after / 2 > 1) '
                    "and model.operators[\"Add\"] == -1 + 2 and passes[0].name == 'dnnfusion'")

    def run(what, file):
        text = file.read_bytes().replace(b'\0', b'').decode('latin1')[:100000]
        tried(case, f'{what}: {text[:200]!r}', '--batch', source, '--passes', 'dnnfusion',
              '--assert', text)
    mutations(case, times, good, textOf(case), run)


@row('hostile files', 'what is nested, and long, without an end', quick=1, full=1)
def nested(case, times):
    source = case.work / 'm.onnx'
    source.write_bytes(tiny())
    deep = '[' * 200000 + ']' * 200000
    file = case.work / 'deep.json'
    file.write_text('{"schema": 1, "model": ' + deep + '}')
    for option in ('--baseline', '--config'):
        ran = tried(case, f'{option} nested 200,000 times', '--batch', source, option, file)
        case.check(ran.code == 2, f'{option} nested deeply: {ran.text()}')
    for what, text in {'20,000 terms': '+'.join(['1'] * 20000) + ' > 0',
                       'parentheses': '(' * 60000 + '1' + ')' * 60000 + ' > 0',
                       'signs': '-' * 100000 + '1 < 0', 'negations': '!' * 100000 + 'true'}.items():
        ran = tried(case, what, '--batch', source, '--assert', text)
        case.check(ran.code == 2, f'{what}: {ran.text()}')


@row('hostile files', 'models', quick=10, full=200)
def models(case, times):
    good = case.work / 'good.onnx'
    for i in case.rounds(times):
        good.write_bytes(tiny() if i % 3 else (case.models / 'bert_tiny.onnx').read_bytes())
        file = case.work / 'bad.onnx'
        file.write_bytes(damaged(case.random, good.read_bytes()))
        tried(case, f'mutation {i}', '--batch', file, '--passes', 'dnnfusion,ago', '--verify')


@row('hostile files', 'stored tensors', quick=6, full=200)
def tensors(case, times):
    source, data = case.work / 'm.onnx', case.work / 'data'
    source.write_bytes(tiny())
    data.mkdir()
    good = case.work / 'good.pb'
    good.write_bytes(tensor('x', [2, 4], [0.5] * 8))
    (data / 'output_0.pb').write_bytes(tensor('y', [2, 4], [0.25] * 8))

    def run(what, file):
        shutil.copy(file, data / 'input_0.pb')
        tried(case, what, '--batch', source, '--test-data', data)
    mutations(case, times, good, bytesOf(case), run)
    huge = number(1, 1 << 40) + number(2, 1) + message(8, 'x')
    (data / 'input_0.pb').write_bytes(huge)
    tried(case, 'a tensor of 2^40 elements', '--batch', source, '--test-data', data)


@row('hostile files', 'checkpoints', quick=4, full=200)
def checkpoints(case, times):
    source, good = case.work / 'm.onnx', case.work / 'good.state'
    source.write_bytes(tiny())
    words = ['--batch', source, '--passes', 'magis', '--set', 'magis.seconds=1', '--set',
             'magis.states=200', '--set', 'magis.device=phone-cpu', '--objective', 'memory']
    case.endsWell(case.run(*words, '--checkpoint', good), [0], 'the search before')
    if not case.check(good.exists(), 'no checkpoint was written'):
        return

    def change(file):
        if case.random.random() < 0.2:
            text = file.read_text(errors='replace')
            file.write_text(text.replace('"parts":2', f'"parts":{case.random.choice([0, 2**32, -1])}'))
        else:
            textOf(case)(file)
    mutations(case, times, good, change,
              lambda what, file: tried(case, what, *words, '--resume', file))


@row('hostile files', 'paths that lead outside', quick=1, full=1)
def outside(case, times):
    """What a model names must be below its folder; nothing else is read."""
    secret = case.folder / 'secret.bin'
    secret.write_bytes(b'\x00' * 64)
    (case.work / 'link.bin').symlink_to(secret)
    for location in ('../secret.bin', str(secret), 'a/../../secret.bin', 'link.bin', '/dev/zero',
                     '/etc/passwd', '', '.', '..'):
        file = case.work / 'm.onnx'
        file.write_bytes(model([node('Add', ['x', 'w'], ['y'], 'n')], [value('x', [16])],
                               [value('y', [16])],
                               [tensor('w', [16], external={'location': location, 'length': 64})]))
        ran = tried(case, location, '--batch', file, '--verify')
        case.check(ran.code == 3, f'"{location}" is not refused: {ran.text()}')


@row('hostile files', 'pipes and devices in place of files', quick=1, full=1)
def pipes(case, times):
    source, pipe = case.work / 'm.onnx', case.work / 'pipe'
    source.write_bytes(tiny())
    os.mkfifo(pipe)
    for place in (pipe, '/dev/zero', case.work):
        for words in (['--batch', place], ['--batch', source, '--baseline', place],
                      ['--batch', '--config', place], ['--batch', source, '--compare', place],
                      ['--batch', source, '--test-data', place],
                      ['--profile', 'import', place, '--profile-db', case.work / 'p.db'],
                      ['--profile', 'info', '--profile-db', place]):
            if case.isOver():
                return
            if words[-2] == '--profile-db' and place == '/dev/zero':
                continue  # SQLite would put its journal beside it
            if words[-2] == '--baseline' and place == pipe:
                # It may be a shell's <(...): somebody may write to it yet, and a signal ends that.
                process = case.start(*words, limits=BOUND)
                time.sleep(1)
                os.kill(process.pid, signal.SIGTERM)
                case.endsWell(ended(process, 2), [130], 'a signal while waiting for a pipe')
                continue
            ran = case.run(*words, limits=BOUND, timeout=5)
            case.endsWell(ran, [1, 2, 3, 4], ' '.join(map(str, words)))
