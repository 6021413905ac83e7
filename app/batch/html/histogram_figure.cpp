// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/html/figures.h"
#include "app/batch/html/html_text.h"
#include "app/batch/html/svg_plot.h"

#include <algorithm>
#include <cmath>

namespace graphloom {

namespace {

/// Bin i holds weights in [2^i, 2^(i+1)), bin 0 also those below 1.
std::vector<double> weightBins(const nlohmann::ordered_json &partition)
{
    std::vector<double> bins;
    const auto &weights = valueAt(partition, {"weights"});
    if (!weights.is_array())
        return bins;
    for (const auto &weight : weights) {
        const double value = weight.is_number() ? weight.get<double>() : 0;
        const auto bin = std::size_t(value < 1 ? 0 : std::floor(std::log2(value)));
        bins.resize(std::max(bins.size(), bin + 1));
        ++bins[bin];
    }
    return bins;
}

} // namespace

std::string partitionHistogramSvg(const nlohmann::ordered_json &partition)
{
    const std::vector<double> own = weightBins(partition),
                              other = weightBins(valueAt(partition, {"baseline"}));
    if (own.empty())
        return {};
    double most = *std::ranges::max_element(own);
    for (const double count : other)
        most = std::max(most, count);
    const double bins = double(std::max(own.size(), other.size()));
    SvgPlot plot("Subgraphs by weight",
                 "Numbers of subgraphs whose weight is between two powers of two",
                 {"weight (logarithm of base 2)", 0, bins, numberText, false},
                 {"subgraphs", 0, most * 1.05, numberText, false});
    const bool two = !other.empty();
    for (std::size_t i = 0; i < own.size(); ++i)
        if (own[i] > 0)
            plot.addBar(double(i), double(i) + (two ? 0.5 : 1), own[i], 0);
    plot.addName(0, valueText(valueAt(partition, {"method"})));
    for (std::size_t i = 0; i < other.size(); ++i)
        if (other[i] > 0)
            plot.addBar(double(i) + 0.5, double(i) + 1, other[i], 1);
    if (two)
        plot.addName(1, valueText(valueAt(partition, {"baseline", "method"})));
    return plot.svg();
}

} // namespace graphloom
