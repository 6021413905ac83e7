# SPDX-License-Identifier: Apache-2.0
"""What rows of the catalogue are made of: a row is tried many times, and each try is checked."""
import dataclasses
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import time


class Skip(Exception):
    """The row cannot be tried here, and why."""


@dataclasses.dataclass
class Row:
    group: str
    name: str
    body: object
    quick: int  # how often it is tried, 0: not at all
    full: int
    limit: float  # seconds of the quick part: what it takes at most, or it stops early


ROWS = []


def row(group, name, quick, full, limit=1.5):
    """Adds a function to the catalogue: body(case, times)."""
    def add(body):
        ROWS.append(Row(group, name, body, quick, full, limit))
        return body
    return add


@dataclasses.dataclass
class Ran:
    """How a run of the program ended."""
    code: int  # negative: the signal that ended it
    out: str
    err: str
    seconds: float
    ended: bool  # by itself, in time

    def text(self):
        how = 'did not end in time' if not self.ended else f'exit code {self.code}'
        if self.code < 0 and self.ended:
            how = f'ended by {signal.Signals(-self.code).name}'
        said = (self.err.strip() or self.out.strip())[-400:]
        return f'{how} after {self.seconds:.1f} s: {said}'


class Case:
    """One row at work: its folder, its random numbers, and what was found."""

    def __init__(self, options, wanted, folder):
        self.options = options
        self.row = wanted
        self.folder = pathlib.Path(folder)
        self.random = random.Random(f'{options.seed} {wanted.group} {wanted.name}')
        self.tried = 0
        self.failures = []
        self.notes = []
        self.began = time.monotonic()
        self.program = options.build / 'bin/graphloom'
        self.models = options.root / 'resources/models'
        for name in ('home', 'tmp', 'work', 'session'):
            (self.folder / name).mkdir(0o700, exist_ok=True)
        self.work = self.folder / 'work'
        if options.measured:
            shutil.copytree(options.measured, self.folder / 'home' / 'data')

    def check(self, holds, what):
        """Counts a try; what it says is reported where it does not hold."""
        self.tried += 1
        if not holds:
            self.failures.append(what)
        return holds

    def isOver(self):
        """The quick part keeps to its time: what was tried by then is what was tried."""
        return self.options.quick and time.monotonic() - self.began > self.row.limit

    def rounds(self, times):
        """Counts to times, or as far as the time allows, but once at least."""
        for i in range(times):
            if i > 0 and self.isOver():
                return
            yield i

    def environment(self, **changes):
        """A clean one: nothing of the user's own is read or written."""
        kept = {name: os.environ[name] for name in ('PATH', 'LD_LIBRARY_PATH', 'ASAN_OPTIONS')
                if name in os.environ}
        home = self.folder / 'home'
        kept |= {'HOME': str(home), 'XDG_DATA_HOME': str(home / 'data'),
                 'XDG_CACHE_HOME': str(self.options.cache), 'XDG_CONFIG_HOME': str(home / 'config'),
                 'TMPDIR': str(self.folder / 'tmp'), 'LANG': 'C.UTF-8',
                 'XDG_RUNTIME_DIR': str(self.folder / 'session'), 'QT_QPA_PLATFORM': 'offscreen'}
        for name, value in changes.items():
            if value is None:
                kept.pop(name, None)
            else:
                kept[name] = value if isinstance(value, bytes) else str(value)
        return kept

    def start(self, *arguments, environment=None, limits=(), program=None, before=None, **more):
        """Begins a run; limits are pairs of a resource and its amount."""
        def prepare():
            os.setsid()
            for what, amount in limits:
                resource.setrlimit(what, (amount, amount))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            if before:
                before()
        options = {'stdin': subprocess.DEVNULL, 'stdout': subprocess.PIPE,
                   'stderr': subprocess.PIPE, 'cwd': self.work} | more
        return subprocess.Popen([os.fspath(program or self.program), *map(os.fspath, arguments)],
                                env=environment or self.environment(), preexec_fn=prepare, **options)

    def run(self, *arguments, timeout=60, **more):
        """Runs the program to its end, or ends it with all that it has started."""
        began = time.monotonic()
        process = self.start(*arguments, **more)
        ended = True
        try:
            out, err = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            ended = False
            endGroup(process)
            out, err = process.communicate()
        return Ran(process.returncode, (out or b'').decode(errors='replace'),
                   (err or b'').decode(errors='replace'), time.monotonic() - began, ended)

    def endsWell(self, ran, codes, what):
        """In time, by itself, with one of the exit codes, and with a word where it is no success."""
        says = ran.code in (0, 130) or bool(ran.err.strip() or ran.out.strip())
        return self.check(ran.ended and ran.code in codes and says, f'{what}: {ran.text()}')

    def needs(self, *tools):
        for tool in tools:
            if not shutil.which(tool):
                raise Skip(f'{tool} is not installed')

    def needsCompiler(self):
        if not (shutil.which('gcc') or shutil.which('clang')):
            raise Skip('there is no C compiler')


def endGroup(process, how=signal.SIGKILL):
    """Ends a process that start() has begun, with those that it has begun itself."""
    try:
        os.killpg(process.pid, how)
    except ProcessLookupError:
        pass


def ended(process, timeout):
    """Waits for a process that was begun by start(); its run, as run() has it."""
    began = time.monotonic()
    try:
        out, err = process.communicate(timeout=timeout)
        done = True
    except subprocess.TimeoutExpired:
        endGroup(process)
        out, err = process.communicate()
        done = False
    return Ran(process.returncode, (out or b'').decode(errors='replace'),
               (err or b'').decode(errors='replace'), time.monotonic() - began, done)


def inNamespace():
    """The words before a command that may mount; none where this system does not let us."""
    words = ['unshare', '-m'] if os.geteuid() == 0 else ['unshare', '-rm']
    if not shutil.which('unshare'):
        return None
    tried = subprocess.run([*words, 'sh', '-c', 'mount -t tmpfs -o size=1m none /mnt'],
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return words if tried.returncode == 0 else None


def say(text):
    print(text, flush=True)


def warn(text):
    print(text, file=sys.stderr, flush=True)
