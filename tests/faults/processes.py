# SPDX-License-Identifier: Apache-2.0
"""Several processes at once, signals at every stage, closed pipes and descriptors, determinism."""
import json
import os
import pathlib
import signal
import subprocess
import time

from crashes import OUTPUTS, defectOf, outputs, wholeDatabase
from harness import ended, row
from models import tiny


@row('several processes', 'six tuners on one database and one cold cache', quick=0, full=2)
def tuners(case, times):
    case.needsCompiler()
    for i in case.rounds(times):
        database = case.work / f'{i}.db'
        environment = case.environment(XDG_CACHE_HOME=case.folder / f'cache{i}')
        began = time.monotonic()
        processes = [case.start('--batch', case.models / 'bert_tiny.onnx', '--passes', 'dnnfusion',
                                '--target', 'host', '--budget', '4s', '--profile-db', database,
                                '--seed', str(k), '--progress', 'none', environment=environment)
                     for k in range(6)]
        for process in processes:
            ran = ended(process, 200)
            case.endsWell(ran, [0], 'a tuner')
            case.check('lock' not in ran.err, f'a lock error reaches the user: {ran.err}')
        seconds = time.monotonic() - began
        case.notes.append(f'six budgets of 4 s took {seconds:.0f} s')
        defect = wholeDatabase(database)
        case.check(not defect, f'the database: {defect}')


@row('several processes', 'importers of one database', quick=1, full=10)
def importers(case, times):
    for i in case.rounds(times):
        database = case.work / f'{i}.db'
        files = []
        for k in range(6):
            lines = [json.dumps({'structure': f'{k} {n}', 'shapes': 'x', 'device': 'd', 'schedule': '',
                                 'provenance': 'host', 'min_ns': 1.0, 'median_ns': 2.0, 'count': 3,
                                 'measured_at_ms': 1, 'version': '1'}) for n in range(200)]
            files.append(case.work / f'{i}-{k}.jsonl')
            files[-1].write_text('{"graphloom":"profile","schema":1}\n' + '\n'.join(lines) + '\n')
        processes = [case.start('--profile', 'import', file, '--profile-db', database)
                     for file in files]
        for process in processes:
            case.endsWell(ended(process, 60), [0], 'an importer')
        ran = case.run('--profile', 'info', '--profile-db', database)
        case.check('1200 kernels' in ran.out, f'not the union of all six: {ran.text()}')


@row('several processes', 'savers of one session', quick=2, full=24)
def savers(case, times):
    model, session = case.work / 'm.onnx', case.work / 's.gloom'
    model.write_bytes(tiny())
    for i in case.rounds(times):
        processes = [case.start('--batch', model, '--passes', name, '--save', session,
                                '--progress', 'none') for name in ('ago', 'dnnfusion')]
        for process in processes:
            case.endsWell(ended(process, 60), [0], f'saver {i}')
        defect = defectOf(session)
        case.check(not defect, f'the session after round {i}: {defect}')


STAGES = {'open and passes': ['--passes', 'dnnfusion,ago'],
          'search': ['--passes', 'magis', '--set', 'magis.seconds=60'],
          'verification': ['--verify'],
          'kernels': ['--passes', 'dnnfusion', '--target', 'host', '--budget', '60s'],
          'export and html': ['--passes', 'dnnfusion']}


def catches(process, how):
    """Whether the process handles the signal. Until it does, the signal ends it as it ends every program."""
    for line in pathlib.Path(f'/proc/{process.pid}/status').read_text().splitlines():
        if line.startswith('SigCgt:'):
            return int(line.split()[1], 16) >> (how - 1) & 1
    return False


def signalled(case, how, twice, words, wait):
    """Seconds until a run ends that gets a signal, or two, after some time, but not before it can handle them."""
    process = case.start(*words)
    time.sleep(wait)
    while process.poll() is None and not catches(process, how):
        time.sleep(0.01)
    if process.poll() is not None:
        process.communicate()
        return None
    began = time.monotonic()
    os.kill(process.pid, how)
    if twice:
        time.sleep(0.05)
        if process.poll() is None:
            os.kill(process.pid, how)
    ran = ended(process, 60)
    case.endsWell(ran, [130, 0],  # it may have been over
                  f'{how.name}{" twice" if twice else ""} after {wait:.2f} s of {words[3:]}')
    return time.monotonic() - began


