// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/files/tensor_reader.h"

#include "engine/ir/dim.h"
#include "engine/onnx/files/element_count.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace graphloom {

static_assert(std::endian::native == std::endian::little, "raw data is little endian");

namespace {

auto refuse(std::string reason, std::source_location raised = std::source_location::current())
{
    return fail(Error::Kind::Model, std::move(reason), {}, raised);
}

struct Layout {
    DataType type;
    TensorData::Extents extents;
    std::int64_t elements;
    std::uint64_t bytes;
};

template <class Tensor> std::span<const std::int64_t> extentsOf(const Tensor &tensor)
{
    return {tensor.dims().data(), std::size_t(tensor.dims_size())};
}

Result<Layout> layoutOf(const onnx::TensorProto &tensor)
{
    const auto type = dataTypeFromOnnx(tensor.data_type());
    if (!type || *type == DataType::Undefined)
        return refuse("has the unknown element type " + std::to_string(tensor.data_type()));
    GL_TRY_CONST(elements, countElements(extentsOf(tensor)));
    if (tensor.has_segment())
        return refuse("is stored in segments, whose order ONNX does not define");
    return Layout{*type,
                  {tensor.dims().begin(), tensor.dims().end()},
                  *elements,
                  bytesOf(*type, std::uint64_t(*elements))};
}

/// Copies the elements of a typed field, narrowed to Stored. Values that do not fit are
/// refused, except bit patterns of 16-bit reals, which some writers extend by their sign.
template <class Stored, class Field> Result<std::vector<std::byte>> pack(const Field &field)
{
    std::vector<std::byte> bytes(std::size_t(field.size()) * sizeof(Stored));
    for (int i = 0; i < field.size(); ++i) {
        const auto value = field.Get(i);
        const auto stored = static_cast<Stored>(value);
        using Value = std::remove_cvref_t<decltype(value)>;
        if constexpr (sizeof(Stored) < sizeof(Value))
            if (static_cast<Value>(stored) != value)
                return refuse("contains the value " + std::to_string(value) +
                              ", which is out of range for its element type");
        std::memcpy(bytes.data() + std::size_t(i) * sizeof(Stored), &stored, sizeof(Stored));
    }
    return bytes;
}

template <class Field> Result<std::vector<std::byte>> packBits(const Field &field, int bits)
{
    std::vector<std::byte> bytes;
    for (const std::int32_t value : field) {
        if (value < -(1 << (bits - 1)) || value >= 1 << bits)
            return refuse("contains the value " + std::to_string(value) +
                          ", which is out of range for its element type");
        for (int shift = 0; shift < bits; shift += 8)
            bytes.push_back(std::byte(value >> shift & 0xff));
    }
    return bytes;
}

template <class Field> std::vector<std::byte> packBools(const Field &field)
{
    std::vector<std::byte> bytes;
    for (const std::int32_t value : field)
        bytes.push_back(std::byte(value != 0));
    return bytes;
}

struct TypedData {
    Result<std::vector<std::byte>> bytes;
    int fieldSize; // entries in the field that belongs to the element type
};

TypedData readTyped(DataType type, const onnx::TensorProto &tensor)
{
    const auto &ints = tensor.int32_data();
    switch (type) {
    case DataType::Float:
    case DataType::Complex64:
        return {pack<float>(tensor.float_data()), tensor.float_data_size()};
    case DataType::Double:
    case DataType::Complex128:
        return {pack<double>(tensor.double_data()), tensor.double_data_size()};
    case DataType::Int64:
        return {pack<std::int64_t>(tensor.int64_data()), tensor.int64_data_size()};
    case DataType::Uint64:
        return {pack<std::uint64_t>(tensor.uint64_data()), tensor.uint64_data_size()};
    case DataType::Uint32:
        return {pack<std::uint32_t>(tensor.uint64_data()), tensor.uint64_data_size()};
    case DataType::Int32:
        return {pack<std::int32_t>(ints), ints.size()};
    case DataType::Int16:
        return {pack<std::int16_t>(ints), ints.size()};
    case DataType::Int8:
        return {pack<std::int8_t>(ints), ints.size()};
    case DataType::Uint16:
        return {pack<std::uint16_t>(ints), ints.size()};
    case DataType::Uint8:
        return {pack<std::uint8_t>(ints), ints.size()};
    case DataType::Bool:
        return {packBools(ints), ints.size()};
    default: // 16-bit and 8-bit reals as bit patterns; 4-bit types two to an entry
        return {packBits(ints, bitsOf(type) == 16 ? 16 : 8), ints.size()};
    }
}

int typedEntries(const onnx::TensorProto &tensor)
{
    return tensor.float_data_size() + tensor.int32_data_size() + tensor.string_data_size() +
           tensor.int64_data_size() + tensor.double_data_size() + tensor.uint64_data_size();
}

std::string sizeMismatch(const Layout &layout, std::uint64_t found, std::string_view unit)
{
    return "is declared as " + text(Shape(layout.extents.begin(), layout.extents.end())) + " of " +
           std::string(nameOf(layout.type)) + ", but its data has " + std::to_string(found) + " " +
           std::string(unit);
}

Result<ExternalData> readLocation(const onnx::TensorProto &tensor)
{
    ExternalData data;
    for (const auto &entry : tensor.external_data()) {
        if (entry.key() == "location") {
            data.location = entry.value();
        } else if (entry.key() == "offset" || entry.key() == "length") {
            const auto number = parseSize(entry.value());
            if (!number)
                return refuse("has external data with the " + entry.key() + " \"" + entry.value() +
                              "\", which is not a size");
            if (entry.key() == "offset")
                data.offset = *number;
            else
                data.length = *number;
        }
    }
    return data;
}

} // namespace

