// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/format/wire.h"

namespace graphloom {

std::nullopt_t WireReader::bad(std::string_view reason)
{
    m_defect = reason;
    return std::nullopt;
}

std::optional<std::uint64_t> WireReader::varint()
{
    std::uint64_t value = 0;
    for (int shift = 0; shift < 70; shift += 7) {
        if (m_at == m_end)
            return bad("ends in the middle of a number");
        const auto byte = std::to_integer<std::uint64_t>(m_bytes[m_at++]);
        if (shift < 64)
            value |= (byte & 0x7f) << shift;
        if ((byte & 0x80) == 0)
            return value;
    }
    return bad("contains a number of more than ten bytes");
}

std::optional<WireField> WireReader::next()
{
    const auto tag = varint();
    if (!tag)
        return std::nullopt;
    if (*tag >> 3 == 0 || *tag >> 32 != 0)
        return bad("contains an invalid protobuf field number");
    WireField field;
    field.number = std::uint32_t(*tag >> 3);
    field.begin = m_at;
    switch (*tag & 7) {
    case 0: {
        field.kind = WireField::Kind::Varint;
        const auto value = varint();
        if (!value)
            return std::nullopt;
        field.value = *value;
        break;
    }
    case 1:
    case 5: {
        const std::uint64_t size = (*tag & 7) == 1 ? 8 : 4;
        field.kind = size == 8 ? WireField::Kind::Fixed64 : WireField::Kind::Fixed32;
        if (m_end - m_at < size)
            return bad("ends in the middle of a number");
        m_at += size;
        break;
    }
    case 2: {
        field.kind = WireField::Kind::Bytes;
        field.lengthAt = m_at;
        const auto length = varint();
        if (!length)
            return std::nullopt;
        if (*length > m_end - m_at)
            return bad("ends in the middle of a field: the file is truncated or damaged");
        field.begin = m_at;
        m_at += *length;
        break;
    }
    default:
        return bad("contains a field type that ONNX does not use");
    }
    field.end = m_at;
    return field;
}

std::size_t varintSize(std::uint64_t value)
{
    std::size_t size = 1;
    while (value >>= 7)
        ++size;
    return size;
}

void appendVarint(std::string &to, std::uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        to += char(value | 0x80);
    to += char(value);
}

void appendTag(std::string &to, std::uint32_t number, WireField::Kind kind)
{
    appendVarint(to, std::uint64_t(number) << 3 | std::uint64_t(kind));
}

void appendBytes(std::string &to, std::uint32_t number, std::string_view content)
{
    appendTag(to, number, WireField::Kind::Bytes);
    appendVarint(to, content.size());
    to += content;
}

} // namespace graphloom
