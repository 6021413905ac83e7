// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/html/svg_plot.h"

#include "app/batch/markup.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace graphloom {

namespace {

constexpr double plotWidth = 760, plotHeight = 320, leftMargin = 84, rightMargin = 20,
                 topMargin = 52, bottomMargin = 50;
constexpr double plotRight = plotWidth - rightMargin, plotBottom = plotHeight - bottomMargin;

std::string svgNumber(double value)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.1f", value);
    return text;
}

std::string seriesClass(int series)
{
    return "s" + std::to_string(series % 6);
}

std::string svgText(double x, double y, const char *anchor, const std::string &text,
                    const char *more = "")
{
    return "<text x=\"" + svgNumber(x) + "\" y=\"" + svgNumber(y) + "\" text-anchor=\"" + anchor +
           "\"" + more + ">" + escapedMarkup(text) + "</text>\n";
}

std::string svgLine(double x1, double y1, double x2, double y2, const char *kind)
{
    return "<line x1=\"" + svgNumber(x1) + "\" y1=\"" + svgNumber(y1) + "\" x2=\"" + svgNumber(x2) +
           "\" y2=\"" + svgNumber(y2) + "\" class=\"" + kind + "\"/>\n";
}

/// A shape of its own for each series.
std::string svgMark(double x, double y, int series)
{
    const auto at = [&](double dx, double dy) {
        return svgNumber(x + dx) + " " + svgNumber(y + dy);
    };
    std::string path;
    switch (series % 6) {
    case 0:
        return "<circle cx=\"" + svgNumber(x) + "\" cy=\"" + svgNumber(y) + "\" r=\"4\"/>";
    case 1:
        path = "M" + at(-4, -4) + "L" + at(4, -4) + "L" + at(4, 4) + "L" + at(-4, 4);
        break;
    case 2:
        path = "M" + at(0, -5) + "L" + at(5, 4) + "L" + at(-5, 4);
        break;
    case 3:
        path = "M" + at(0, -5) + "L" + at(5, 0) + "L" + at(0, 5) + "L" + at(-5, 0);
        break;
    case 4:
        path = "M" + at(-5, -4) + "L" + at(5, -4) + "L" + at(0, 5);
        break;
    default:
        path = "M" + at(-5, -2) + "L" + at(5, -2) + "L" + at(5, 2) + "L" + at(-5, 2);
    }
    return "<path d=\"" + path + "z\"/>";
}

} // namespace

std::vector<double> ticksBetween(double least, double most, bool binary)
{
    const double raw = (most - least) / 5;
    if (!(raw > 0) || !std::isfinite(raw))
        return {least};
    double step = 0;
    if (binary) {
        step = std::exp2(std::ceil(std::log2(raw)));
    } else {
        const double power = std::pow(10, std::floor(std::log10(raw)));
        step = power * (raw <= power ? 1 : raw <= 2 * power ? 2 : raw <= 5 * power ? 5 : 10);
    }
    std::vector<double> ticks;
    for (double i = std::ceil(least / step - 1e-9); i * step <= most + 1e-9 * step; ++i)
        ticks.push_back(i * step + 0.0); // no -0
    return ticks;
}

SvgPlot::SvgPlot(std::string title, std::string description, Axis x, Axis y)
    : m_title(std::move(title)), m_description(std::move(description)), m_x(std::move(x)),
      m_y(std::move(y)), m_legendX(leftMargin)
{
    for (Axis *axis : {&m_x, &m_y})
        if (!(axis->most > axis->least))
            axis->most = axis->least + 1;
}

double SvgPlot::xOf(double value) const
{
    return leftMargin + (value - m_x.least) / (m_x.most - m_x.least) * (plotRight - leftMargin);
}

double SvgPlot::yOf(double value) const
{
    return plotBottom - (value - m_y.least) / (m_y.most - m_y.least) * (plotBottom - topMargin);
}

