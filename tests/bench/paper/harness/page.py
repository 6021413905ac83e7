# SPDX-License-Identifier: Apache-2.0
"""Sheets as one HTML page that needs no other file and is readable in light and dark."""
import html

from . import charts
from .sheet import Bars, Lines, Table

STYLE = """
:root { color-scheme: light dark; --text: #1d2430; --back: #ffffff; --soft: #f2f4f7; --rule: #d5dae2;
  --faint: #5c6675; --c0: #2f6fb3; --c1: #d9772b; --c2: #3a8f5c; --c3: #b0455e; --c4: #7d5bb0;
  --c5: #8a7a1f; --c6: #2b8f9e; --c7: #7a7f88; }
@media (prefers-color-scheme: dark) { :root { --text: #e3e7ee; --back: #14181f; --soft: #1d232d;
  --rule: #353d4a; --faint: #9aa5b5; --c0: #6aa9ea; --c1: #f0a05f; --c2: #6fc792; --c3: #e57f97;
  --c4: #b096e0; --c5: #cdbb57; --c6: #62c3d2; --c7: #a5abb5; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--text); background: var(--back);
  max-width: 1100px; margin: 2rem auto; padding: 0 1rem; }
h2 { margin-top: 2.5rem; border-top: 1px solid var(--rule); padding-top: 1rem; }
h3 { font-size: 1rem; margin: 1.2rem 0 .4rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 13px; }
th, td { padding: .2rem .55rem; text-align: right; border-bottom: 1px solid var(--rule);
  white-space: nowrap; }
th { background: var(--soft); vertical-align: bottom; }
th:first-child, td:first-child, td.text { text-align: left; }
th small { display: block; font-weight: normal; color: var(--faint); }
p.faint { color: var(--faint); font-size: 13px; margin: .3rem 0; }
nav a { margin-right: 1rem; }
a { color: var(--c0); }
svg { width: 100%; max-width: 860px; height: auto; font-size: 11px; }
svg text { fill: var(--text); }
svg .grid { stroke: var(--rule); }
svg .line { fill: none; stroke-width: 1.8; }
""" + "".join(f"svg .c{k} {{ fill: var(--c{k}); }} svg .line.c{k} {{ fill: none; stroke: var(--c{k}); }}\n"
              for k in range(charts.COLOURS))


def _table(table):
    heads = "".join(f"<th>{html.escape(column.title)}"
                    + (f"<small>{html.escape(column.source)}</small>" if column.source else "") + "</th>"
                    for column in table.columns)
    rows = "".join("<tr>" + "".join(f"<td{' class=text' if isinstance(cell, str) else ''}>"
                                    f"{html.escape(table.text(c, cell))}</td>"
                                    for c, cell in enumerate(row)) + "</tr>" for row in table.rows)
    provenance = f"<p class=faint>Ours: {html.escape(table.provenance)}</p>" if table.provenance else ""
    return (f"<h3>{html.escape(table.title)}</h3><div class=scroll><table><thead><tr>{heads}</tr></thead>"
            f"<tbody>{rows}</tbody></table></div>{provenance}")


def _part(part):
    if isinstance(part, Table):
        return _table(part) if part.rows else ""
    svg = charts.bars(part) if isinstance(part, Bars) else charts.lines(part) if isinstance(part, Lines) else ""
    return f"<h3>{html.escape(part.title)}</h3>{svg}" if svg else ""


def _section(sheet):
    remarks = [*sheet.notes, *(f"Missing: {reason}" for reason in sheet.missing)]
    if sheet.broken_off:
        remarks.append("Broken off: rows that are not here were not measured.")
    return (f'<section id="{_anchor(sheet)}"><h2>{html.escape(_heading(sheet))}</h2>'
            + "".join(map(_part, sheet.parts))
            + "".join(f"<p class=faint>{html.escape(remark)}</p>" for remark in remarks) + "</section>")


def _anchor(sheet):
    return f"{sheet.paper}-{sheet.kind}-{sheet.number}"


def _heading(sheet):
    return f"{sheet.paper} {sheet.kind.capitalize()} {sheet.number}: {sheet.title}"


def page(sheets, about):
    """The whole page; `about` is a line on machine and program."""
    links = "".join(f'<a href="#{_anchor(sheet)}">{html.escape(sheet.name)}</a>' for sheet in sheets)
    return ("<!doctype html><html lang=en><meta charset=utf-8>"
            '<meta name=viewport content="width=device-width, initial-scale=1">'
            f"<title>Tables and figures of the papers</title><style>{STYLE}</style>"
            f"<h1>Tables and figures of the papers</h1><p>{html.escape(about)}</p><nav>{links}</nav>"
            + "".join(map(_section, sheets)) + "</html>\n")
