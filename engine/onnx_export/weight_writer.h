// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"
#include "engine/ir/tensor_data.h"

#include <onnx/onnx_pb.h>

#include <filesystem>
#include <optional>
#include <ostream>
#include <stop_token>
#include <string>
#include <vector>

namespace graphloom {

/// Decides where the elements of constants go, and writes them: into the message, into the
/// model file behind the message, or into a file beside it. The tensors that are given to it
/// must live as long as it does; their elements are not copied more than once.
class WeightWriter {
public:
    /// With a name, constants of some size go to the external file of that name. Once it is
    /// stopped, elements are left out, so that nothing that was written is of use.
    explicit WeightWriter(std::optional<std::string> externalName, std::stop_token stop = {})
        : m_externalName(std::move(externalName)), m_stop(std::move(stop))
    {
    }

    /// Type, extents and elements, or where they are, of a constant anywhere in a model.
    void write(const TensorData &data, onnx::TensorProto &proto);
    /// The same for an initializer of the main graph, which may follow as a field of its own:
    /// true when the caller has to add it to the message, false when writeFields() does.
    bool writeInitializer(const TensorData &data, onnx::TensorProto &proto);

    /// Bytes that writeFields() writes.
    std::uint64_t fieldBytes() const;
    /// The initializers that are not in the message, as `initializer` fields of a GraphProto.
    void writeFields(std::ostream &stream) const;
    bool hasExternal() const { return !m_external.empty(); }
    std::string externalName() const { return m_externalName.value_or(std::string()); }
    /// The content of the external file.
    void writeExternal(std::ostream &stream) const;

    /// Why the constants cannot be written as they are; none when they can.
    const std::optional<Error> &problem() const { return m_problem; }
    /// A mapped file among the constants' that was cut short while it was in use.
    std::optional<std::filesystem::path> shrunkFile() const;

private:
    struct Placed {
        const TensorData *data;
        std::uint64_t offset; // in the external file
    };
    struct Field {
        std::string header; // serialized TensorProto without elements
        const TensorData *data;
        std::uint64_t size() const;
    };

    bool toExternal(const TensorData &data, onnx::TensorProto &proto);
    void check(const TensorData &data);
    void writeElements(std::ostream &stream, const TensorData &data) const;

    std::optional<std::string> m_externalName;
    std::stop_token m_stop;
    std::vector<Placed> m_external;
    std::vector<Field> m_fields;
    std::vector<const TensorData *> m_all;
    std::uint64_t m_externalEnd = 0;
    std::optional<Error> m_problem;
};

/// True when the tensor is a splat that ConstantOfShape of the ai.onnx version can make, and
/// large enough to be worth a node.
bool isWrittenAsFill(const TensorData &data, std::int64_t opset);

} // namespace graphloom
