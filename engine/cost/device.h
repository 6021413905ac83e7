// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"
#include "engine/cost/machine.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace graphloom {

/// Holds what the analytic cost model knows of a device. The figures are derived from the
/// description of the machine.
struct Device {
    std::string name, title;
    /// What builds plans for it and runs them, with the device there: "host:avx2". Empty: nothing
    /// does; the device is only described.
    std::string target;
    /// Everything that the time of a kernel on it depends on besides the number of threads:
    /// processor, instruction set, compiler. Empty: the name stands for it.
    std::string fingerprint;
    /// The description. Null: the figures were made without one.
    std::shared_ptr<const Machine> machine;
    int units = 1;              // cores or the like that share the work of a kernel
    int lanes = 1;              // single-precision elements of one vector of the fastest kind
    double peakFlops = 0;       // FLOP/s in single precision, of all units together
    double bandwidth = 0;       // bytes/s to memory
    double cacheBandwidth = 0;  // bytes/s to scratch memory, of all units together
    double launchSeconds = 0;   // cost of any kernel, whatever it does
    double cacheLineBytes = 64; // moved by a read of one element whose neighbours are unused
    /// Edge of the square tiles of its result that a matrix product is cut into, one for a unit at
    /// a time: a product with one tile more than there are units takes twice as long. 0: work is
    /// shared out evenly.
    int tile = 0;
    /// Share of its peak speed that a unit reaches on the smallest tiles (16 x 16), whose operands
    /// are loaded for few operations; from those up to the whole tile it grows with each doubling.
    double smallTileShare = 1;
    /// Least part of a product's reduction axis that is worth a tile of its own, if tiles are too
    /// few.
    double tileDepth = 0;
    bool overlaps = false; // operations and transfers of one kernel run at the same time
    /// Bytes/s, each way, to the memory that tensors are swapped out to while kernels run. 0: none.
    double hostLink = 0;
    double transferSeconds = 0; // cost of any transfer over that link, whatever it moves
    /// Source of each figure, by the key that lists of devices have for it.
    std::vector<std::pair<std::string, std::string>> sources;

    /// Returns the rates of kernels; null if they are not known.
    const KernelRates *rates() const
    {
        return machine && machine->rates ? &*machine->rates : nullptr;
    }
};

/// Derives the figures of the cost model from a description: sums over the units, the bandwidth of
/// the last level as that to memory, that of the level for scratch as that to the cache.
Device deviceOf(std::shared_ptr<const Machine> machine);
/// Parses a description and derives the figures. Fails as parseMachine() does.
Result<Device> parseDevice(std::string_view json);

/// Returns the descriptions that come with the program, by name, except that the first one stands
/// for phones: plans are made for it if no other device is known.
std::span<const Device> devices();
/// Returns their names, in the same order: the choices of a parameter.
std::span<const std::string_view> deviceNames();
/// Returns the device of this name; null if there is none.
const Device *findDevice(std::string_view name);
/// Returns one of devices(), which live as long as the program, as plans hold it.
std::shared_ptr<const Device> sharedDevice(const Device &described);

/// Counts what F(m x m, 3 x 3) makes of a convolution with `inputs` and `outputs` channels
/// (Winograd's minimal filtering; Lavin and Gray, 2016).
struct WinogradWork {
    double inputs = 0, outputs = 0;
    double tiles2 = 0, tiles4 = 0; // of m x m results, for m = 2 and 4
};

/// Channels, read or written, below which Winograd's algorithm is not used: transforms run along
/// them, a vector at a time.
inline constexpr double fewestWinogradChannels = 8;

/// Describes products of matrices: `count` products of rows x depth with depth x columns.
/// Convolutions are described in the same way.
struct MatrixWork {
    double count = 1, rows = 1, columns = 1, depth = 1;
    /// Tells whether each element of one operand is used once only: a vector times a matrix.
    bool streams = false;
    std::optional<WinogradWork> winograd = std::nullopt; // if it may be computed so
};

/// Describes the work of a kernel.
struct KernelWork {
    double flops = 0;      // scalar operations besides those of `products`
    double bytes = 0;      // to and from memory
    double cacheBytes = 0; // to and from scratch memory
    std::vector<MatrixWork> products = {};
    double functions = 0; // elementary functions among `flops`: exponentials, roots…
    double strided = 0;   // bytes of elements that are read or written one by one
};
/// Returns the seconds of a matrix product alone: waves of tiles, as many tiles at a time as the
/// device has units. Few tiles with a long reduction axis are cut along that axis, too, and partial
/// results added.
double productSeconds(const Device &device, const MatrixWork &product);
/// Returns the bytes of the partial results that productSeconds() assumes; 0 if the reduction axis
/// is not cut.
std::int64_t productWorkspace(const Device &device, const MatrixWork &product);
/// Returns the largest workspace of a kernel's products.
std::int64_t workspaceBytes(const Device &device, const KernelWork &work);
/// Returns the modelled seconds of a kernel: launch, operations and bytes. On devices that overlap
/// operations and bytes the longer of the two counts, otherwise their sum. Real CPU kernels overlap
/// them in part; without overlap every byte that is saved counts, even beside heavy operations.
///
/// If the machine has rates of kernels, operations take as long as these say, and bytes go through
/// the nearest level that holds them; otherwise operations run at peak speed, and bytes go through
/// memory.
double kernelSeconds(const Device &device, const KernelWork &work);

} // namespace graphloom
