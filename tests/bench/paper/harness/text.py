# SPDX-License-Identifier: Apache-2.0
"""Sheets as plain text."""
import textwrap

WIDTH = 110
MOST_ROWS = 60  # of a table; longer ones are for charts, and in the CSV as a whole


def shown(rows):
    """Some of too many rows, evenly, with the last."""
    if len(rows) <= MOST_ROWS:
        return rows
    return [rows[round(k * (len(rows) - 1) / (MOST_ROWS // 2 - 1))] for k in range(MOST_ROWS // 2)]


def table_lines(table):
    heads = [column.heading for column in table.columns]
    cells = [[table.text(c, cell) for c, cell in enumerate(row)] for row in shown(table.rows)]
    # A heading of two words takes two lines, so that figures stay close to each other.
    split = [head.rsplit(" (", 1) for head in heads]
    above = [part[0] for part in split]
    below = ["(" + part[1] if len(part) > 1 else "" for part in split]
    widths = [max(map(len, column)) for column in zip(above, below, *cells)]
    left = [c == 0 or all(not isinstance(row[c], (int, float)) and row[c] is not None for row in table.rows)
            for c in range(len(heads))] if table.rows else [True] * len(heads)

    def line(texts):
        return "  ".join(text.ljust(width) if to_left else text.rjust(width)
                         for text, width, to_left in zip(texts, widths, left)).rstrip()
    rule = "  ".join("-" * width for width in widths)
    return [line(above), *([line(below)] if any(below) else []), rule, *map(line, cells)]


def _remark(label, text):
    return textwrap.wrap(f"{label}: {text}", WIDTH, subsequent_indent="  ")


def lines(sheet):
    out = [f"{sheet.name.replace('figure', 'Figure').replace('table', 'Table')}: {sheet.title}"]
    out.append("=" * len(out[0]))
    tables = [table for table in sheet.tables() if table.rows]
    for table in tables:
        left_out = len(table.rows) - len(shown(table.rows))
        more = f" ({left_out} of {len(table.rows)} rows are only in the CSV)" if left_out else ""
        out += ["", table.title + more, *table_lines(table)]
        if table.provenance:
            out += _remark("ours", table.provenance)
    out += [""] if tables else []
    for note in sheet.notes:
        out += _remark("note", note)
    for reason in sheet.missing:
        out += _remark("missing", reason)
    if sheet.broken_off:
        out.append("broken off: rows that are not here were not measured")
    return out