void SvgPlot::addName(int series, const std::string &name)
{
    constexpr double letter = 7, row = 18; // about the width and height of one
    const double width = 34 + letter * double(name.size());
    if (m_legendX + width > plotRight && m_legendX > leftMargin) {
        m_legendX = leftMargin;
        m_legendY += row;
    }
    m_legend += "<g class=\"mark " + seriesClass(series) + "\">" +
                svgMark(m_legendX + 6, m_legendY, series) + "</g>" +
                svgText(m_legendX + 16, m_legendY + 4, "start", name);
    m_legendX += width;
}

void SvgPlot::addLine(const Points &points, int series, const std::string &name, bool steps)
{
    std::string path;
    double lastY = 0;
    for (const auto &[x, y] : points) {
        const std::string px = svgNumber(xOf(x)), py = svgNumber(yOf(y));
        if (path.empty())
            path = "M" + px + " " + py;
        else if (steps)
            path += "L" + px + " " + svgNumber(lastY) + "L" + px + " " + py;
        else
            path += "L" + px + " " + py;
        lastY = yOf(y);
    }
    m_content += "<path class=\"curve " + seriesClass(series) + "\" d=\"" + path + "\"/>\n";
    if (!name.empty())
        addName(series, name);
}

void SvgPlot::addMarks(const Points &points, int series, const std::string &name)
{
    m_content += "<g class=\"mark " + seriesClass(series) + "\">";
    for (const auto &[x, y] : points)
        m_content += svgMark(xOf(x), yOf(y), series);
    m_content += "</g>\n";
    addName(series, name);
}

void SvgPlot::addBar(double left, double rightEnd, double height, int series)
{
    m_content += "<rect class=\"bar " + seriesClass(series) + "\" x=\"" + svgNumber(xOf(left)) +
                 "\" y=\"" + svgNumber(yOf(height)) + "\" width=\"" +
                 svgNumber(std::max(1.0, xOf(rightEnd) - xOf(left) - 2)) + "\" height=\"" +
                 svgNumber(plotBottom - yOf(height)) + "\"/>\n";
}

void SvgPlot::addLevel(double y, const std::string &text)
{
    m_content += svgLine(leftMargin, yOf(y), plotRight, yOf(y), "level");
    m_content += svgText(plotRight, yOf(y) - 4, "end", text, " class=\"halo\"");
}

std::string SvgPlot::axes() const
{
    std::string text;
    for (const double tick : ticksBetween(m_y.least, m_y.most, m_y.binary)) {
        text += svgLine(leftMargin, yOf(tick), plotRight, yOf(tick), "grid");
        text += svgText(leftMargin - 6, yOf(tick) + 4, "end", m_y.text(tick));
    }
    for (const double tick : ticksBetween(m_x.least, m_x.most, m_x.binary)) {
        text += svgLine(xOf(tick), plotBottom, xOf(tick), plotBottom + 4, "axis");
        text += svgText(xOf(tick), plotBottom + 18, "middle", m_x.text(tick));
    }
    text += svgLine(leftMargin, plotBottom, plotRight, plotBottom, "axis");
    text += svgText((leftMargin + plotRight) / 2, plotHeight - 10, "middle", m_x.title);
    const std::string middle = svgNumber((topMargin + plotBottom) / 2);
    text += svgText(14, (topMargin + plotBottom) / 2, "middle", m_y.title,
                    (" transform=\"rotate(-90 14 " + middle + ")\"").c_str());
    return text;
}

std::string SvgPlot::svg() const
{
    return "<svg class=\"plot\" role=\"img\" viewBox=\"0 0 " + svgNumber(plotWidth) + " " +
           svgNumber(plotHeight) + "\"><title>" + escapedMarkup(m_title) + "</title><desc>" +
           escapedMarkup(m_description) + "</desc>\n" + axes() + m_content + m_legend + "</svg>\n";
}

} // namespace graphloom
