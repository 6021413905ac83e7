# SPDX-License-Identifier: Apache-2.0
"""The kernel cache and the compiler: a damaged kernel is built again and never loaded."""
import os
import shutil
import stat

from harness import Skip, row
from models import tiny


def kernelsIn(cache):
    return sorted(path for path in cache.rglob('*.so') if path.is_file())


def tinyRun(case, environment, *words, timeout=120, **more):
    model = case.work / 'm.onnx'
    model.write_bytes(tiny())
    return case.run('--batch', model, '--passes', 'dnnfusion', '--target', 'host', '--verify',
                    '--progress', 'none', *words, environment=environment, timeout=timeout, **more)


def truncated(case, content):
    return content[:case.random.randrange(len(content))]


def flipped(case, content):
    content = bytearray(content)
    for _ in range(case.random.randint(1, 8)):
        content[case.random.randrange(len(content))] ^= 1 << case.random.randrange(8)
    return bytes(content)


def damagedCache(case, times, damage):
    """Each time another kernel is damaged; results must stay right, and the run go on."""
    case.needsCompiler()
    cache = case.folder / 'cache'
    environment = case.environment(XDG_CACHE_HOME=cache)
    if not case.endsWell(tinyRun(case, environment), [0], 'the undamaged run'):
        return
    kernels = kernelsIn(cache)
    if not case.check(kernels, 'no kernel is in the cache'):
        return
    for i in case.rounds(times):
        kernel = case.random.choice(kernels)
        whole = kernel.read_bytes() if kernel.exists() else None
        if whole:
            kernel.write_bytes(damage(case, whole))
        case.endsWell(tinyRun(case, environment), [0], f'with damage {i} of {kernel.name}')


@row('kernel cache', 'truncated kernels', quick=2, full=60)
def truncation(case, times):
    damagedCache(case, times, truncated)


@row('kernel cache', 'flipped bits', quick=2, full=120, limit=3)
def bits(case, times):
    damagedCache(case, times, flipped)


@row('kernel cache', 'empty and foreign files', quick=2, full=12)
def foreign(case, times):
    other = [b'', b'#!/bin/sh\ntouch /tmp/owned\n', b'\x7fELF' + b'\x00' * 60,
             case.program.read_bytes()[:200000]]
    damagedCache(case, times, lambda case, content: case.random.choice(other))


@row('kernel cache', 'a library without the symbol', quick=1, full=3)
def withoutSymbol(case, times):
    case.needs('gcc')
    source, library = case.folder / 'none.c', case.folder / 'none.so'
    source.write_text('int nothing;\n')
    os.system(f'gcc -shared -fPIC -o {library} {source}')
    content = library.read_bytes()
    damagedCache(case, times, lambda case, old: content)


@row('kernel cache', 'rights: 0700 and 0600 whatever the umask is', quick=1, full=2)
def rights(case, times):
    case.needsCompiler()
    for mask in [0o000, 0o077][:times]:
        cache = case.folder / f'cache{mask}'
        ran = tinyRun(case, case.environment(XDG_CACHE_HOME=cache),
                      before=lambda mask=mask: os.umask(mask))
        case.endsWell(ran, [0], f'with umask {mask:o}')
        loose = [path for path in [*(cache / 'graphloom').rglob('*'), cache / 'graphloom']
                 if path.exists() and stat.S_IMODE(path.stat().st_mode) & 0o022]
        case.check(not loose, f'others may write {", ".join(map(str, loose[:3]))}')


