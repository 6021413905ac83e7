# SPDX-License-Identifier: Apache-2.0
"""Measured rows in a file of JSON lines, so that a run that was broken off goes on where it was."""
import json


def text_of(key):
    """The same text for equal keys, whatever the order of their entries."""
    return json.dumps(key, sort_keys=True, separators=(",", ":"))


class Keep:
    """Values by key. With a path, each is written at once; a later line replaces an earlier one."""

    def __init__(self, path=None):
        self.path = path
        self.values = {}
        self.reused = 0
        if path is not None and path.exists():
            for line in path.read_text().splitlines():
                try:
                    row = json.loads(line)
                    self.values[text_of(row["key"])] = row["value"]
                except (ValueError, KeyError, TypeError):
                    continue  # cut off while it was written: it is measured again

    def get(self, key):
        """The value of a key, or None."""
        value = self.values.get(text_of(key))
        self.reused += value is not None
        return value

    def put(self, key, value):
        self.values[text_of(key)] = value
        if self.path is None:
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        # A line that was cut off has no end: what follows it must not become part of it.
        cut = self.path.exists() and self.path.stat().st_size > 0 and self._last_byte() != b"\n"
        with open(self.path, "a") as file:
            file.write(("\n" if cut else "") + json.dumps({"key": key, "value": value}) + "\n")

    def _last_byte(self):
        with open(self.path, "rb") as file:
            file.seek(-1, 2)
            return file.read(1)
