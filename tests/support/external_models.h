// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/onnx_builder.h"

namespace graphloom::test {

/// Keys and values of a tensor's external data.
using Entries = std::vector<std::pair<std::string, std::string>>;

/// Returns the tensor "w" of 4 floats in external data.
inline onnx::TensorProto externalTensor(const Entries &entries)
{
    onnx::TensorProto tensor;
    tensor.set_name("w");
    tensor.set_data_type(onnx::TensorProto::FLOAT);
    tensor.add_dims(4);
    tensor.set_data_location(onnx::TensorProto::EXTERNAL);
    for (const auto &[key, value] : entries)
        setEntry(*tensor.add_external_data(), key, value);
    return tensor;
}

/// Returns a model whose constant "w" of 4 floats is in external data.
inline onnx::ModelProto withExternal(const Entries &entries)
{
    auto model = emptyModel();
    *model.mutable_graph()->add_initializer() = externalTensor(entries);
    addOpenOutput(*model.mutable_graph(), "w");
    return model;
}

/// Bytes of the floats 1, 2, 3, 4.
inline const std::string sixteenBytes("\0\0\x80\x3f\0\0\0\x40\0\0\x40\x40\0\0\x80\x40", 16);

/// Reads the model of withExternal() from the folder.
inline Result<Model> open(const ModelFolder &folder, const Entries &entries,
                          bool followLinks = false)
{
    ImportOptions options;
    options.followLinks = followLinks;
    return importOnnx(folder.save(withExternal(entries)), options);
}

/// Returns the reason why the model is refused, or an empty string if it is read.
inline std::string refusal(const ModelFolder &folder, const Entries &entries)
{
    const auto model = open(folder, entries);
    return model ? "" : model.error().text();
}

} // namespace graphloom::test
