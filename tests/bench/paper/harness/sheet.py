# SPDX-License-Identifier: Apache-2.0
"""What an entry fills: tables, charts and remarks. It is filled row by row, so that what was measured
before an interruption is there."""
from dataclasses import dataclass, field


@dataclass
class Column:
    title: str
    source: str = ""  # "paper", or the provenance of our figures: "host", "modelled"
    format: str = "{:.3g}"

    @property
    def heading(self):
        return f"{self.title} ({self.source})" if self.source else self.title


@dataclass
class Table:
    title: str
    columns: list
    provenance: str = ""  # of our figures: processor, threads, how often
    rows: list = field(default_factory=list)

    def add(self, *cells):
        if len(cells) != len(self.columns):
            raise ValueError(f"{len(cells)} cells for {len(self.columns)} columns of {self.title}")
        self.rows.append(list(cells))

    def text(self, column, cell):
        """A cell as it is shown: a dash stands for what there is not."""
        if cell is None:
            return "-"
        if isinstance(cell, bool):
            return "yes" if cell else "no"
        if isinstance(cell, (int, float)):
            return f"{cell:,}" if isinstance(cell, int) else self.columns[column].format.format(cell)
        return str(cell)


@dataclass
class Bars:
    """Groups of bars: a value of each series for each category, or None."""
    title: str
    unit: str
    categories: list = field(default_factory=list)
    series: dict = field(default_factory=dict)  # name: values
    logarithmic: bool = False

    def add(self, category, values):
        """Values by series; a series that is new has had none so far."""
        for name in values:
            self.series.setdefault(name, [None] * len(self.categories))
        self.categories.append(category)
        for name, list_ in self.series.items():
            list_.append(values.get(name))


@dataclass
class Lines:
    """Series of points. A series in `dots` is shown without a line."""
    title: str
    x: str
    y: str
    series: dict = field(default_factory=dict)  # name: [(x, y)]
    dots: set = field(default_factory=set)
    steps: bool = False  # a value holds until the next


@dataclass
class Sheet:
    paper: str
    kind: str  # "table" or "figure"
    number: int
    title: str
    parts: list = field(default_factory=list)  # tables and charts, in order
    notes: list = field(default_factory=list)
    missing: list = field(default_factory=list)
    broken_off: bool = False

    @property
    def name(self):
        return f"{self.paper} {self.kind} {self.number}"

    def put(self, part):
        self.parts.append(part)
        return part

    def note(self, text):
        if text not in self.notes:
            self.notes.append(text)

    def miss(self, text):
        if text not in self.missing:
            self.missing.append(text)

    def tables(self):
        return [part for part in self.parts if isinstance(part, Table)]


@dataclass
class Entry:
    """One table or figure of a paper. `fill(context, sheet)` fills its sheet."""
    kind: str
    number: int
    title: str
    fill: object
