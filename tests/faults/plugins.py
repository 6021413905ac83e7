# SPDX-License-Identifier: Apache-2.0
"""Plugins, libraries from elsewhere, sockets and files that others may reach."""
import os
import shutil
import stat
import subprocess

from harness import Skip, row
from models import tiny


@row('plugins and sockets', 'no library from the working directory', quick=1, full=1)
def workingDirectory(case, times):
    """What lies in the current folder, under the names of libraries that are used, is not loaded."""
    for name in ('libsqlite3.so.0', 'libonnx.so.1', 'libtbb.so.12', 'libQt6Core.so.6', 'libprotobuf.so.32'):
        (case.work / name).write_bytes(b'this is no library')
    (case.work / 'm.onnx').write_bytes(tiny())
    for words in (['--version'], ['--list', 'passes'], ['--batch', 'm.onnx', '--passes', 'ago']):
        case.endsWell(case.run(*words), [0], ' '.join(words))


@row('plugins and sockets', 'no empty or relative entry in a RUNPATH', quick=1, full=1)
def runPaths(case, times):
    case.needs('readelf')
    files = [path for folder in ('bin', 'lib') for path in (case.options.build / folder).rglob('*')
             if path.is_file() and (path.suffix == '.so' or os.access(path, os.X_OK))]
    case.check(files, 'there is nothing built')
    for file in files:
        said = subprocess.run(['readelf', '-d', file], capture_output=True, text=True).stdout
        for line in said.splitlines():
            if 'RUNPATH' in line or 'RPATH' in line:
                entries = line[line.index('[') + 1:line.rindex(']')].split(':')
                bad = [one for one in entries if not (one.startswith('/') or one.startswith('$ORIGIN'))]
                case.check(not bad, f'{file.name} looks for libraries in "{bad}" of {":".join(entries)}')


ODD = {
    'crash': '__attribute__((constructor)) static void f(void) { *(volatile int *)0 = 1; }',
    'exit': '#include <stdlib.h>\n__attribute__((constructor)) static void f(void) { _Exit(0); }',
    'hang': '#include <unistd.h>\n__attribute__((constructor)) static void f(void) { for (;;) sleep(9); }',
    'no symbol': 'int nothing;',
    'old ABI': 'struct entry { unsigned abi; void *make; };\n'
               'struct entry graphloom_pass(void) { struct entry e = {0, 0}; return e; }',
    'wild pointer': 'unsigned long graphloom_pass = 0x4141414141414141ul;',
    'entry that gives a wild pointer': 'struct entry { unsigned abi; void *make; };\n'
        'struct entry graphloom_pass(void) { struct entry e = {0xffffffffu, (void *)0x4141}; return e; }',
    'noise': None}


@row('plugins and sockets', 'plugins that crash, hang or are none', quick=3, full=len(ODD))
def oddPlugins(case, times):
    """The program, beside a plugin folder of its own."""
    case.needs('gcc')
    place = case.folder / 'program'
    shutil.copytree(case.options.build / 'bin', place / 'bin')
    shutil.copytree(case.options.build / 'lib', place / 'lib')
    kinds = sorted(ODD)
    case.random.shuffle(kinds)
    if case.options.quick:
        kinds.remove('hang')  # which the program waits for
    for kind in (kinds[i] for i in case.rounds(times)):
        odd = place / 'lib/graphloom/plugins/odd.so'
        odd.unlink(missing_ok=True)
        if ODD[kind] is None:
            odd.write_bytes(case.random.randbytes(5000))
        else:
            source = case.folder / 'odd.c'
            source.write_text(ODD[kind] + '\n')
            subprocess.run(['gcc', '-shared', '-fPIC', '-w', '-o', odd, source], check=True)
        ran = case.run('--list', 'passes', program=place / 'bin/graphloom', timeout=60)
        case.endsWell(ran, [0], kind)
        case.check('odd.so' in ran.out, f'{kind}: the plugin is no row of the list: {ran.text()}')


@row('plugins and sockets', 'what others may read or write', quick=1, full=2)
def modes(case, times):
    """Under umask 000, databases, caches and journals are still the user's own."""
    model = case.work / 'm.onnx'
    model.write_bytes(tiny())
    cache = case.folder / 'cache'
    environment = case.environment(XDG_CACHE_HOME=cache)
    def before():
        os.umask(0)
    ran = case.run('--batch', model, '--passes', 'dnnfusion', '--target', 'host', '--budget', '2trials',
                   environment=environment, timeout=120, before=before)
    picture = case.run(model, '--screenshot', case.work / 'p.png', '--view', 'blocks',
                       environment=environment, before=before)
    case.endsWell(ran, [0, 4], 'under umask 000')
    case.endsWell(picture, [0], 'a picture under umask 000')
    loose = [path for root in (case.folder / 'home/data', cache) for path in root.rglob('*')
             if not path.is_symlink() and stat.S_IMODE(path.stat().st_mode) & 0o022]
    case.check(not loose, f'others may write {", ".join(str(path.name) for path in loose[:5])}')


@row('plugins and sockets', 'nothing in TMPDIR that others may guess or that stays', quick=1, full=3)
def temporaries(case, times):
    case.needs('strace')
    model, trace = case.work / 'm.onnx', case.folder / 'trace'
    model.write_bytes(tiny())
    if subprocess.run(['strace', '-o', '/dev/null', 'true'], stderr=subprocess.DEVNULL).returncode != 0:
        raise Skip('strace may not trace here')
    ran = case.run('-f', '-qq', '-e', 'trace=openat,bind,mkdir', '-o', trace, case.program, '--batch', model,
                   '--passes', 'dnnfusion', '--html', case.work / 'r.html', program='strace', timeout=120)
    case.endsWell(ran, [0], 'a traced run')
    place = str(case.folder / 'tmp')
    fixed = [line for line in trace.read_text(errors='replace').splitlines()
             if 'O_CREAT' in line and 'O_EXCL' not in line and (f'"{place}' in line or '"/tmp/' in line)
             and str(case.work) not in line and str(case.folder / 'home') not in line
             and str(case.options.cache) not in line]
    case.check(not fixed, f'made without O_EXCL: {fixed[:2]}')
    left = [path.name for path in (case.folder / 'tmp').iterdir()]
    case.check(not left, f'stays in TMPDIR: {left}')
