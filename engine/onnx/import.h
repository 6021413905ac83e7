// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/model.h"
#include "engine/onnx/files/import_options.h"

#include <filesystem>

namespace graphloom {

/// Reads an ONNX model file. Files are considered hostile: every defect is a Model error that names
/// the file, the node or tensor, and the reason; memory is bounded by the size of the file and the
/// limits of the options; weights stay in the mapped file.
///
/// The graph is that of the file with functions inlined, `Constant` nodes and `ConstantOfShape` of
/// a constant shape turned into constants (the latter as splats), older operators brought to
/// normalOpset, and types and shapes of all tensors inferred (infer.h). Unknown operators and
/// domains stay as they are.
Result<Model> importOnnx(const std::filesystem::path &path, const ImportOptions &options = {});

} // namespace graphloom