Result<void> TensorReader::restore(onnx::TensorProto &tensor) const
{
    if (tensor.data_location() == onnx::TensorProto::EXTERNAL || tensor.external_data_size() > 0)
        return refuse("is kept unchanged, but refers to external data, which would be missing "
                      "next to an exported model");
    const auto payload = payloadOf(tensor.raw_data());
    if (!payload)
        return {};
    if (*payload >= m_payloads.size())
        return refuse("refers to data that is not in the file");
    const ByteRange range = m_payloads[*payload];
    const auto bytes = m_file->bytes().subspan(range.begin, range.size);
    tensor.set_raw_data(bytes.data(), bytes.size());
    return {};
}

/// Returns a tensor of the elements at `offset` of a file. Data that is hashed by its content
/// hashes the same wherever it is stored.
TensorData TensorReader::share(DataType type, TensorData::Extents extents,
                               std::span<const std::byte> bytes,
                               const std::shared_ptr<const MappedFile> &file, std::uint64_t offset)
{
    if (bytes.size() < leastPayload)
        return TensorData::fromBytes(type, std::move(extents), {bytes.begin(), bytes.end()});
    if (bytes.size() > m_hashable)
        return TensorData::fromMapped(type, std::move(extents), bytes, file,
                                      file->identity(offset, bytes.size()));
    m_hashable -= bytes.size();
    return TensorData::fromMapped(type, std::move(extents), bytes, file);
}

Result<TensorData> TensorReader::fromRaw(DataType type, TensorData::Extents extents,
                                         const std::string &rawData)
{
    if (const auto payload = payloadOf(rawData)) {
        if (*payload >= m_payloads.size())
            return refuse("refers to data that is not in the file");
        const ByteRange range = m_payloads[*payload];
        return share(type, std::move(extents), m_file->bytes().subspan(range.begin, range.size),
                     m_file, range.begin);
    }
    const auto bytes = std::as_bytes(std::span(rawData));
    return TensorData::fromBytes(type, std::move(extents), {bytes.begin(), bytes.end()});
}

Result<TensorData> TensorReader::fromFile(DataType type, TensorData::Extents extents,
                                          const onnx::TensorProto &tensor, std::uint64_t bytes)
{
    GL_TRY_RESULT(location, readLocation(tensor));
    GL_TRY_RESULT(file, m_dataFiles.find(*location, bytes));
    return share(type, std::move(extents), (*file)->bytes().subspan(location->offset, bytes), *file,
                 location->offset);
}

