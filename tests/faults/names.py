# SPDX-License-Identifier: Apache-2.0
"""Names of somebody else's making are inert wherever they are written."""
import csv
import html.parser
import json
import os
import xml.etree.ElementTree as xml

from harness import row
from models import model, node, tensor, value

HOSTILE = ['*/ int owned = system("touch owned"); /*', '"; system("touch owned"); //', 'a\nb\n#error x',
           'back\\\nslash', 'tri??/\ngraph??/', '<script>alert(1)</script>', '"><img src=x onerror=alert(1)>',
           "=cmd|'/c calc'!A1", '+1+1', '-1+1', '@SUM(A1)', '$(touch owned)', '`touch owned`', '; touch owned',
           '--export', '-x', '%s%n%d', '{0}', '\x1b]0;owned\x07', '\x1b[2J', '\x00\x01\x02', ']]>', '&amp;',
           '<!--', 'ünïcödé', '\u202egnp.exe', 'x' * 5000, '../../owned', '/etc/passwd', ' ', '\t', "'", '//']
BYTES = [b'\xff\xfe', b'\xc3', b'\xed\xa0\x80', b'\xf8\x88\x80\x80\x80']


class Scripts(html.parser.HTMLParser):
    """Finds what a browser would carry out, or fetch."""

    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attributes):
        if tag in ('script', 'img', 'iframe', 'object', 'embed'):
            self.found.append(tag)
        self.found += [f'{tag} {name}' for name, _ in attributes if name.startswith('on')]


def inert(case, what):
    """Nothing was carried out, and every file is what it says."""
    owned = [path for place in (case.work, case.folder / 'tmp', case.folder)
             for path in [place / 'owned'] if path.exists()]
    case.check(not owned, f'{what}: a command in a name was carried out')
    for file in case.work.rglob('*'):
        try:
            if file.suffix in ('.json', '.sarif'):
                json.loads(file.read_bytes())
            elif file.suffix in ('.xml', '.svg'):
                xml.fromstring(file.read_bytes())
            elif file.suffix == '.html':
                finder = Scripts()
                finder.feed(file.read_text())
                own = [one for one in finder.found if one != 'script']
                case.check(not own and b'<script>alert' not in file.read_bytes(),
                           f'{what}: {file.name} holds {own}')
            elif file.suffix == '.csv':
                with open(file, newline='', encoding='utf-8') as stream:
                    for cell in (cell for line in csv.reader(stream) for cell in line):
                        case.check(not calculates(cell), f'{what}: {file.name} has the cell {cell[:60]!r}')
        except (ValueError, xml.ParseError, UnicodeDecodeError) as error:
            case.check(False, f'{what}: {file.name} is malformed: {error}')


def calculates(cell):
    if not cell or cell[0] not in '=+-@\t\r':
        return False
    try:
        float(cell)
        return False
    except ValueError:
        return True


def named(name):
    """A model that has the name wherever there is one."""
    text = name if isinstance(name, bytes) else name.encode()
    def of(suffix):
        return text + suffix
    return model([node('Add', [of(b'x'), of(b'w')], [of(b's')], of(b'n')),
                  node('Sigmoid', [of(b's')], [of(b'g')], of(b'm')),
                  node('Relu', [of(b'g')], [of(b'y')], of(b'r'))],
                 [value(of(b'x'), [2, 4])], [value(of(b'y'), [2, 4])],
                 [tensor(of(b'w'), [1], [1.0])], graph=text)


def spoken(case, ran, what):
    case.endsWell(ran, [0, 1, 2, 3, 4], what)
    case.check('\x1b' not in ran.out + ran.err and '\x07' not in ran.out + ran.err,
               f'{what}: a raw control character reaches the terminal')


@row('names', 'of nodes and tensors, in files and kernels', quick=2, full=len(HOSTILE) + len(BYTES))
def inFiles(case, times):
    names = [*HOSTILE, *BYTES]
    case.random.shuffle(names)
    for name in (names[i] for i in case.rounds(times)):
        file = case.work / 'm.onnx'
        file.write_bytes(named(name))
        what = repr(name)[:60]
        words = ['--batch', file, '--passes', 'dnnfusion,ago', '--verify', '--progress', 'none']
        for option, output in {'--export': 'o.onnx', '--report': 'r.json', '--html': 'r.html', '--junit':
                               'j.xml', '--sarif': 's.sarif', '--save': 's.gloom'}.items():
            words += [option, case.work / output]
        spoken(case, case.run(*words, timeout=120), what)
        spoken(case, case.run('--batch', file, '--target', 'host', '--passes', 'dnnfusion', '--trace',
                              case.work / 't.json', '--emit-kernels', case.work / 'k', timeout=120), what)
        inert(case, what)


@row('names', 'in tables and pictures', quick=1, full=len(HOSTILE) + len(BYTES))
def inViews(case, times):
    names = [*HOSTILE, *BYTES]
    case.random.shuffle(names)
    for name in (names[i] for i in case.rounds(times)):
        file = case.work / 'm.onnx'
        file.write_bytes(named(name))
        ran = case.run(file, '--export-view', f'nodes={case.work}/nodes.csv', '--export-view',
                       f'hierarchy={case.work}/tree.json', '--export-view', f'model={case.work}/graph.svg',
                       '--screenshot', case.work / 'p.png', timeout=120)
        spoken(case, ran, repr(name)[:60])
        inert(case, repr(name)[:60])


@row('names', 'of operators and domains', quick=1, full=20)
def ofOperators(case, times):
    for i in case.rounds(times):
        name = case.random.choice(HOSTILE)
        file = case.work / 'm.onnx'
        file.write_bytes(model([node(name, ['x'], ['y'], 'n', name)], [value('x', [2])],
                               [value('y', [2])], domains=[name]))
        ran = case.run('--batch', file, '--passes', 'ago', '--html', case.work / 'r.html', '--report',
                       case.work / 'r.json', '--export', case.work / 'o.onnx')
        spoken(case, ran, repr(name)[:60])
        inert(case, repr(name)[:60])


@row('names', 'of files and folders', quick=3, full=30)
def ofFiles(case, times):
    names = ['a b', 'a;b', '$(touch owned)', '`touch owned`', 'quote"s', "quote's", '-dash', '--batch',
             'new\nline', '\x1b[2J', 'ünï', b'\xff\xfe', '<b>', '=1', '%s', '#', '~', '*', 'back\\slash', 'a&b']
    case.random.shuffle(names)
    for name in (names[i % len(names)] for i in case.rounds(times)):
        folder = os.fsencode(case.work) + b'/' + os.fsencode(name)
        os.makedirs(folder, exist_ok=True)
        file = folder + b'/' + os.fsencode(name) + b'.onnx'
        with open(file, 'wb') as stream:
            stream.write(named('n'))
        words = ['--batch', file, '--passes', 'dnnfusion', '--target', 'host', '--verify']
        for option in ('--report', '--html', '--junit', '--save', '--export'):
            words += [option, folder + b'/o' + option[2:].encode()]
        ran = case.run(*words, timeout=120)
        case.endsWell(ran, [0, 2], repr(name))
        case.check('\x1b' not in ran.out + ran.err, f'{name!r}: a raw escape sequence reaches the terminal')
        inert(case, repr(name))
