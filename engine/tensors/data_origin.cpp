// SPDX-License-Identifier: Apache-2.0
#include "engine/tensors/data_origin.h"

#include "engine/onnx/files/mapped_file.h"

namespace graphloom {

namespace {

/// Tells whether the model has the same constant.
bool isInModel(const TensorData &data, const Graph &model)
{
    for (std::uint32_t index = 0; index < model.tensorBound(); ++index)
        if (const TensorId id{index}; model.contains(id))
            if (const auto &constant = model.tensor(id).constant;
                constant && constant->hash() == data.hash())
                return true;
    return false;
}

} // namespace

DataOrigin originOf(const TensorData &data, const Model &model)
{
    DataOrigin origin;
    origin.isUniform = data.isSplat();
    if (const auto range = data.type() == DataType::String || data.isSplat()
                               ? std::nullopt
                               : fileRangeOf(data.bytes())) {
        origin.file = range->file->path();
        origin.offset = range->offset;
        origin.isTruncated = range->file->shrunk();
        origin.place = origin.file == model.path ? DataOrigin::Place::ModelFile
                                                 : DataOrigin::Place::ExternalFile;
    } else if (isInModel(data, model.graph)) {
        origin.place = DataOrigin::Place::ModelCopy;
        origin.file = model.path;
    }
    return origin;
}

} // namespace graphloom