Result<TensorData> TensorReader::read(const onnx::TensorProto &tensor)
{
    GL_TRY_RESULT(layout, layoutOf(tensor));
    const int typed = typedEntries(tensor);
    const bool external = tensor.data_location() == onnx::TensorProto::EXTERNAL;
    if ((typed > 0) + tensor.has_raw_data() + external > 1)
        return refuse("has its data in two places");
    if (layout->type == DataType::String) {
        if (external || tensor.has_raw_data())
            return refuse("contains strings, which cannot be raw or external data");
        if (tensor.string_data_size() != layout->elements || typed != tensor.string_data_size())
            return refuse(sizeMismatch(*layout, std::uint64_t(typed), "entries"));
        return TensorData::fromStrings(std::move(layout->extents),
                                       {tensor.string_data().begin(), tensor.string_data().end()});
    }
    if (external)
        return fromFile(layout->type, std::move(layout->extents), tensor, layout->bytes);
    if (tensor.has_raw_data()) {
        const auto payload = payloadOf(tensor.raw_data());
        const std::uint64_t size = payload && *payload < m_payloads.size()
                                       ? m_payloads[*payload].size
                                       : tensor.raw_data().size();
        if (size != layout->bytes)
            return refuse(sizeMismatch(*layout, size, "bytes"));
        return fromRaw(layout->type, std::move(layout->extents), tensor.raw_data());
    }
    TypedData data = readTyped(layout->type, tensor);
    if (!data.bytes)
        return tl::unexpected(data.bytes.error());
    if (data.bytes->size() != layout->bytes || data.fieldSize != typed)
        return refuse(sizeMismatch(*layout, std::uint64_t(typed), "entries"));
    return TensorData::fromBytes(layout->type, std::move(layout->extents), std::move(*data.bytes));
}

Result<TensorData> TensorReader::readSparse(const onnx::SparseTensorProto &tensor)
{
    GL_TRY_CONST(values, read(tensor.values()));
    GL_TRY_CONST(indices, read(tensor.indices()));
    GL_TRY_CONST(elements, countElements(extentsOf(tensor)));
    TensorData::Extents extents(tensor.dims().begin(), tensor.dims().end());
    const auto rank = std::int64_t(extents.size());
    const int bits = bitsOf(values->type());
    if (bits < 8)
        return refuse("is sparse with elements of type " + std::string(nameOf(values->type())) +
                      ", which is not supported");
    if (values->extents().size() != 1 || indices->type() != DataType::Int64)
        return refuse("is sparse, but its values are not a list or its indices are not int64");
    const std::int64_t count = values->elements();
    const bool linear = indices->extents() == TensorData::Extents{count};
    if (!linear && indices->extents() != TensorData::Extents{count, rank})
        return refuse("is sparse with " + std::to_string(count) +
                      " values, but its indices do not have that many rows");
    const auto size = std::size_t(bits / 8);
    const std::uint64_t bytes = std::uint64_t(*elements) * size;
    if (bytes > m_expandable)
        return refuse("is sparse and would take " + std::to_string(bytes) +
                      " bytes as a dense tensor, which exceeds the limit");
    m_expandable -= bytes;
    std::vector<std::byte> dense(bytes);
    std::int64_t before = -1;
    for (std::int64_t i = 0; i < count; ++i) {
        std::int64_t at = linear ? indices->integer(i) : 0;
        bool inside = at >= 0 && at < *elements;
        for (std::int64_t axis = 0; !linear && axis < rank && inside; ++axis) {
            const std::int64_t index = indices->integer(i * rank + axis);
            inside = index >= 0 && index < extents[std::size_t(axis)];
            at = inside ? at * extents[std::size_t(axis)] + index : 0;
        }
        if (!inside)
            return refuse("is sparse with an index outside its extents");
        if (at <= before)
            return refuse("is sparse with indices that are not in ascending order");
        before = at;
        std::memcpy(dense.data() + std::size_t(at) * size,
                    values->bytes().data() + std::size_t(i) * size, size);
    }
    return TensorData::fromBytes(values->type(), std::move(extents), std::move(dense));
}

} // namespace graphloom
