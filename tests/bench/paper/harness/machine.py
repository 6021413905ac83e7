# SPDX-License-Identifier: Apache-2.0
"""What this machine is called, and whether its processor counts events."""
import os
import platform
import re
import shutil
import subprocess


def cpu_name():
    try:
        with open("/proc/cpuinfo") as file:
            found = re.search(r"^model name\s*:\s*(.+)$", file.read(), re.MULTILINE)
    except OSError:
        found = None
    return found.group(1).strip() if found else platform.processor() or "unknown processor"


def processors():
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0))


def events_of(text):
    """Counts by event of `perf stat -x,`; an event that is not counted has None."""
    counts = {}
    for line in text.splitlines():
        fields = line.split(",")
        if len(fields) > 2 and fields[2]:
            counts[fields[2]] = int(fields[0]) if fields[0].isdigit() else None
    return counts


def why_no_events(events):
    """The reason why `perf` does not count these events here, or None if it does."""
    if shutil.which("perf") is None:
        return "perf is not installed"
    done = subprocess.run(["perf", "stat", "-x,", "-e", ",".join(events), "true"], capture_output=True,
                          text=True, check=False)
    counts = events_of(done.stderr)
    left = [event for event in events if counts.get(event) is None]
    if left:
        return f"perf does not count {', '.join(left)} on this machine (a virtual machine, as a rule)"
    return None
