// SPDX-License-Identifier: Apache-2.0
#pragma once

// The keys of a description, of which its reader, its writer and the schema of the help are made.
#include "engine/cost/machine.h"

#include <utility>

namespace graphloom::machine_keys {

inline constexpr std::pair<Evidence, std::string_view> evidenceNames[] = {
    {Evidence::Published, "published"},
    {Evidence::Measured, "measured"},
    {Evidence::Assumed, "assumed"}};

/// Which values a figure may have.
enum class Range { Positive, Whole, Count, Share, Truth };
/// Bounds of numbers in SI units, beyond which sums and products would overflow, and of counts.
inline constexpr double leastFigure = 1e-30, mostFigure = 1e30, mostWhole = 0x1p53, mostCount = 1e6;

/// Describes a key whose value is a figure.
template <class Part> struct FigureKey {
    const char *name;
    double scale; // from the file's unit to the field's
    Range range;
    const char *meaning;
    MachineFigure Part::*field = nullptr;
    std::optional<MachineFigure> Part::*optional = nullptr; // if there is no `field`
};

inline constexpr double giga = 1e9, micro = 1e-6, nano = 1e-9;

inline constexpr FigureKey<MemoryLevel> levelKeys[] = {
    {.name = "bytes",
     .scale = 1,
     .range = Range::Whole,
     .meaning = "capacity",
     .optional = &MemoryLevel::bytes},
    {.name = "bandwidth_gb_per_s",
     .scale = giga,
     .range = Range::Positive,
     .meaning = "bandwidth of one unit to its own level, or of all units together to a shared one",
     .field = &MemoryLevel::bandwidth},
    {.name = "latency_ns",
     .scale = nano,
     .range = Range::Positive,
     .meaning = "time of one access",
     .optional = &MemoryLevel::latency},
    {.name = "line_bytes",
     .scale = 1,
     .range = Range::Count,
     .meaning = "least that is moved: a read of one element moves its neighbours, too",
     .optional = &MemoryLevel::line},
    {.name = "dma_channels",
     .scale = 1,
     .range = Range::Count,
     .meaning = "channels of the DMA engine that fills the level; without it hardware manages the "
                "level as a cache",
     .optional = &MemoryLevel::channels}};

inline constexpr FigureKey<UnitKind> unitKeys[] = {
    {.name = "count",
     .scale = 1,
     .range = Range::Count,
     .meaning = "number of units of this kind",
     .field = &UnitKind::count},
    {.name = "gflops",
     .scale = giga,
     .range = Range::Positive,
     .meaning = "greatest single-precision GFLOP/s of one unit; a multiply-add counts two",
     .field = &UnitKind::flops},
    {.name = "clock_ghz",
     .scale = giga,
     .range = Range::Positive,
     .meaning = "clock at which a unit reaches them",
     .optional = &UnitKind::clock},
    {.name = "lanes",
     .scale = 1,
     .range = Range::Count,
     .meaning = "single-precision elements of one vector",
     .field = &UnitKind::lanes},
    {.name = "registers",
     .scale = 1,
     .range = Range::Count,
     .meaning = "number of vector registers",
     .optional = &UnitKind::registers},
    {.name = "in_order",
     .scale = 1,
     .range = Range::Truth,
     .meaning = "true if a unit begins instructions in their order",
     .optional = &UnitKind::inOrder}};

inline constexpr FigureKey<HostLink> linkKeys[] = {
    {.name = "bandwidth_gb_per_s",
     .scale = giga,
     .range = Range::Positive,
     .meaning = "bandwidth, each way",
     .field = &HostLink::bandwidth},
    {.name = "transfer_us",
     .scale = micro,
     .range = Range::Positive,
     .meaning = "time of any transfer, whatever it moves",
     .field = &HostLink::transfer}};

inline constexpr FigureKey<Tiles> tileKeys[] = {
    {.name = "edge",
     .scale = 1,
     .range = Range::Count,
     .meaning = "edge of the square tiles of its result that a product of matrices is cut into",
     .field = &Tiles::edge},
    {.name = "small_share",
     .scale = 1,
     .range = Range::Share,
     .meaning = "share of its peak that a unit reaches on tiles of 16 x 16",
     .field = &Tiles::smallShare},
    {.name = "depth",
     .scale = 1,
     .range = Range::Count,
     .meaning = "least part of the reduction axis that is worth a tile of its own",
     .field = &Tiles::depth}};

inline constexpr FigureKey<KernelRates> rateKeys[] = {
    {.name = "product_gflops",
     .scale = giga,
     .range = Range::Positive,
     .meaning = "GFLOP/s of products of matrices and of convolutions",
     .field = &KernelRates::products},
    {.name = "window_gflops",
     .scale = giga,
     .range = Range::Positive,
     .meaning = "GFLOP/s of depthwise convolutions, which use elements of one operand again",
     .field = &KernelRates::windows},
    {.name = "stream_gflops",
     .scale = giga,
     .range = Range::Positive,
     .meaning = "GFLOP/s of a vector times a matrix, whose elements are used once",
     .field = &KernelRates::streams},
    {.name = "giga_operations",
     .scale = giga,
     .range = Range::Positive,
     .meaning = "other scalar operations a second, in 10^9",
     .field = &KernelRates::operations},
    {.name = "giga_functions",
     .scale = giga,
     .range = Range::Positive,
     .meaning = "elementary functions (exponentials, roots) a second, in 10^9",
     .field = &KernelRates::functions},
    {.name = "strided_gb_per_s",
     .scale = giga,
     .range = Range::Positive,
     .meaning = "rate of reading or writing elements one by one",
     .field = &KernelRates::strided},
    {.name = "point_rows",
     .scale = 1,
     .range = Range::Positive,
     .meaning =
         "how many times as long pointwise convolutions take whose vectors hold neighbours in "
         "a row instead of channels",
     .field = &KernelRates::pointRows},
    {.name = "window_rows",
     .scale = 1,
     .range = Range::Positive,
     .meaning = "the same for convolutions with larger windows or strides",
     .field = &KernelRates::windowRows},
    {.name = "giga_transforms",
     .scale = giga,
     .range = Range::Positive,
     .meaning = "elements a second of tiles that Winograd's algorithm transforms, in 10^9; without "
                "it that algorithm is not used",
     .optional = &KernelRates::transforms}};

inline constexpr FigureKey<Machine> machineKeys[] = {
    {.name = "launch_us",
     .scale = micro,
     .range = Range::Positive,
     .meaning = "time of any kernel, whatever it does",
     .field = &Machine::launch},
    {.name = "overlaps",
     .scale = 1,
     .range = Range::Truth,
     .meaning = "true if operations and transfers of a kernel run at the same time",
     .optional = &Machine::overlaps},
    {.name = "image_texels",
     .scale = 1,
     .range = Range::Whole,
     .meaning =
         "most texels of an image of OpenCL that is a buffer; given where kernels read images "
         "faster than buffers",
     .optional = &Machine::imageTexels}};

/// Describes a key whose value is not a figure, for the schema and for unknown keys.
struct PlainKey {
    const char *name, *value, *meaning;
};

inline constexpr PlainKey machinePlain[] = {
    {"name", "text", "name by which the device is chosen"},
    {"title", "text", "name by which people know it"},
    {"units", "list of units", "kinds of cores or the like that share the work of a kernel"},
    {"memory", "list of levels",
     "levels that all units share, the nearest first; the last one is memory and has line_bytes"},
    {"scratch", "text", "name of the level that holds what a kernel stages"},
    {"tiles", "object", "how products of matrices are cut; without it work is shared out evenly"},
    {"host_link", "object", "link to a memory that tensors can be swapped out to"},
    {"rates", "object",
     "how fast kernels run on all units together; without it they run at peak speed"}};
inline constexpr PlainKey unitPlain[] = {
    {"name", "text", "name of the kind"},
    {"instruction_set", "text", "instruction set of its vectors"},
    {"processor", "text", "name that compilers and emulators have for it"},
    {"extensions", "list of texts",
     "what it has beyond its instruction set: `fp16` (arithmetic of half precision), `dotprod` and "
     "`i8mm` (sums of products of 8-bit integers)"},
    {"clocks_ghz", "list of numbers", "clocks that can be chosen"},
    {"memory", "list of levels", "levels that each unit has of its own, the nearest first"}};
inline constexpr PlainKey levelPlain[] = {
    {"name", "text", "name of the level; a unit reaches no other of that name"}};

} // namespace graphloom::machine_keys
