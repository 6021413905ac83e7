# SPDX-License-Identifier: Apache-2.0
"""Disk and rights: the error names the file and the reason, exit code 4, old outputs stay."""
import os
import resource
import subprocess

from crashes import OUTPUTS, outputs
from harness import Skip, inNamespace, row
from models import tiny


def prepared(case):
    model = case.work / 'm.onnx'
    model.write_bytes(tiny())
    return ['--batch', model, '--passes', 'dnnfusion', '--progress', 'none']


def oldFiles(case):
    for name in OUTPUTS.values():
        (case.work / name).write_text('old')


def checkOld(case, names, what):
    for name in names:
        content = (case.work / name).read_text() if (case.work / name).exists() else 'gone'
        case.check(content == 'old', f'{what}: {name} is not the old file any more')


@row('disk and rights', 'a file system that is full', quick=1, full=4)
def full(case, times):
    words = inNamespace()
    if not words:
        raise Skip('mounting in a namespace of its own is not allowed here')
    place = case.folder / 'small'
    place.mkdir()
    command = prepared(case)
    for option, name in list(OUTPUTS.items())[:4]:
        script = (f'mount -t tmpfs -o size=64k none {place} && printf old > {place}/{name} && '
                  f'{{ dd if=/dev/zero of={place}/fill bs=1k 2>/dev/null; "$@"; code=$?; '
                  f'cat {place}/{name} | head -c 100 >&2; exit $code; }}')
        ran = case.run(*words[1:], 'sh', '-c', script, 'sh', case.program, *command, option,
                       place / name, program=words[0])
        case.endsWell(ran, [4], f'{option} into a full place')
        case.check(name in ran.err, f'{option}: the file is not named: {ran.err}')
        case.check(ran.err.endswith('old'), f'{option}: the old file is not there any more')


@row('disk and rights', 'a limit on the size of files', quick=3, full=6)
def fileSize(case, times):
    command = prepared(case)
    for option, name in list(OUTPUTS.items())[:max(times, 1)]:
        oldFiles(case)
        ran = case.run(*command, option, case.work / name, limits=[(resource.RLIMIT_FSIZE, 100)])
        case.endsWell(ran, [4], f'{option} beyond the limit')
        case.check(name in ran.err, f'{option}: the file is not named: {ran.text()}')
        checkOld(case, [name], option)


@row('disk and rights', 'folders that are not there, and files in their place', quick=1, full=1)
def folders(case, times):
    command = prepared(case)
    (case.work / 'file').write_text('x')
    for option, name in OUTPUTS.items():
        for place in ('nowhere', 'file'):
            if case.isOver():
                return
            ran = case.run(*command, option, case.work / place / name)
            case.endsWell(ran, [2, 4], f'{option} {place}/{name}')


@row('disk and rights', 'a folder that cannot be written', quick=1, full=1)
def readOnly(case, times):
    words = inNamespace()
    if os.geteuid() == 0 and not words:
        raise Skip('root may write anywhere, and mounting is not allowed here')
    place = case.work / 'kept'
    place.mkdir()
    (place / 'r.json').write_text('old')
    command = prepared(case)
    if os.geteuid() == 0:
        script = f'mount --bind {place} {place} && mount -o remount,bind,ro {place} && exec "$@"'
        ran = case.run('-m', 'sh', '-c', script, 'sh', case.program, *command, '--report',
                       place / 'r.json', program='unshare')
    else:
        place.chmod(0o555)
        ran = case.run(*command, '--report', place / 'r.json')
        place.chmod(0o755)
    case.endsWell(ran, [4], 'a folder that cannot be written')
    case.check('r.json' in ran.err, f'the file is not named: {ran.err}')
    case.check((place / 'r.json').read_text() == 'old', 'the old file is not there any more')


@row('disk and rights', 'HOME and folders that are no places', quick=1, full=1)
def homes(case, times):
    command = prepared(case) + ['--report', case.work / 'r.json']
    file = case.folder / 'file'
    file.write_text('x')
    nothing = {'XDG_DATA_HOME': None, 'XDG_CACHE_HOME': None, 'XDG_CONFIG_HOME': None}
    for what, changes in {
            'no HOME': {'HOME': None} | nothing, 'HOME that is not there': {'HOME': str(case.folder / 'absent')} | nothing,
            'HOME that is a file': {'HOME': str(file)} | nothing,
            'HOME that is no UTF-8': {'HOME': os.fsencode(case.folder) + b'/\xff\xfe'} | nothing,
            'TMPDIR that is not there': {'TMPDIR': str(case.folder / 'absent too')},
            'TMPDIR that is a file': {'TMPDIR': str(file)}}.items():
        if case.isOver():
            return
        case.endsWell(case.run(*command, environment=case.environment(**changes)), [0, 4], what)
        target = case.run(*command, '--target', 'host', '--budget', '1trials', timeout=120,
                          environment=case.environment(**changes))
        case.endsWell(target, [0, 4], f'{what}, with kernels')


@row('disk and rights', '16 descriptors', quick=1, full=1)
def descriptors(case, times):
    ran = case.run(*prepared(case), *outputs(case), limits=[(resource.RLIMIT_NOFILE, 16)])
    case.endsWell(ran, [0, 4], 'with 16 descriptors')


@row('disk and rights', '1 GB of address space', quick=1, full=3)
def memory(case, times):
    oldFiles(case)
    for name in ['bert_tiny', 'mobilenet_v2_224', 'mobilevit_s_256'][:times]:
        ran = case.run('--batch', case.models / f'{name}.onnx', '--passes', 'dnnfusion', '--verify',
                       '--threads', '2', '--progress', 'none', '--junit', case.work / 'j.xml',
                       '--sarif', case.work / 's.sarif', '--export', case.work / 'o.onnx',
                       limits=[(resource.RLIMIT_AS, 1 << 30)], timeout=200)
        case.endsWell(ran, [0, 4], f'{name} in 1 GB')
        if ran.code != 0:
            checkOld(case, ['o.onnx'], name)
            for verdict in ('j.xml', 's.sarif'):
                text = (case.work / verdict).read_text()
                case.check('memory' in text, f'{verdict} does not tell of it')


@row('disk and rights', 'stdout on a full device', quick=1, full=1)
def fullDevice(case, times):
    if not os.path.exists('/dev/full'):
        raise Skip('there is no /dev/full')
    for words in (['--list', 'ops'], ['--list', 'passes', '--json'], ['--help'], ['--version']):
        with open('/dev/full', 'wb') as device:
            ran = case.run(*words, stdout=device)
        case.check(ran.ended and ran.code == 4, f'{" ".join(words)} into /dev/full: {ran.text()}')


@row('disk and rights', 'exports do not replace devices', quick=1, full=1)
def devices(case, times):
    """As root a rename would put a file in the place of a device."""
    target = case.work / 'null'
    made = os.geteuid() == 0 and subprocess.run(
        ['mknod', target, 'c', '1', '3'], stderr=subprocess.DEVNULL).returncode == 0
    if not made:
        raise Skip('making a device node needs root')
    command = prepared(case)
    for option in ('--report', '--export', '--html', '--save'):
        case.run(*command, option, target)
        case.check(target.is_char_device(), f'{option} has replaced a device node')
