// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/nests/nest.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace graphloom {

/// Counts the memory blocks that the function of a kernel phase is given.
using BufferIndex = TypedIndex<struct BufferTag>;

/// Returns the name of the argument that is a buffer.
inline std::string argumentOf(BufferIndex buffer)
{
    return "b" + std::to_string(buffer.number());
}

/// Describes a tensor that a nest touches as its code declares it.
struct DeclaredTensor {
    std::string name;          // "b0" in a buffer, "s3" in memory of the thread
    std::string type;          // of an element (cType())
    std::string comment;       // its shape
    bool isWritten = false;    // by the nest
    std::int64_t scratch = -1; // its place in memory of the thread, in bytes
    bool isImage = false;      // of a buffer (Schedule::image()); elements have no addresses
};

/// Returns the argument that says which element of an image is the first one of the tensor.
inline std::string firstOf(const DeclaredTensor &image)
{
    return image.name + "_first";
}

/// Holds the tensors of a nest: those in the buffers of its phase, and tiles of those that are in
/// memory of the thread.
struct NestDeclarations {
    std::map<BufferIndex, DeclaredTensor> buffers;
    std::map<BlockTensorIndex, DeclaredTensor> scratch;
};

/// Says how many work-items run a phase: `all`, in groups of `group`. 0: the language has none.
struct WorkItems {
    std::int64_t all = 0, group = 0;
};

/// Holds the code of a phase without what surrounds it.
struct PhaseBody {
    /// Describes what tasks are numbered by: a parallel loop, or the strips of a sliding axis.
    struct Counter {
        std::string variable;
        std::int64_t count = 1;
    };
    std::string name;
    std::vector<NestDeclarations> nests;
    std::string fills; // of margins in memory of the thread, before its tasks
    /// Describes margins of a tensor that the phase writes: runs of elements (first, count).
    struct Margins {
        BufferIndex buffer;
        std::vector<std::pair<std::int64_t, std::int64_t>> runs;
        std::string value;
    };
    std::vector<Margins> margins;  // none unless functions fill them
    std::vector<Counter> counters; // outermost first
    WorkItems items;
    bool isShared = false; // the work-items of a group do a task together; else each does one
    std::string task;      // what one task does
};

/// Says what is written differently in the languages of generated kernels. They are dialects of C
/// with vectors, and each has a prelude that defines the same functions.
class KernelLanguage {
public:
    virtual ~KernelLanguage() = default;

    /// Returns the type of loop variables.
    virtual std::string indexType() const = 0;
    /// Returns a vector of a type of the prelude, "vf" or "vi". Lanes without a text are 0.
    virtual std::string vectorOf(const std::string &type, const std::vector<std::string> &lanes,
                                 int width) const = 0;
    virtual std::string laneOf(const std::string &vector, int lane) const = 0;
    /// Returns the type of a constant pointer to elements of the tensor.
    virtual std::string pointerTo(const DeclaredTensor &tensor) const = 0;
    /// Returns a pointer to what begins at so many bytes in memory of the thread.
    virtual std::string inScratch(const std::string &type, std::int64_t offset) const = 0;
    /// Returns what a nest declares in front of its code.
    virtual std::string declarations(const NestDeclarations &nest) const = 0;
    /// Tells whether there are work-items, which may do a task together, `item` being the number of
    /// one (Loop::Kind:: Item); then, barrier() makes them wait for each other. If not, such loops
    /// are serial.
    virtual bool hasItems() const = 0;
    virtual std::string barrier() const = 0;
    /// Tells whether kernels can read buffers as images (Schedule::image()).
    virtual bool hasImages() const = 0;
    /// Tells whether functions fill the margins of the tensors that they write. If not, whoever
    /// calls them has done so.
    virtual bool fillsMargins() const = 0;
    virtual std::string function(const PhaseBody &phase) const = 0;
};

/// Returns C for GCC and Clang. Functions are
///     void NAME(void *const *buffers, char *scratch, int64_t first, int64_t last, int32_t *status)
/// and carry out the tasks first..last-1 with the memory of one thread.
const KernelLanguage &cLanguage();

/// Returns OpenCL C 1.2. Functions are kernels whose arguments are the buffers, local memory, if
/// the phase has some, and a status. Buffers that are read as images are two arguments: an image of
/// one dimension, of texels of four elements, and which of its elements is the first one of the
/// buffer, a multiple of four. The tasks are work-groups (PhaseBody::isShared) or
/// the work-items of the first dimension, of which those beyond the last task do nothing.
const KernelLanguage &openclLanguage();

} // namespace graphloom
