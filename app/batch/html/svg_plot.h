// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace graphloom {

/// A chart with two axes as an SVG element. Colours are classes of the page (series s0, s1…), so
/// that they follow its theme; series differ in dashes and marks, too.
class SvgPlot {
public:
    struct Axis {
        std::string title;
        double least = 0, most = 1;
        /// How a value is written at a tick.
        std::function<std::string(double)> text;
        bool binary = false; // ticks at 1, 2, 4, 8 times a power of 1024, for bytes
    };
    using Points = std::vector<std::pair<double, double>>;

    /// `title` and `description` are what is read out in place of the picture.
    SvgPlot(std::string title, std::string description, Axis x, Axis y);

    /// Joined by straight lines; or as steps, each value holding until the next. Without a name it
    /// has no place in the legend.
    void addLine(const Points &points, int series, const std::string &name, bool steps = false);
    /// A mark of its own shape at each point.
    void addMarks(const Points &points, int series, const std::string &name);
    /// A bar from the x axis, from `left` to `right` in units of the axis.
    void addBar(double left, double right, double height, int series);
    /// What a bar's series is called.
    void addName(int series, const std::string &name);
    /// A line across at a height, with a text at its right end.
    void addLevel(double y, const std::string &text);

    std::string svg() const;

private:
    double xOf(double value) const;
    double yOf(double value) const;
    std::string axes() const;

    std::string m_title, m_description;
    Axis m_x, m_y;
    std::string m_content, m_legend;
    double m_legendX = 0, m_legendY = 14;
};

/// Values for ticks between two ends: about five, at 1, 2 or 5 times a power of ten; or with
/// `binary` at powers of two in units of 1024.
std::vector<double> ticksBetween(double least, double most, bool binary);

} // namespace graphloom
