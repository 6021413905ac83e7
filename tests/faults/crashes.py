# SPDX-License-Identifier: Apache-2.0
"""Crash consistency: killed at any moment, each file is the old one or the new one, whole."""
import hashlib
import json
import shutil
import sqlite3
import time
import xml.etree.ElementTree as xml

from harness import endGroup, row
from models import tiny


def wholeDatabase(file):
    """What is wrong with a SQLite file, as SQLite itself sees it; none: nothing."""
    try:
        database = sqlite3.connect(f'file:{file}?mode=ro', uri=True)
        try:
            found = database.execute('PRAGMA integrity_check').fetchone()[0]
        finally:
            database.close()
        return None if found == 'ok' else found
    except sqlite3.Error as error:
        return str(error)


def defectOf(file):
    """What is wrong with an output, by its own form."""
    content = file.read_bytes()
    try:
        if file.suffix in ('.json', '.sarif'):
            json.loads(content)
        elif file.suffix == '.xml':
            xml.fromstring(content)
        elif file.suffix == '.html':
            return None if content.endswith(b'</html>\n') else 'its end is missing'
        elif file.suffix in ('.gloom', '.db'):
            return wholeDatabase(file)
        elif not content:
            return 'it is empty'
    except (ValueError, xml.ParseError) as error:
        return str(error)
    return None


OUTPUTS = {'--export': 'o.onnx', '--report': 'r.json', '--save': 's.gloom', '--html': 'r.html',
           '--junit': 'j.xml', '--sarif': 's.sarif'}


def outputs(case):
    return [word for option, name in OUTPUTS.items() for word in (option, case.work / name)]


def killAtRandom(case, seconds, *arguments, **more):
    """Ends a run and all that it has started at a moment of its life."""
    process = case.start(*arguments, stdout=-3, stderr=-3, **more)
    time.sleep(case.random.uniform(0, seconds))
    endGroup(process)
    process.wait()


def leftovers(folder, known):
    return sorted(path.name for path in folder.iterdir() if path.name not in known)


@row('crash consistency', 'batch with six outputs', quick=6, full=120, limit=4)
def batch(case, times):
    model = case.models / 'bert_tiny.onnx'
    # A described device, as the speed of this machine is another one each time it is measured.
    words = ['--batch', model, '--passes', 'dnnfusion,ago', '--device', 'phone-cpu', '--progress',
             'none', *outputs(case)]
    first = case.run(*words)
    if not case.endsWell(first, [0], 'the undisturbed run'):
        return
    export = hashlib.sha256((case.work / 'o.onnx').read_bytes()).digest()
    for i in case.rounds(times):
        killAtRandom(case, first.seconds * 1.1, *words)
        for name in OUTPUTS.values():
            file = case.work / name
            defect = defectOf(file) if file.exists() else 'it is gone'
            case.check(not defect, f'{name} after kill {i}: {defect}')
        same = hashlib.sha256((case.work / 'o.onnx').read_bytes()).digest() == export
        case.check(same, f'o.onnx after kill {i} is neither the old nor the new one')
    case.endsWell(case.run(*words), [0], 'the run after all kills')
    litter = leftovers(case.work, set(OUTPUTS.values())) + leftovers(case.folder / 'tmp', ())
    case.check(not litter, f'left behind, and not cleaned by the next run: {", ".join(litter)}')


@row('crash consistency', 'tuning: database and kernel cache', quick=0, full=12)
def tuning(case, times):
    case.needsCompiler()
    cache, database = case.folder / 'cache', case.work / 'p.db'
    environment = case.environment(XDG_CACHE_HOME=cache)
    words = ['--batch', case.models / 'bert_tiny.onnx', '--passes', 'dnnfusion', '--target', 'host',
             '--profile-db', database, '--progress', 'none']
    for i in case.rounds(times):
        killAtRandom(case, 8, *words, '--budget', '6s', environment=environment)
        if database.exists():
            defect = wholeDatabase(database)
            case.check(not defect, f'the database after kill {i}: {defect}')
            case.endsWell(case.run('--profile', 'info', '--profile-db', database), [0],
                          f'the database after kill {i}')
    ran = case.run(*words, '--verify', environment=environment, timeout=240)
    case.endsWell(ran, [0], 'a run with what the killed ones left')


@row('crash consistency', 'the window, whose journal is written', quick=1, full=20)
def window(case, times):
    model = case.work / 'm.onnx'
    shutil.copy(case.models / 'bert_tiny.onnx', model)
    journals = case.folder / 'home/data/graphloom/unsaved'
    for i in case.rounds(times):
        killAtRandom(case, 3, model, '--view', 'blocks')
        for journal in journals.glob('*.journal') if journals.exists() else ():
            defect = wholeDatabase(journal)
            case.check(not defect, f'{journal.name} after kill {i}: {defect}')
    case.endsWell(case.run(model, '--screenshot', case.work / 'p.png'), [0], 'a picture afterwards')


@row('crash consistency', 'profile export and import', quick=3, full=30)
def exchange(case, times):
    database, lines = case.work / 'p.db', case.work / 'p.jsonl'
    header = '{"graphloom":"profile","schema":1}\n'
    text = [json.dumps({'structure': f's{i}', 'shapes': 'x', 'device': 'd', 'schedule': '',
                        'provenance': 'host', 'min_ns': 1.0, 'median_ns': 2.0, 'count': 3,
                        'measured_at_ms': i + 1, 'version': '1'}) for i in range(3000)]
    source = case.work / 'in.jsonl'
    source.write_text(header + '\n'.join(text) + '\n')
    ran = case.run('--profile', 'import', source, '--profile-db', database)
    case.endsWell(ran, [0], 'the undisturbed import')
    case.endsWell(case.run('--profile', 'export', lines, '--profile-db', database), [0], 'export')
    whole = lines.read_bytes()
    for i in case.rounds(times):
        killAtRandom(case, ran.seconds, '--profile', 'import', source, '--profile-db',
                     case.work / f'{i}.db')
        killAtRandom(case, 0.1, '--profile', 'export', lines, '--profile-db', database)
        case.check(lines.read_bytes() == whole, f'the export after kill {i} is not whole')
        if (case.work / f'{i}.db').exists():
            again = case.run('--profile', 'import', source, '--profile-db', case.work / f'{i}.db')
            case.endsWell(again, [0], f'the import after kill {i}')


@row('crash consistency', 'a model of the old name is never gone', quick=2, full=20)
def inPlace(case, times):
    """The export goes over a file that is there, again and again."""
    model, target = case.work / 'm.onnx', case.work / 'o.onnx'
    model.write_bytes(tiny())
    target.write_bytes(tiny('old'))
    old = target.read_bytes()
    done = case.run('--batch', model, '--export', case.work / 'new.onnx', '--progress', 'none')
    case.endsWell(done, [0], 'the undisturbed export')
    new = (case.work / 'new.onnx').read_bytes()
    for i in case.rounds(times):
        killAtRandom(case, done.seconds, '--batch', model, '--export', target)
        case.check(target.exists() and target.read_bytes() in (old, new),
                   f'after kill {i} the file is neither the old nor the new one')
        target.write_bytes(old)
