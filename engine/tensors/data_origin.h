// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/model.h"

#include <cstdint>
#include <filesystem>

namespace graphloom {

/// Tells where the elements of a constant are.
struct DataOrigin {
    enum class Place {
        ModelFile,    // mapped, at `offset`
        ExternalFile, // mapped, at `offset` of `file`
        ModelCopy,    // in the model file; small or in typed fields, and copied to memory
        Computed,     // by folding or a pass
    };
    Place place = Place::Computed;
    std::filesystem::path file;
    std::uint64_t offset = 0;
    /// Whether the model has one value for all elements and none of its own for each, as models
    /// have whose weights were stripped.
    bool isUniform = false;
    /// Whether the file has become shorter since it was opened: what is missing reads as zeros.
    bool isTruncated = false;
};

/// Returns the origin of a constant of a plan that was made from the model.
DataOrigin originOf(const TensorData &data, const Model &model);

} // namespace graphloom