def signalRow(case, times, twice, most):
    model = case.models / 'mobilenet_v2_224.onnx'
    slowest = 0
    for i in case.rounds(times):
        for how in (signal.SIGINT, signal.SIGTERM):
            # The search takes long on every machine; other stages may be over by then.
            stage = 'search' if i == 0 else case.random.choice(sorted(STAGES))
            words = ['--batch', model, '--progress', 'none', *STAGES[stage], *outputs(case)]
            seconds = signalled(case, how, twice, words, case.random.uniform(0.2, 3))
            if seconds is None:
                continue
            slowest = max(slowest, seconds)
            case.check(seconds < most, f'{how.name} in {stage}: ended after {seconds:.1f} s')
            for name in OUTPUTS.values():
                file = case.work / name
                defect = defectOf(file) if file.exists() else None
                case.check(not defect, f'{name} after {how.name} in {stage}: {defect}')
    case.notes.append(f'the slowest took {slowest:.1f} s')


@row('signals and pipes', 'SIGINT and SIGTERM at any stage', quick=1, full=30)
def once(case, times):
    # What was reached is still written, which takes as long as that takes.
    signalRow(case, times, False, 30)


@row('signals and pipes', 'the second one ends the process', quick=1, full=20)
def twice(case, times):
    signalRow(case, times, True, 3)


@row('signals and pipes', 'pipes that nobody reads', quick=1, full=5)
def brokenPipes(case, times):
    model = case.work / 'm.onnx'
    model.write_bytes(tiny())
    for words in (['--list', 'ops'], ['--batch', model, '--passes', 'dnnfusion'],
                  ['--batch', model, '--progress', 'json']):
        for closed in ('stdout', 'stderr'):
            reading, writing = os.pipe()
            os.close(reading)
            ran = case.run(*words, timeout=20, **{closed: writing})
            os.close(writing)
            case.check(ran.ended and ran.code in (0, 4, -signal.SIGPIPE),
                       f'{" ".join(map(str, words))}, {closed} closed: {ran.text()}')


@row('signals and pipes', 'closed standard descriptors', quick=1, full=4)
def closedDescriptors(case, times):
    model = case.work / 'm.onnx'
    model.write_bytes(tiny())
    for i in case.rounds(times):
        for closed in ((0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)):
            report = case.work / 'r.json'
            report.unlink(missing_ok=True)
            ran = case.run('--batch', model, '--passes', 'dnnfusion', '--report', report, timeout=20,
                           before=lambda: [os.close(one) for one in closed])
            whole = report.exists() and not defectOf(report)
            case.check(ran.ended and ran.code == 0 and whole,
                       f'with descriptors {closed} closed: {ran.text()}')


# Words of names: "update" and "timeline" are none of them.
TIMES = {'second', 'seconds', 'time', 'thread', 'threads', 'date', 'began', 'history'}


def withoutTimes(value):
    if isinstance(value, dict):
        return {key: withoutTimes(one) for key, one in value.items()
                if TIMES.isdisjoint(key.split('_'))}
    return [withoutTimes(one) for one in value] if isinstance(value, list) else value


def differences(one, other, path=''):
    if isinstance(one, dict) and isinstance(other, dict):
        return [found for key in one.keys() | other.keys()
                for found in differences(one.get(key), other.get(key), f'{path}.{key}')]
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return [found for i in range(len(one))
                for found in differences(one[i], other[i], f'{path}[{i}]')]
    return [] if one == other else [path]


@row('determinism', 'one seed, 1 and 2 threads, twice', quick=1, full=2)
def determinism(case, times):
    searches = [('dnnfusion,ago', []), ('magis', ['--set', 'magis.seconds=0', '--set', 'magis.states=500',
                                                  '--set', 'magis.device=phone-cpu']),
                ('dnnfusion', ['--set', 'dnnfusion.rewrite=equality-saturation'])]
    for passes, settings in searches[:times + 1]:
        reports = []
        for threads in (1, 2, 2):
            report = case.work / 'r.json'
            ran = case.run('--batch', case.models / 'bert_tiny.onnx', '--passes', passes, *settings,
                           '--seed', '7', '--threads', str(threads), '--report', report,
                           '--progress', 'none', timeout=200)
            if not case.endsWell(ran, [0], f'{passes} with {threads} threads'):
                return
            reports.append(withoutTimes(json.loads(report.read_text())))
        for other in reports[1:]:
            found = differences(reports[0], other)
            case.check(not found, f'{passes}: reports differ in {", ".join(found[:5])}')
