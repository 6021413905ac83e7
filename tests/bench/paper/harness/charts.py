# SPDX-License-Identifier: Apache-2.0
"""Charts as SVG. Colours are classes of the page's style sheet, which has light and dark ones."""
import html
import math

WIDTH, HEIGHT = 860, 320
LEFT, RIGHT, TOP, BOTTOM = 62, 12, 14, 84
LINE = 16  # of a legend
COLOURS = 8  # classes c0 to c7
WIDEST_BAR = 48


def ticks(least, most, count=5):
    """Round numbers that cover a range."""
    if most <= least:
        most = least + 1
    step = 10 ** math.floor(math.log10((most - least) / count))
    for factor in (1, 2, 5, 10):
        if (most - least) / (step * factor) <= count:
            step *= factor
            break
    first = math.floor(least / step + 1e-9)
    last = math.ceil(most / step - 1e-9)
    return [k * step for k in range(first, last + 1)]


def powers(least, most):
    """Powers of ten that cover a range of positive numbers."""
    return [10.0 ** k for k in range(math.floor(math.log10(least)), math.ceil(math.log10(most)) + 1)]


def _number(value):
    return f"{value:.3g}"


def _text(x, y, text, anchor="middle", extra=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{extra}>{html.escape(text)}</text>'


def _axis(marks, to_y, unit):
    parts = [f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{to_y(mark):.1f}" '
             f'y2="{to_y(mark):.1f}"/>' + _text(LEFT - 6, to_y(mark) + 4, _number(mark), "end")
             for mark in marks]
    middle = TOP + (HEIGHT - TOP - BOTTOM) / 2
    parts.append(_text(14, middle, unit, extra=f' transform="rotate(-90 14 {middle:.1f})"'))
    return parts


def _legend(names):
    """Marks and names of the series, and how many lines they take."""
    parts, x, y = [], LEFT, HEIGHT - 12
    for number, name in enumerate(names):
        width = 30 + 6.5 * len(name)
        if x + width > WIDTH and x > LEFT:
            x, y = LEFT, y + LINE
        parts.append(f'<rect class="c{number % COLOURS}" x="{x:.1f}" y="{y - 9}" width="10" height="10"/>')
        parts.append(_text(x + 14, y, name, "start"))
        x += width
    return parts, (y - HEIGHT + 12) // LINE + 1


def _svg(title, parts, names):
    legend, rows = _legend(names)
    height = HEIGHT + LINE * (rows - 1)
    return (f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{html.escape(title, quote=True)}">'
            + "".join(parts + legend) + "</svg>")


def bars(chart):
    """Groups of bars with their values as tooltips; nothing if there are no values."""
    values = [v for list_ in chart.series.values() for v in list_ if v is not None]
    if not values or (chart.logarithmic and min(values) <= 0):
        return ""
    marks = powers(min(values) / 1.01, max(values)) if chart.logarithmic else \
        ticks(min(0, *values), max(0, *values))
    scale = math.log10 if chart.logarithmic else float
    low, high = scale(marks[0]), scale(marks[-1])

    def to_y(value):
        return HEIGHT - BOTTOM - (scale(value) - low) / (high - low or 1) * (HEIGHT - TOP - BOTTOM)
    base = to_y(marks[0] if chart.logarithmic else 0)
    group = (WIDTH - LEFT - RIGHT) / len(chart.categories)
    width = min(0.8 * group / len(chart.series), WIDEST_BAR)
    parts = _axis(marks, to_y, chart.unit)
    slanted = group < 80 and max(map(len, chart.categories)) * 6.5 > group
    for k, category in enumerate(chart.categories):
        x = LEFT + (k + 0.5) * group
        y = HEIGHT - BOTTOM + 16
        parts.append(_text(x, y, category, "end" if slanted else "middle",
                           f' transform="rotate(-20 {x:.1f} {y})"' if slanted else ""))
    for number, (name, list_) in enumerate(chart.series.items()):
        for k, value in enumerate(list_):
            if value is None:
                continue
            x = LEFT + (k + 0.5) * group + (number - len(chart.series) / 2) * width
            top, bottom = sorted((to_y(value), base))
            tip = html.escape(f"{chart.categories[k]}, {name}: {_number(value)} {chart.unit}")
            parts.append(f'<rect class="c{number % COLOURS}" x="{x:.1f}" y="{top:.1f}" '
                         f'width="{max(1, width - 1):.1f}" height="{max(0.5, bottom - top):.1f}">'
                         f"<title>{tip}</title></rect>")
    return _svg(chart.title, parts, chart.series)


def lines(chart):
    """Lines and dots; nothing if there are no points."""
    points = [point for list_ in chart.series.values() for point in list_]
    if not points:
        return ""
    xs = ticks(min(x for x, _ in points), max(x for x, _ in points), 8)
    ys = ticks(min(y for _, y in points), max(y for _, y in points))

    def to_x(value):
        return LEFT + (value - xs[0]) / (xs[-1] - xs[0] or 1) * (WIDTH - LEFT - RIGHT)

    def to_y(value):
        return HEIGHT - BOTTOM - (value - ys[0]) / (ys[-1] - ys[0] or 1) * (HEIGHT - TOP - BOTTOM)
    parts = _axis(ys, to_y, chart.y)
    parts += [_text(to_x(x), HEIGHT - BOTTOM + 16, _number(x)) for x in xs]
    parts.append(_text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - BOTTOM + 32, chart.x))
    for number, (name, list_) in enumerate(chart.series.items()):
        colour = f"c{number % COLOURS}"
        if name not in chart.dots and len(list_) > 1:
            path = f"M{to_x(list_[0][0]):.1f} {to_y(list_[0][1]):.1f}"
            for x, y in list_[1:]:
                path += f"H{to_x(x):.1f}V{to_y(y):.1f}" if chart.steps else f"L{to_x(x):.1f} {to_y(y):.1f}"
            parts.append(f'<path class="line {colour}" d="{path}"/>')
        if name in chart.dots or len(list_) <= 60:
            for x, y in list_:
                tip = html.escape(f"{name}: {chart.x} {_number(x)}, {chart.y} {_number(y)}")
                parts.append(f'<circle class="{colour}" cx="{to_x(x):.1f}" cy="{to_y(y):.1f}" r="2.6">'
                             f"<title>{tip}</title></circle>")
    return _svg(chart.title, parts, chart.series)
