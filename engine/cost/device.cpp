// SPDX-License-Identifier: Apache-2.0
#include "engine/cost/device.h"

#include "engine/cost/device_files.h"
#include "engine/cost/machine_text.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <type_traits>

namespace graphloom {

namespace {

std::vector<Device> readAll()
{
    std::vector<Device> all;
    for (const std::string_view file : deviceFiles) {
        auto device = parseDevice(file);
        assert(device); // a test reads every built-in file
        if (device)
            all.push_back(std::move(*device));
    }
    std::ranges::sort(all, {}, [](const Device &device) {
        return std::pair(device.name != "phone-cpu", std::string_view(device.name));
    });
    return all;
}

} // namespace

namespace {

/// Returns "published: boost clock".
std::string sourceOf(const MachineFigure &figure)
{
    return std::string(nameOf(figure.evidence)) + ": " + figure.source;
}

/// Joins the sources of a figure of several parts: "Cortex-A77: published: ...; ...". If all have
/// the same, it is named once.
std::string joined(const std::vector<std::pair<std::string, std::string>> &sources)
{
    if (sources.empty())
        return {};
    const bool isOne = std::ranges::all_of(
        sources, [&](const auto &source) { return source.second == sources.front().second; });
    if (isOne)
        return sources.front().second;
    std::string text;
    for (const auto &[part, source] : sources)
        text += (text.empty() ? "" : "; ") + part + ": " + source;
    return text;
}

/// Returns the source of a figure of each kind of unit.
std::string sourceOf(const std::vector<UnitKind> &units, MachineFigure UnitKind::*figure)
{
    std::vector<std::pair<std::string, std::string>> sources;
    for (const UnitKind &unit : units)
        sources.emplace_back(unit.name, sourceOf(unit.*figure));
    return joined(sources);
}

/// Returns the source of the bandwidth of a level.
std::string sourceOf(const Machine &machine, const std::string &level)
{
    std::vector<std::pair<std::string, std::string>> sources;
    const auto add = [&](const std::vector<MemoryLevel> &levels, const std::string &of) {
        for (const MemoryLevel &own : levels)
            if (own.name == level)
                sources.emplace_back(of, sourceOf(own.bandwidth));
    };
    add(machine.memory, machine.name);
    for (const UnitKind &unit : machine.units)
        add(unit.memory, unit.name);
    return level + ", " + joined(sources);
}

} // namespace

Device deviceOf(std::shared_ptr<const Machine> machine)
{
    const Machine &from = *machine;
    Device device;
    device.name = from.name;
    device.title = from.title;
    constexpr double mostUnits = 1e9; // of any number of kinds
    double units = 0;
    for (const UnitKind &unit : from.units) {
        units += unit.count.value;
        device.peakFlops += unit.count.value * unit.flops.value;
    }
    device.lanes = int(fastestUnits(from).lanes.value);
    const MemoryLevel &memory = from.memory.back();
    device.units = int(std::min(units, mostUnits));
    device.bandwidth = memory.bandwidth.value;
    device.cacheBandwidth = bandwidthOf(from, from.scratch);
    device.launchSeconds = from.launch.value;
    device.sources = {{"units", sourceOf(from.units, &UnitKind::count)},
                      {"lanes", sourceOf(from.units, &UnitKind::lanes)},
                      {"peak_gflops", sourceOf(from.units, &UnitKind::flops)},
                      {"bandwidth_gb_per_s", sourceOf(memory.bandwidth)},
                      {"cache_gb_per_s", sourceOf(from, from.scratch)},
                      {"launch_us", sourceOf(from.launch)}};
    const auto take = [&](const char *key, const MachineFigure &figure, auto &field) {
        field = std::remove_reference_t<decltype(field)>(figure.value);
        device.sources.emplace_back(key, sourceOf(figure));
    };
    take("cache_line_bytes", *memory.line, device.cacheLineBytes);
    if (from.overlaps)
        take("overlaps", *from.overlaps, device.overlaps);
    if (from.tiles) {
        take("tile", from.tiles->edge, device.tile);
        take("small_tile_share", from.tiles->smallShare, device.smallTileShare);
        take("tile_depth", from.tiles->depth, device.tileDepth);
    }
    if (from.hostLink) {
        take("host_link_gb_per_s", from.hostLink->bandwidth, device.hostLink);
        take("transfer_us", from.hostLink->transfer, device.transferSeconds);
    }
    device.machine = std::move(machine);
    return device;
}

Result<Device> parseDevice(std::string_view json)
{
    GL_TRY_RESULT(machine, parseMachine(json));
    return deviceOf(std::make_shared<const Machine>(*std::move(machine)));
}

std::span<const Device> devices()
{
    static const std::vector<Device> all = readAll();
    return all;
}

std::span<const std::string_view> deviceNames()
{
    static const std::vector<std::string_view> names = [] {
        std::vector<std::string_view> list;
        for (const Device &device : devices())
            list.push_back(device.name);
        return list;
    }();
    return names;
}

const Device *findDevice(std::string_view name)
{
    const auto found = std::ranges::find(devices(), name, &Device::name);
    return found != devices().end() ? &*found : nullptr;
}

std::shared_ptr<const Device> sharedDevice(const Device &described)
{
    return {std::shared_ptr<const Device>(), &described};
}

namespace {

/// Describes how a product is cut into tiles, and its sums into pieces.
struct Tiling {
    double seconds = 0;
    std::int64_t workspace = 0; // bytes of partial results
};

constexpr double leastTile = 16;
constexpr double mostBytes = 0x1p62; // more than any memory

/// Returns the smallest tile edge that covers the extent, or the whole tile.
double edgeOf(const Device &device, double extent)
{
    double edge = leastTile;
    while (edge < extent && edge < device.tile)
        edge *= 2;
    return std::min(edge, double(device.tile));
}

/// Returns the share of its peak speed that a unit reaches on a tile.
double tileShare(const Device &device, double height, double width)
{
    const double most = std::log2(double(device.tile) * device.tile / (leastTile * leastTile));
    if (most <= 0)
        return 1;
    const double part = std::max(0., std::log2(height * width / (leastTile * leastTile))) / most;
    return device.smallTileShare + (1 - device.smallTileShare) * std::min(1., part);
}

Tiling tilingOf(const Device &device, const MatrixWork &product)
{
    const double operations = 2 * product.count * product.rows * product.columns * product.depth;
    // With one row or column it is a matrix-vector product, which reads each weight once.
    if (device.tile == 0 || product.rows < 2 || product.columns < 2)
        return {operations / device.peakFlops, 0};
    const double height = edgeOf(device, product.rows), width = edgeOf(device, product.columns);
    const double tiles =
        product.count * std::ceil(product.rows / height) * std::ceil(product.columns / width);
    const double unitFlops = device.peakFlops / device.units * tileShare(device, height, width);
    const auto with = [&](double pieces) -> Tiling {
        const double waves = std::ceil(tiles * pieces / device.units);
        const double partial = pieces * product.count * product.rows * product.columns * 4;
        return {waves * 2 * height * width * (product.depth / pieces) / unitFlops +
                    (pieces > 1 ? 2 * partial / device.bandwidth : 0),
                pieces > 1 ? std::int64_t(std::min(partial, mostBytes)) : 0};
    };
    const double mostPieces =
        device.tileDepth > 0 ? std::floor(product.depth / device.tileDepth) : 1;
    Tiling best = with(1);
    for (double waves = 1; waves <= 4; ++waves) { // pieces that exactly fill so many waves
        const double pieces = std::min(mostPieces, std::floor(waves * device.units / tiles));
        if (pieces > 1)
            if (const Tiling cut = with(pieces); cut.seconds < best.seconds)
                best = cut;
    }
    return best;
}

/// Returns the bytes/s of the nearest level that holds so many bytes: half of a level is left to
/// what else runs.
double bandwidthFor(const Device &device, double bytes)
{
    constexpr double share = 0.5;
    const Machine &machine = *device.machine;
    for (const UnitKind &unit : machine.units)
        for (const MemoryLevel &own : unit.memory)
            if (own.bytes && bytes <= share * own.bytes->value * unit.count.value)
                return unit.count.value * own.bandwidth.value;
    for (const MemoryLevel &shared : machine.memory)
        if (shared.bytes && bytes <= share * shared.bytes->value)
            return shared.bandwidth.value;
    return device.bandwidth;
}

/// Returns the seconds of a convolution by F(m x m, 3 x 3), with `tiles` tiles: products for each
/// of the (m+2)*(m+2) positions, the transforms of tiles, and weights that are (m+2)*(m+2)/9 as
/// many.
double winogradSeconds(const Device &device, const KernelRates &rates, const WinogradWork &work,
                       int m, double tiles)
{
    const double positions = (m + 2) * (m + 2), channels = work.inputs * work.outputs;
    const double weights = positions * channels * sizeof(float);
    return positions * tiles *
               (2 * channels / rates.products.value +
                (work.inputs + work.outputs) / rates.transforms->value) +
           weights / bandwidthFor(device, weights);
}

double seconds(const Device &device, const KernelRates &rates, const MatrixWork &product)
{
    const double operations = 2 * product.count * product.rows * product.columns * product.depth;
    const bool windows = product.rows < 2 || product.columns < 2;
    const MachineFigure &rate = product.streams ? rates.streams
                                : windows       ? rates.windows
                                                : rates.products;
    double best = operations / rate.value;
    if (rates.transforms && product.winograd &&
        product.winograd->inputs >= fewestWinogradChannels &&
        product.winograd->outputs >= fewestWinogradChannels)
        for (const int m : {2, 4})
            best = std::min(best, winogradSeconds(device, rates, *product.winograd, m,
                                                  m == 2 ? product.winograd->tiles2
                                                         : product.winograd->tiles4));
    return best;
}

double secondsByRates(const Device &device, const KernelRates &rates, const KernelWork &work)
{
    double seconds = device.launchSeconds + (work.flops - work.functions) / rates.operations.value +
                     work.functions / rates.functions.value + work.strided / rates.strided.value +
                     work.bytes / bandwidthFor(device, work.bytes) +
                     work.cacheBytes / device.cacheBandwidth;
    for (const MatrixWork &product : work.products)
        seconds += productSeconds(device, product);
    return seconds;
}

} // namespace

double productSeconds(const Device &device, const MatrixWork &product)
{
    if (const KernelRates *rates = device.rates())
        return seconds(device, *rates, product);
    return tilingOf(device, product).seconds;
}

std::int64_t productWorkspace(const Device &device, const MatrixWork &product)
{
    return tilingOf(device, product).workspace;
}

std::int64_t workspaceBytes(const Device &device, const KernelWork &work)
{
    std::int64_t most = 0; // the products of a kernel run one after the other
    for (const MatrixWork &product : work.products)
        most = std::max(most, productWorkspace(device, product));
    return most;
}

double kernelSeconds(const Device &device, const KernelWork &work)
{
    if (const KernelRates *rates = device.rates())
        return secondsByRates(device, *rates, work);
    double operations = work.flops / device.peakFlops;
    for (const MatrixWork &product : work.products)
        operations += productSeconds(device, product);
    const double memory = work.bytes / device.bandwidth;
    const double both = device.overlaps ? std::max(operations, memory) : operations + memory;
    return device.launchSeconds + both + work.cacheBytes / device.cacheBandwidth;
}

} // namespace graphloom
