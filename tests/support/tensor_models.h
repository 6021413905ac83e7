// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/onnx_builder.h"

namespace graphloom::test {

/// Returns a constant "w" that has no data yet.
inline onnx::TensorProto typed(int type, const Extents &extents)
{
    onnx::TensorProto tensor;
    tensor.set_name("w");
    tensor.set_data_type(type);
    tensor.mutable_dims()->Add(extents.begin(), extents.end());
    return tensor;
}

/// Returns a model whose output is the tensor, as a constant.
inline onnx::ModelProto with(const onnx::TensorProto &tensor)
{
    auto model = emptyModel();
    *model.mutable_graph()->add_initializer() = tensor;
    addOpenOutput(*model.mutable_graph(), tensor.name(), tensor.data_type());
    return model;
}

/// Returns a model whose constant "w" holds 5 and 6 at the given indices.
inline onnx::ModelProto sparseModel(const Extents &extents, const Extents &rows,
                                    const Extents &indices)
{
    auto model = emptyModel();
    auto &sparse = *model.mutable_graph()->add_sparse_initializer();
    fillFloats(*sparse.mutable_values(), "w", {2}, {5, 6});
    auto &list = *sparse.mutable_indices();
    list.set_data_type(onnx::TensorProto::INT64);
    list.mutable_dims()->Add(rows.begin(), rows.end());
    list.mutable_int64_data()->Add(indices.begin(), indices.end());
    sparse.mutable_dims()->Add(extents.begin(), extents.end());
    addOpenOutput(*model.mutable_graph(), "w");
    return model;
}

} // namespace graphloom::test
