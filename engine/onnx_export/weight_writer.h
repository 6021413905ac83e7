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

/// Decides where the elements of constants go, and writes them: into the message, into the model
/// file after the message, or into a file next to it. The tensors given to it must live as long as
/// it does; their elements are not copied more than once.
class WeightWriter {
public:
    /// Makes a writer that puts large constants into the external file of that name, if any. Once
    /// stopped, it leaves elements out, so that the output is unusable.
    explicit WeightWriter(std::optional<std::string> externalName, std::stop_token stop = {})
        : m_externalName(std::move(externalName)), m_stop(std::move(stop))
    {
    }

    /// Writes type, extents and elements, or the place of these, of a constant anywhere in a model.
    void write(const TensorData &data, onnx::TensorProto &proto);
    /// Does the same for an initializer of the main graph, which may follow as a field of its own:
    /// returns true if the caller has to add it to the message, false if writeFields() writes it.
    bool writeInitializer(const TensorData &data, onnx::TensorProto &proto);

    /// Returns the number of bytes that writeFields() writes.
    std::uint64_t fieldBytes() const;
    /// Writes the initializers that are not in the message, as `initializer` fields of a
    /// GraphProto.
    void writeFields(std::ostream &stream) const;
    bool hasExternal() const { return !m_external.empty(); }
    std::string externalName() const { return m_externalName.value_or(std::string()); }
    /// Writes the content of the external file.
    void writeExternal(std::ostream &stream) const;

    /// Tells why the constants cannot be written as they are; nothing if they can.
    const std::optional<Error> &problem() const { return m_problem; }
    /// Returns a mapped file of the constants that was truncated while it was in use.
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

/// Tells whether the tensor is a splat that ConstantOfShape of the ai.onnx version can make, and
/// large enough to be worth a node.
bool isWrittenAsFill(const TensorData &data, std::int64_t opset);

} // namespace graphloom
