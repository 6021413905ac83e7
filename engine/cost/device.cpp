// SPDX-License-Identifier: Apache-2.0
#include "engine/cost/device.h"

#include "engine/cost/device_files.h"
#include "engine/system/json_text.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <nlohmann/json.hpp>

namespace graphloom {

namespace {

using DeviceJson = nlohmann::json;

struct Key {
    const char *name;
    double Device::*field;
    double scale; // from the file's unit to the field's
    bool optional = false;
};
constexpr Key keys[] = {{"peak_gflops", &Device::peakFlops, 1e9},
                        {"bandwidth_gb_per_s", &Device::bandwidth, 1e9},
                        {"cache_gb_per_s", &Device::cacheBandwidth, 1e9},
                        {"launch_us", &Device::launchSeconds, 1e-6},
                        {"cache_line_bytes", &Device::cacheLineBytes, 1},
                        {"tile_depth", &Device::tileDepth, 1, true},
                        {"small_tile_share", &Device::smallTileShare, 1, true},
                        {"host_link_gb_per_s", &Device::hostLink, 1e9, true},
                        {"transfer_us", &Device::transferSeconds, 1e-6, true}};

std::vector<Device> readAll()
{
    std::vector<Device> all;
    for (const std::string_view file : deviceFiles) {
        auto device = parseDevice(file);
        assert(device); // a test reads every built-in file
        if (device)
            all.push_back(std::move(*device));
    }
    std::ranges::sort(all, {}, &Device::name);
    return all;
}

} // namespace

Result<Device> parseDevice(std::string_view text)
{
    const DeviceJson json = jsonOf(text);
    if (!json.is_object())
        return fail(Error::Kind::Usage, "a device description must be a JSON object");
    Device device;
    const std::string where = json.contains("name") && json["name"].is_string()
                                  ? "device \"" + json["name"].get<std::string>() + "\""
                                  : "device description";
    for (const auto &[name, field] :
         {std::pair{"name", &Device::name}, {"title", &Device::title}}) {
        if (!json.contains(name) || !json[name].is_string())
            return fail(Error::Kind::Usage, "\"" + std::string(name) + "\" must be a string",
                        where);
        device.*field = json[name].get<std::string>();
    }
    for (const Key &key : keys) {
        if (key.optional && !json.contains(key.name))
            continue;
        if (!json.contains(key.name) || !json[key.name].is_number() ||
            !(json[key.name].get<double>() > 0))
            return fail(Error::Kind::Usage,
                        "\"" + std::string(key.name) + "\" must be a number greater than 0", where);
        device.*key.field = json[key.name].get<double>() * key.scale;
    }
    for (const auto &[name, field] :
         {std::pair{"units", &Device::units}, {"lanes", &Device::lanes}, {"tile", &Device::tile}}) {
        if (field == &Device::tile && !json.contains(name))
            continue;
        if (!json.contains(name) || !json[name].is_number_integer() || json[name] < 1)
            return fail(Error::Kind::Usage,
                        "\"" + std::string(name) + "\" must be a whole number greater than 0",
                        where);
        device.*field = json[name].get<int>();
    }
    if (device.smallTileShare > 1)
        return fail(Error::Kind::Usage, "\"small_tile_share\" must not be greater than 1", where);
    if (json.contains("overlaps")) {
        if (!json["overlaps"].is_boolean())
            return fail(Error::Kind::Usage, "\"overlaps\" must be true or false", where);
        device.overlaps = json["overlaps"].get<bool>();
    }
    for (const auto &[name, value] : json.items()) {
        const bool known = name == "name" || name == "title" || name == "units" ||
                           name == "lanes" || name == "tile" || name == "overlaps" ||
                           name == "sources" || std::ranges::count(keys, name, &Key::name);
        if (!known)
            return fail(Error::Kind::Usage, "unknown key \"" + name + "\"", where);
    }
    if (json.contains("sources"))
        for (const auto &[name, value] : json["sources"].items())
            device.sources.emplace_back(name, value.is_string() ? value.get<std::string>() : "");
    return device;
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

} // namespace

double productSeconds(const Device &device, const MatrixWork &product)
{
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
    double operations = work.flops / device.peakFlops;
    for (const MatrixWork &product : work.products)
        operations += productSeconds(device, product);
    const double memory = work.bytes / device.bandwidth;
    const double both = device.overlaps ? std::max(operations, memory) : operations + memory;
    return device.launchSeconds + both + work.cacheBytes / device.cacheBandwidth;
}

} // namespace graphloom
