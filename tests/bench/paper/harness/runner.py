# SPDX-License-Identifier: Apache-2.0
"""A runner process of tests/bench/peers, whose README describes what is said."""
import json
import os
import queue
import subprocess
import tempfile
import threading

from . import process
from .failures import Failed

ANSWER_SECONDS = 600
MOST_BYTES = 1 << 20  # of complaints


class Runner:
    """Starts a command and waits until it is ready."""

    def __init__(self, words, seconds):
        self._complaints = tempfile.TemporaryFile("w+")
        self._process = process.start(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      stderr=self._complaints, text=True)
        self._lines = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()
        try:
            line = self._line(seconds)
            while not line.startswith("ready "):
                line = self._line(seconds)
            self.about = json.loads(line[len("ready "):])
        except BaseException:
            self.stop()
            raise

    @property
    def pid(self):
        return self._process.pid

    def _read(self):
        try:
            for line in self._process.stdout:
                self._lines.put(line.rstrip("\n"))
        except ValueError:
            pass  # closed by stop()
        self._lines.put(None)

    def _line(self, seconds):
        try:
            line = self._lines.get(timeout=seconds)
        except queue.Empty:
            raise Failed(f"no answer within {seconds:g} s") from None
        if line is None:
            said = self.said().strip().splitlines()
            raise Failed(said[-1][:300] if said else "the runner ended")
        return line

    def said(self):
        """The standard error so far."""
        # Without moving the position in the file, at which the process writes on.
        return os.pread(self._complaints.fileno(), MOST_BYTES, 0).decode(errors="replace")

    def ask(self, command, seconds=ANSWER_SECONDS):
        try:
            self._process.stdin.write(command + "\n")
            self._process.stdin.flush()
        except (BrokenPipeError, ValueError):
            pass  # it ended; _line() says why
        return self._line(seconds)

    def run(self):
        """Milliseconds of one inference."""
        answer = self.ask("run")
        try:
            milliseconds = float(answer)
        except ValueError:
            raise Failed(f"answered {answer}") from None
        if not milliseconds > 0:
            raise Failed(f"answered {answer}")
        return milliseconds

    def stop(self):
        process.kill(self._process)
        self._process.stdin.close()
        self._process.stdout.close()
        self._complaints.close()
