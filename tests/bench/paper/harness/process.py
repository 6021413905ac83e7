# SPDX-License-Identifier: Apache-2.0
"""Programs that end with whoever waits for them."""
import os
import signal
import subprocess

from .failures import Failed


def kill(process):
    """Ends a process that start() has started, and all that it has started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def start(words, **options):
    """Starts a program in a group of its own: Ctrl+C is for the bench, which decides what to end."""
    return subprocess.Popen([str(word) for word in words], start_new_session=True, **options)


def reason(said):
    """The line that tells why a program has failed: Graphloom's first one, the last one of others."""
    lines = said.splitlines()
    ours = [line for line in lines if line.startswith("graphloom: ")]
    return (ours[0].removeprefix("graphloom: ") if ours else lines[-1] if lines else "")[:300]


def run(words, seconds, environment=None):
    """Standard output of a program; throws with the reason when it fails or is late."""
    with start(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
               text=True, env=environment) as process:
        try:
            output, complaints = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            kill(process)
            raise Failed(f"no result within {seconds:g} s") from None
        except BaseException:
            kill(process)
            raise
    if process.returncode != 0:
        raise Failed(reason(complaints.strip() or output.strip()) or f"exit code {process.returncode}")
    return output
