// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace graphloom {

/// Tells where a figure of a machine is from.
enum class Evidence {
    Published, // by the maker, or by somebody who measured it
    Measured,  // on the machine itself
    Assumed,   // from what similar machines do
};

/// Returns the key that a description has for it: "published".
std::string_view nameOf(Evidence evidence);

/// Holds a figure of a machine in SI units (bytes, seconds, hertz, bytes/s, FLOP/s), and where it
/// is from.
struct MachineFigure {
    double value = 0;
    Evidence evidence = Evidence::Assumed;
    std::string source; // a sentence
};

/// Describes a level of the memory hierarchy.
struct MemoryLevel {
    std::string name;                     // "L2"; a unit reaches no other of that name
    std::optional<MachineFigure> bytes;   // capacity; not given where it does not matter
    MachineFigure bandwidth;              // bytes/s; of one unit, or of all for a shared level
    std::optional<MachineFigure> latency; // seconds of one access
    std::optional<MachineFigure> line;    // bytes that are moved at least
    /// Number of channels of the DMA engine that fills the level. Not given: hardware manages it as
    /// a cache.
    std::optional<MachineFigure> channels;
};

/// Describes units of one kind: the cores or the like that share the work of a kernel.
struct UnitKind {
    std::string name;                       // "Cortex-A77"
    MachineFigure count;                    // how many the machine has
    MachineFigure flops;                    // greatest single-precision FLOP/s of one unit
    std::optional<MachineFigure> clock;     // hertz at which a unit reaches them
    MachineFigure lanes;                    // single-precision elements of one vector
    std::optional<MachineFigure> registers; // number of vector registers
    /// True if it begins instructions in their order: compilers must keep loads and what they load
    /// apart.
    std::optional<MachineFigure> inOrder;
    std::string instructionSet;          // "neon"; empty: none that has a name
    std::string processor;               // "cortex-a77", as compilers name it; empty: unknown
    std::vector<std::string> extensions; // of the instruction set: "fp16", "dotprod", "i8mm"
    std::vector<double> clocks;          // hertz that can be chosen; empty: only `clock`
    std::vector<MemoryLevel> memory;     // levels of each unit, the nearest first
};

/// Describes the link to a memory that tensors can be swapped out to while kernels run.
struct HostLink {
    MachineFigure bandwidth; // bytes/s, each way
    MachineFigure transfer;  // seconds of any transfer, whatever it moves
};

/// Describes how products of matrices are cut into tiles, one for a unit at a time.
struct Tiles {
    MachineFigure edge;       // of the square tiles of the result
    MachineFigure smallShare; // share of its peak that a unit reaches on tiles of 16 x 16
    MachineFigure depth;      // least part of the reduction axis that is worth a tile of its own
};

/// Says how fast the kernels run that a target builds, on all units together: what is left of the
/// peaks once loops have tails, operands must be packed and registers run out. Calibration
/// (engine/target/calibration.h) measures them.
struct KernelRates {
    /// FLOP/s of products of matrices and of convolutions: elements of both operands are used
    /// again.
    MachineFigure products;
    MachineFigure windows;    // FLOP/s of products that use elements of one again: depthwise
    MachineFigure streams;    // FLOP/s of a vector times a matrix, whose elements are used once
    MachineFigure operations; // other scalar operations per second
    MachineFigure functions;  // elementary functions per second: exponentials, roots…
    MachineFigure strided;    // bytes/s of elements that are read or written one by one
    /// How many times as long products take whose vectors hold neighbours in a row, not channels:
    /// with windows of one point, and with larger ones or strides.
    MachineFigure pointRows, windowRows;
    /// Elements per second of tiles that Winograd's algorithm transforms. Not given: the target
    /// does not use that algorithm.
    std::optional<MachineFigure> transforms;
};

/// Holds the description of a machine: its units, their memory levels, and what a kernel costs
/// whatever it does. Read from resources/devices/*.json, or measured by a target.
struct Machine {
    std::string name, title;
    std::vector<UnitKind> units;     // at least one kind
    std::vector<MemoryLevel> memory; // shared levels, the nearest first; the last one is memory
    std::string scratch;             // name of the level that holds what a kernel stages
    MachineFigure launch;            // seconds of any kernel
    /// Not 0: operations and transfers of a kernel run at the same time.
    std::optional<MachineFigure> overlaps;
    /// The most texels of an image that is a buffer. Given where kernels read images faster than
    /// buffers.
    std::optional<MachineFigure> imageTexels;
    std::optional<Tiles> tiles; // not given: work is shared out evenly
    std::optional<HostLink> hostLink;
    std::optional<KernelRates> rates; // not given: kernels run at peak speed
};

/// Returns the kind whose units together are the fastest.
const UnitKind &fastestUnits(const Machine &machine);

/// Returns the kind whose single units are the fastest.
const UnitKind &fastestSingleUnits(const Machine &machine);

/// Returns the machine with as many units, the fastest ones; with all if it has fewer.
Machine withUnits(Machine machine, int count);

/// Returns the sum over all units of the bandwidth of a level in bytes/s; 0 if there is no such
/// level.
double bandwidthOf(const Machine &machine, std::string_view level);

} // namespace graphloom
