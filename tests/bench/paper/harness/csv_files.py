# SPDX-License-Identifier: Apache-2.0
"""Sheets as CSV, a file for each table."""
import csv


def names(sheet):
    """The file name of each table."""
    start = f"{sheet.paper}-{sheet.kind}-{sheet.number}"
    count = len(sheet.tables())
    return [f"{start}.csv" if count == 1 else f"{start}-{k + 1}.csv" for k in range(count)]


def rows(table):
    """Numbers in full, with the provenance of ours in each row."""
    yield [column.heading for column in table.columns] + ["provenance of ours"]
    for row in table.rows:
        yield ["" if cell is None else cell for cell in row] + [table.provenance]


def write(sheet, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name, table in zip(names(sheet), sheet.tables()):
        with open(folder / name, "w", newline="") as file:
            csv.writer(file).writerows(rows(table))
