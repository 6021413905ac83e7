// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/algorithms/winograd_choice.h"

#include "engine/base/integer_division.h"
#include "engine/codegen/algorithms/winograd_convolution.h"
#include "engine/cost/device.h"

#include <algorithm>

namespace graphloom {

std::vector<WinogradCost> winogradCosts(const Nest &nest, const BlockTensors &tensors, int lanes)
{
    const auto parts = winogradConvolutionOf(nest, tensors);
    if (!parts)
        return {};
    const auto extentOf = [&](AxisIndex axis) { return nest.axes[axis].extent; };
    const auto inputs = double(extentOf(parts->inputs)), outputs = double(extentOf(parts->outputs));
    if (inputs < fewestWinogradChannels || outputs < fewestWinogradChannels)
        return {};
    // Assumes a core that computes two vectors of multiply-adds, or three quarters of a vector of
    // values of tiles, per cycle; weights come from the second-level cache, the third or memory, by
    // their size.
    // Memory has a price: each byte beyond a last-level cache must save a tenth of a cycle, or
    // transformed weights would take hundreds of megabytes to save a few percent of the time.
    constexpr double lastLevelBytes = 0x1p25, cyclesPerByte = 0.1;
    const double products = 2.0 * lanes, values = 0.75 * lanes; // per cycle
    const auto weightCycles = [&](double positions) {
        const double bytes = 4 * positions * inputs * outputs;
        return bytes / (bytes > 0x1p23   ? 10
                        : bytes > 0x1p20 ? 20
                                         : 64) +
               cyclesPerByte * std::max(0.0, bytes - lastLevelBytes);
    };
    double batch = 1;
    for (const AxisIndex axis : parts->batch)
        batch *= double(extentOf(axis));
    const double points =
        batch * double(extentOf(parts->position[0]) * extentOf(parts->position[1]));
    std::vector<WinogradCost> costs{
        {0, 0.9 * (points * inputs * outputs * 9 / products + weightCycles(9))}};
    for (const int m : {2, 4}) {
        double tiles = batch;
        for (const AxisIndex axis : parts->position)
            tiles *= double(ceilDiv(extentOf(axis), m));
        const double positions = (m + 2) * (m + 2);
        const double cycles =
            inputs * outputs / products + 2 * (inputs + outputs) / values; // of a tile's position
        costs.push_back({m, positions * tiles * cycles + weightCycles(positions)});
    }
    std::ranges::stable_sort(costs, {}, &WinogradCost::cycles);
    return costs;
}

int chosenWinograd(const Nest &nest, const BlockTensors &tensors, int lanes)
{
    const auto costs = winogradCosts(nest, tensors, lanes);
    return costs.empty() ? 0 : costs.front().m;
}

} // namespace graphloom
