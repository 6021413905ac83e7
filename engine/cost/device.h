// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace graphloom {

/// What the analytic cost model knows of a device; read from resources/devices/*.json.
struct Device {
    std::string name, title;
    int units = 1;              // cores or the like that share the work of a kernel
    int lanes = 1;              // single-precision elements of one vector
    double peakFlops = 0;       // FLOP/s in single precision, of all units together
    double bandwidth = 0;       // bytes/s to memory
    double cacheBandwidth = 0;  // bytes/s to scratch memory, of all units together
    double launchSeconds = 0;   // that a kernel costs whatever it does
    double cacheLineBytes = 64; // what a read of one element moves when its neighbours are not used
    /// Edge of the square tiles of its result that a matrix product is cut into, one for a unit at
    /// a time: a product with one tile more than there are units takes twice as long. 0: work is
    /// shared out evenly.
    int tile = 0;
    /// Share of its speed that a unit reaches on the smallest tiles (of 16 x 16), whose operands
    /// are loaded for few operations; between those and the whole tile it grows with each doubling.
    double smallTileShare = 1;
    /// Least part of a product's sums that is worth a tile of its own, where tiles are too few.
    double tileDepth = 0;
    bool overlaps = false; // operations and transfers of one kernel run at the same time
    /// Bytes/s, each way, to the memory that tensors are swapped out to, beside kernels. 0: none.
    double hostLink = 0;
    double transferSeconds = 0; // that a transfer over that link costs whatever it moves
    /// Where each figure is from.
    std::vector<std::pair<std::string, std::string>> sources;
};

/// Reads a description. Fails (Usage) naming the key that is missing, wrong or unknown.
Result<Device> parseDevice(std::string_view json);

/// The descriptions that come with the program, by name.
std::span<const Device> devices();
/// Their names, in the same order: the choices of a parameter.
std::span<const std::string_view> deviceNames();
/// Null when there is none of this name.
const Device *findDevice(std::string_view name);

/// Products of matrices: `count` of rows x depth with depth x columns. Convolutions are, too.
struct MatrixWork {
    double count = 1, rows = 1, columns = 1, depth = 1;
};

/// What a kernel does.
struct KernelWork {
    double flops = 0;      // scalar operations besides those of `products`
    double bytes = 0;      // to and from memory
    double cacheBytes = 0; // to and from scratch memory
    std::vector<MatrixWork> products = {};
};
/// Seconds of a matrix product alone: waves of tiles, as many at a time as the device has units.
/// Few tiles of long sums are cut along the sums, too, and partial results added.
double productSeconds(const Device &device, const MatrixWork &product);
/// Bytes of the partial results that productSeconds() counts on; 0 where sums are not cut.
std::int64_t productWorkspace(const Device &device, const MatrixWork &product);
/// The largest workspace of a kernel's products.
std::int64_t workspaceBytes(const Device &device, const KernelWork &work);
/// Seconds of a kernel: launch, and operations and bytes, on devices that overlap them what takes
/// longer, else one after the other. Real CPU kernels overlap them in part; without overlap every
/// byte that is saved counts, also beside heavy operations. Modelled.
double kernelSeconds(const Device &device, const KernelWork &work);

} // namespace graphloom