@row('kernel cache', "another user's files are not loaded", quick=1, full=2)
def otherUsers(case, times):
    if os.geteuid() != 0:
        raise Skip('giving files to another user needs root')
    case.needsCompiler()
    cache = case.folder / 'cache'
    environment = case.environment(XDG_CACHE_HOME=cache)
    case.endsWell(tinyRun(case, environment), [0], 'the first run')
    loaded = case.folder / 'loaded'
    source, library = case.folder / 'evil.c', case.folder / 'evil.so'
    source.write_text('#include <stdio.h>\n__attribute__((constructor)) static void run(void)'
                      f'{{ fclose(fopen("{loaded}", "w")); }}\n')
    os.system(f'gcc -shared -fPIC -o {library} {source}')
    for kernel in kernelsIn(cache):
        shutil.copy(library, kernel)
        os.chown(kernel, 65534, 65534)
    case.endsWell(tinyRun(case, environment), [0], 'with kernels of another user')
    case.check(not loaded.exists(), 'a kernel that another user wrote was loaded')


@row('kernel cache', 'a folder that cannot be written', quick=1, full=1)
def notWritable(case, times):
    case.needsCompiler()
    file = case.folder / 'file'
    file.write_text('no folder')
    ran = tinyRun(case, case.environment(XDG_CACHE_HOME=file / 'cache'))
    case.endsWell(ran, [0, 4], 'with a file in the place of the cache')


def compilerRow(case, script, codes=(0, 4), timeout=120):
    """One run with a compiler that is a script; a run that goes on says what failed."""
    compiler = case.folder / 'cc'
    compiler.write_text('#!/bin/sh\n' + script)
    compiler.chmod(0o755)
    tools = case.folder / 'tools'  # with no other compiler among them
    tools.mkdir()
    for tool in ('sh', 'head', 'sleep', 'truncate', 'as', 'ld', 'touch', 'cat', 'printf'):
        if shutil.which(tool):
            (tools / tool).symlink_to(shutil.which(tool))
    environment = case.environment(XDG_CACHE_HOME=case.folder / 'cache', CC=compiler, PATH=tools)
    ran = tinyRun(case, environment, timeout=timeout)
    case.endsWell(ran, codes, 'with this compiler')
    return ran


GCC = shutil.which('gcc') or 'gcc'
VERSION = f'case "$*" in *--version*|*-dumpmachine*|*-dM*) exec {GCC} "$@";; esac\n'


@row('compilers', 'none', quick=1, full=1)
def noCompiler(case, times):
    environment = case.environment(PATH=case.folder / 'nothing', CC='')
    ran = tinyRun(case, environment)
    case.endsWell(ran, [4], 'without a compiler')
    case.check('compiler' in ran.err, f'it does not say that a compiler is missing: {ran.err}')


@row('compilers', 'failing', quick=1, full=1)
def failing(case, times):
    case.needs('gcc')
    ran = compilerRow(case, VERSION + 'echo "internal compiler error" >&2; exit 1\n')
    said = ran.out + ran.err
    case.check('internal compiler error' in said, f'nothing says why no kernel was built: {ran.text()}')


@row('compilers', 'printing garbage, building nothing', quick=1, full=1)
def garbage(case, times):
    case.needs('gcc')
    compilerRow(case, VERSION + 'head -c 3000000 /dev/urandom; exit 0\n')


@row('compilers', 'whose output is cut short', quick=1, full=3)
def cutShort(case, times):
    case.needs('gcc')
    compilerRow(case, VERSION + f'{GCC} "$@" || exit 1\nfor last; do [ "$take" ] && out=$last; take=;'
                ' [ "$last" = -o ] && take=1; done\n[ "$out" ] && truncate -s 5000 "$out"\nexit 0\n')


@row('compilers', 'a library without the symbol', quick=1, full=1)
def emptyLibrary(case, times):
    case.needs('gcc')
    compilerRow(case, VERSION + 'for last; do [ "$take" ] && out=$last; take=; [ "$last" = -o ] && '
                f'take=1; done\nprintf "int nothing;" | {GCC} -shared -fPIC -x c - -o "$out"\n')


@row('compilers', 'hanging', quick=0, full=1)
def hanging(case, times):
    case.needs('gcc')
    compilerRow(case, VERSION + 'sleep 100000\n', timeout=300)
