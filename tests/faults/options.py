# SPDX-License-Identifier: Apache-2.0
"""Numbers: whatever is said in place of one, exit code 2 names option, value and what is allowed."""
from harness import row
from models import tiny

BAD = ['-1', 'nan', '-nan', 'inf', '-inf', '1e999', '-1e999', '99999999999999999999999999', '', 'ten', '1,5',
       '0x', '1e']
# The option, how its value is written, what more it needs, and whether zero is one of its numbers.
OPTIONS = [('--threads', '{}', [], False), ('--seed', '{}', [], True), ('--batch-size', '{}', [], False),
           ('--measure', '{}', [], False), ('--learning-rate', '{}', ['--training'], False),
           ('--verify', '{}', [], True), ('--latency-limit', '{}', ['--passes', 'magis'], False),
           ('--memory-limit', '{}', ['--passes', 'magis'], False),
           ('--memory-limit', '{}MiB', ['--passes', 'magis'], False),
           ('--budget', '{}s', ['--target', 'host'], False),
           ('--budget', '{}trials', ['--target', 'host'], False), ('--input', 'x:1x{}', [], True)]
UNBOUNDED = ('--verify', '--latency-limit', '--learning-rate')
SETTINGS = ['ago.threshold', 'ago.slope', 'ago.search', 'ago.symbolic-extent', 'ago.cache-kib']


@row('numbers', 'every numeric option', quick=30, full=10000)
def numbers(case, times):
    model = case.work / 'm.onnx'
    model.write_bytes(tiny())
    tries = [(option, form, more, number) for option, form, more, zero in OPTIONS
             for number in BAD + ([] if zero else ['0'])
             if not (number == '' and option == '--verify')
             and not (number.startswith('99') and option in UNBOUNDED)
             and not (option, form, number) == ('--memory-limit', '{}', '0')]
    case.random.shuffle(tries)
    for option, form, more, number in (tries[i] for i in case.rounds(min(times, len(tries)))):
        ran = case.run('--batch', model, *more, f'{option}={form.format(number)}', timeout=20)
        what = f'{option}={form.format(number)}'
        case.check(ran.ended and ran.code == 2, f'{what}: {ran.text()}')
        case.check(option in ran.err and number in ran.err, f'{what} is not named: {ran.err}')


@row('numbers', 'parameters of passes', quick=12, full=10000)
def settings(case, times):
    model = case.work / 'm.onnx'
    model.write_bytes(tiny())
    tries = [(name, number) for name in SETTINGS for number in BAD]
    case.random.shuffle(tries)
    for name, number in (tries[i] for i in case.rounds(min(times, len(tries)))):
        ran = case.run('--batch', model, '--passes', 'ago', '--set', f'{name}={number}', timeout=20)
        case.check(ran.ended and ran.code == 2 and name in ran.err and number in ran.err,
                   f'--set {name}={number}: {ran.text()}')


@row('numbers', 'conditions without a value', quick=1, full=1)
def conditions(case, times):
    model = case.work / 'm.onnx'
    model.write_bytes(tiny())
    for condition, code in {'1/0 > 0': 2, '0/0 == 0/0': 2, '1/(1-1) > 0': 1, '1e308*1e308 > 0': 1,
                            'model.nodes/0 > 1': 2, 'model.nodes/(model.nodes-model.nodes) > 1': 1}.items():
        ran = case.run('--batch', model, '--assert', condition, timeout=20)
        case.check(ran.ended and ran.code == code and condition in ran.err + ran.out,
                   f'--assert "{condition}": {ran.text()}')


@row('numbers', 'contradictions', quick=1, full=1)
def contradictions(case, times):
    model = case.work / 'm.onnx'
    model.write_bytes(tiny())
    for words in (['--export', model], ['--report', 'a', '--junit', 'a'], ['--export-flat'], ['--tolerance', 'x=1'],
                  ['--optimizer', 'adam'], ['--view', 'model'], ['--list', 'ops'], ['--memory-limit', '0.5'],
                  ['--input', 'x:2x4', '--input', 'x:2x4'], ['--set', 'ago.threshold=1'], ['--checkpoint', 'c']):
        ran = case.run('--batch', model, *words, timeout=20)
        case.check(ran.ended and ran.code == 2 and bool(ran.err), f'{words}: {ran.text()}')


@row('numbers', 'extents beyond all memory', quick=1, full=1)
def extents(case, times):
    model = case.work / 'm.onnx'
    model.write_bytes(tiny())
    for words in (['--batch-size', '1099511627776', '--verify'], ['--batch-size', '2147483648', '--passes', 'magis',
                  '--set', 'magis.seconds=1'], ['--input', 'x:1000000000x1000000000', '--verify'],
                  ['--input', 'x:1099511627776x1099511627776', '--passes', 'dnnfusion,ago'], ['--threads', '1024']):
        ran = case.run('--batch', model, *words, timeout=12 if case.options.quick else 60)
        case.endsWell(ran, [0, 1, 2, 3, 4], ' '.join(words))
