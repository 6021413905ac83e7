# SPDX-License-Identifier: Apache-2.0
"""What plan_runner says about tuning a plan."""
import re

SAID = re.compile(r"^(\d+) blocks before, (\d+) tuned, (\d+) trials in ([0-9.]+) s$", re.MULTILINE)


def of(said):
    """Blocks before and after, trials and seconds; None if nothing was tuned."""
    found = SAID.search(said)
    if found is None:
        return None
    before, after, trials = map(int, found.groups()[:3])
    return {"before": before, "after": after, "trials": trials, "seconds": float(found.group(4))}
