// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/files/tensor_file.h"

#include "engine/onnx/files/mapped_file.h"
#include "engine/onnx/files/tensor_reader.h"
#include "engine/ops/describe/value_type.h"

#include <google/protobuf/io/coded_stream.h>
#include <onnx/onnx-data_pb.h>

namespace graphloom {

namespace {

/// Builds values from messages whose tensors are stored in the mapped file itself.
class ValueReader {
public:
    ValueReader(const std::shared_ptr<const MappedFile> &file, const ImportOptions &limits)
        : m_tensors(file, {}, limits)
    {
    }

    Result<DataValue> read(const onnx::TensorProto &proto)
    {
        GL_TRY_RESULT(data, m_tensors.read(proto));
        return DataValue(std::move(*data));
    }
    Result<DataValue> read(const onnx::SequenceProto &proto)
    {
        std::vector<DataValue> elements; // of the only list that is not empty
        auto done = append(proto.tensor_values(), elements);
        if (done)
            done = append(proto.sequence_values(), elements);
        if (done)
            done = append(proto.optional_values(), elements);
        if (!done)
            return tl::unexpected(done.error());
        if (proto.map_values_size() > 0 || proto.sparse_tensor_values_size() > 0)
            return fail(Error::Kind::Model,
                        "contains maps or sparse tensors, which are not supported");
        return DataValue::sequence(std::move(elements));
    }
    Result<DataValue> read(const onnx::OptionalProto &proto)
    {
        if (proto.has_map_value() || proto.has_sparse_tensor_value())
            return fail(Error::Kind::Model,
                        "contains a map or sparse tensor, which is not supported");
        if (!proto.has_tensor_value() && !proto.has_sequence_value() && !proto.has_optional_value())
            return DataValue::optional(std::nullopt);
        auto element = proto.has_tensor_value()     ? read(proto.tensor_value())
                       : proto.has_sequence_value() ? read(proto.sequence_value())
                                                    : read(proto.optional_value());
        return element ? Result<DataValue>(DataValue::optional(std::move(*element))) : element;
    }

private:
    template <class Messages>
    Result<void> append(const Messages &messages, std::vector<DataValue> &elements)
    {
        for (const auto &message : messages) {
            GL_TRY_RESULT(element, read(message));
            elements.push_back(std::move(*element));
        }
        return {};
    }

    TensorReader m_tensors;
};

template <class Message>
Result<DataValue> readAs(const std::filesystem::path &path, std::string_view what)
{
    const ImportOptions limits;
    GL_TRY_CONST(file, MappedFile::open(path, limits.maxFileBytes));
    Message message;
    const auto bytes = (*file)->bytes();
    google::protobuf::io::CodedInputStream stream(
        reinterpret_cast<const std::uint8_t *>(bytes.data()), int(bytes.size()));
    stream.SetTotalBytesLimit(int(bytes.size()));
    if (!message.ParseFromCodedStream(&stream) || !stream.ConsumedEntireMessage())
        return fail(Error::Kind::Model, "is not a serialized " + std::string(what), path.string());
    auto value = ValueReader(*file, limits).read(message);
    if (!value)
        return fail(value.error().kind, value.error().message, path.string());
    return value;
}

} // namespace

Result<TensorData> readTensorFile(const std::filesystem::path &path)
{
    GL_TRY_CONST(value, readAs<onnx::TensorProto>(path, "TensorProto"));
    return *value->tensor();
}

Result<DataValue> readValueFile(const std::filesystem::path &path, const std::string &type)
{
    if (valuetype::elementOfSequence(type))
        return readAs<onnx::SequenceProto>(path, "SequenceProto");
    if (valuetype::elementOfOptional(type))
        return readAs<onnx::OptionalProto>(path, "OptionalProto");
    return readAs<onnx::TensorProto>(path, "TensorProto");
}

Result<DataValue> readValueFile(const std::filesystem::path &path, const Tensor &declared)
{
    auto value = readValueFile(path, declared.otherType);
    if (!value || declared.type != DataType::BFloat16 || !value->tensor() ||
        value->tensor()->type() != DataType::Uint16)
        return value;
    const TensorData &bits = *value->tensor();
    return DataValue(TensorData::fromBytes(DataType::BFloat16, bits.extents(),
                                           {bits.bytes().begin(), bits.bytes().end()}));
}

} // namespace graphloom
