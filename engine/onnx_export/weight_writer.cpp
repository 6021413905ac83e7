// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx_export/weight_writer.h"

#include "engine/onnx/files/mapped_file.h"
#include "engine/onnx/format/wire.h"
#include "engine/onnx/nodes/constant_nodes.h"

#include <algorithm>

namespace graphloom {

namespace {

constexpr std::uint64_t leastExternal = 1024;
constexpr std::uint64_t externalAlignment = 64; // enough for any element and vector register
constexpr std::uint64_t mostExpanded = std::uint64_t{1} << 31;
constexpr std::uint32_t initializerField = 5, rawDataField = 9; // of GraphProto, TensorProto

/// Returns the stored bytes of one element of a splat; 4-bit types occur twice in a byte.
std::string patternOf(const TensorData &splat)
{
    std::string pattern(reinterpret_cast<const char *>(splat.bytes().data()), splat.bytes().size());
    if (bitsOf(splat.type()) == 4)
        pattern[0] = char((pattern[0] & 0xf) | (pattern[0] & 0xf) << 4);
    return pattern;
}

/// Reads every page of a mapped tensor, so that the guard notices a truncated file: a write by the
/// system would only fail.
void touchPages(std::span<const std::byte> bytes)
{
    constexpr std::size_t smallestPage = 4096;
    for (std::size_t i = 0; i < bytes.size(); i += smallestPage)
        static_cast<void>(*static_cast<const volatile std::byte *>(&bytes[i]));
    if (!bytes.empty())
        static_cast<void>(*static_cast<const volatile std::byte *>(&bytes.back()));
}

void writeType(const TensorData &data, onnx::TensorProto &proto)
{
    proto.set_data_type(int(data.type()));
    for (const std::int64_t extent : data.extents())
        proto.add_dims(extent);
}

} // namespace

bool isWrittenAsFill(const TensorData &data, std::int64_t opset)
{
    if (!data.isSplat() || data.storedBytes() < leastSplat)
        return false;
    switch (data.type()) {
    case DataType::BFloat16:
    case DataType::Float8E4M3FN:
    case DataType::Float8E4M3FNUZ:
    case DataType::Float8E5M2:
    case DataType::Float8E5M2FNUZ:
        return opset >= 20;
    case DataType::String:
    case DataType::Complex64:
    case DataType::Complex128:
    case DataType::Int4:
    case DataType::Uint4:
    case DataType::Float4E2M1:
        return false;
    default:
        return true;
    }
}

void WeightWriter::writeElements(std::ostream &stream, const TensorData &data) const
{
    // A multiple of every element's size that a disk writes within milliseconds.
    constexpr std::uint64_t blockBytes = 1 << 20;
    const std::string pattern = data.isSplat() ? patternOf(data) : std::string();
    std::string block;
    const std::uint64_t all = data.isSplat() ? data.storedBytes() : data.bytes().size();
    for (std::uint64_t at = 0; at < all && !m_stop.stop_requested(); at += blockBytes) {
        const std::uint64_t size = std::min(all - at, blockBytes);
        if (data.isSplat()) {
            while (block.size() < size)
                block += pattern;
            stream.write(block.data(), std::streamsize(size));
            continue;
        }
        const auto bytes = data.bytes().subspan(at, size);
        if (data.isMapped())
            touchPages(bytes);
        stream.write(reinterpret_cast<const char *>(bytes.data()), std::streamsize(size));
    }
}

void WeightWriter::check(const TensorData &data)
{
    m_all.push_back(&data);
    if (data.isSplat() && data.storedBytes() > mostExpanded)
        m_problem =
            Error{Error::Kind::Fault,
                  "a constant of " + std::to_string(data.storedBytes()) +
                      " bytes with equal elements has a type that ONNX can only store in full",
                  {},
                  std::source_location::current()};
}

bool WeightWriter::toExternal(const TensorData &data, onnx::TensorProto &proto)
{
    if (!m_externalName || data.type() == DataType::String || data.storedBytes() < leastExternal)
        return false;
    const std::uint64_t offset =
        (m_externalEnd + externalAlignment - 1) / externalAlignment * externalAlignment;
    proto.set_data_location(onnx::TensorProto::EXTERNAL);
    const auto add = [&](const char *key, std::string value) {
        auto &entry = *proto.add_external_data();
        entry.set_key(key);
        entry.set_value(std::move(value));
    };
    add("location", *m_externalName);
    add("offset", std::to_string(offset));
    add("length", std::to_string(data.storedBytes()));
    m_external.push_back({&data, offset});
    m_externalEnd = offset + data.storedBytes();
    return true;
}

void WeightWriter::write(const TensorData &data, onnx::TensorProto &proto)
{
    check(data);
    writeType(data, proto);
    if (data.type() == DataType::String) {
        for (const std::string &text : data.strings())
            proto.add_string_data(text);
        return;
    }
    if (m_problem || toExternal(data, proto))
        return;
    std::string &raw = *proto.mutable_raw_data();
    raw.assign(reinterpret_cast<const char *>(data.bytes().data()), data.bytes().size());
    if (data.isSplat()) {
        const std::string pattern = patternOf(data);
        raw.clear();
        while (raw.size() < data.storedBytes())
            raw += pattern;
    }
}

bool WeightWriter::writeInitializer(const TensorData &data, onnx::TensorProto &proto)
{
    if (data.type() == DataType::String || data.storedBytes() < leastExternal) {
        write(data, proto);
        return true;
    }
    check(data);
    writeType(data, proto);
    if (m_problem || toExternal(data, proto))
        return true;
    m_fields.push_back({proto.SerializeAsString(), &data});
    return false;
}

/// Returns the size of the TensorProto: its header and its raw data.
std::uint64_t WeightWriter::Field::size() const
{
    const std::uint64_t raw = data->storedBytes();
    return header.size() + 1 + varintSize(raw) + raw;
}

std::uint64_t WeightWriter::fieldBytes() const
{
    std::uint64_t total = 0;
    for (const Field &field : m_fields)
        total += 1 + varintSize(field.size()) + field.size();
    return total;
}

void WeightWriter::writeFields(std::ostream &stream) const
{
    for (const Field &field : m_fields) {
        std::string head;
        appendTag(head, initializerField, WireField::Kind::Bytes);
        appendVarint(head, field.size());
        head += field.header;
        appendTag(head, rawDataField, WireField::Kind::Bytes);
        appendVarint(head, field.data->storedBytes());
        stream.write(head.data(), std::streamsize(head.size()));
        writeElements(stream, *field.data);
    }
}

void WeightWriter::writeExternal(std::ostream &stream) const
{
    std::uint64_t at = 0;
    for (const Placed &placed : m_external) {
        for (; at < placed.offset; ++at)
            stream.put('\0');
        writeElements(stream, *placed.data);
        at += placed.data->storedBytes();
    }
}

std::optional<std::filesystem::path> WeightWriter::shrunkFile() const
{
    for (const TensorData *data : m_all)
        if (data->isMapped())
            if (auto path = shrunkFileOf(data->bytes()))
                return path;
    return std::nullopt;
}

} // namespace graphloom
