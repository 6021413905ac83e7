// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/describe/value_type.h"

#include <cstdint>
#include <string_view>

namespace graphloom::valuetype {

namespace {

// Field numbers of TypeProto, of the element type in each of its messages, and of a tensor's shape.
constexpr unsigned tensorField = 1, sequenceField = 4, optionalField = 9, elementField = 1;
constexpr unsigned shapeField = 2, dimensionField = 1, extentField = 1;
constexpr unsigned varint = 0, message = 2; // wire types

void appendVarint(std::string &bytes, std::uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        bytes += char(0x80 | (value & 0x7f));
    bytes += char(value);
}

std::string field(unsigned number, const std::string &content)
{
    std::string bytes;
    appendVarint(bytes, number << 3 | message);
    appendVarint(bytes, content.size());
    return bytes + content;
}

std::optional<std::uint64_t> takeVarint(std::string_view &bytes)
{
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
        const auto byte = static_cast<unsigned char>(bytes.front());
        bytes.remove_prefix(1);
        value |= std::uint64_t(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return value;
    }
    return std::nullopt;
}

struct Field {
    std::uint64_t number = 0; // of a varint field
    std::string_view content; // of a message
};

/// Returns all occurrences of a field without other fields (denotations); fails if malformed.
std::optional<std::vector<Field>> findAll(std::string_view bytes, unsigned number,
                                          unsigned wireType)
{
    std::vector<Field> found;
    while (!bytes.empty()) {
        const auto tag = takeVarint(bytes);
        if (!tag)
            return std::nullopt;
        Field here;
        const auto value = takeVarint(bytes); // the number, or the length of a message
        if (!value || (*tag & 7) > message || (*tag & 7) == 1)
            return std::nullopt;
        here.number = *value;
        if ((*tag & 7) == message) {
            if (*value > bytes.size())
                return std::nullopt;
            here.content = bytes.substr(0, *value);
            bytes.remove_prefix(*value);
        }
        if (*tag == (number << 3 | wireType))
            found.push_back(here);
    }
    return found;
}

/// Returns the last occurrence of a field.
std::optional<Field> find(std::string_view bytes, unsigned number, unsigned wireType)
{
    const auto all = findAll(bytes, number, wireType);
    return all && !all->empty() ? std::optional(all->back()) : std::nullopt;
}

std::optional<std::string> elementOf(const std::string &type, unsigned container)
{
    const auto outer = find(type, container, message);
    if (!outer)
        return std::nullopt;
    const auto element = find(outer->content, elementField, message);
    return element ? std::optional(std::string(element->content)) : std::nullopt;
}

} // namespace

std::string tensorOf(DataType type)
{
    std::string element;
    appendVarint(element, elementField << 3 | varint);
    appendVarint(element, std::uint64_t(type));
    return field(tensorField, element);
}

std::string sequenceOf(const std::string &element)
{
    return field(sequenceField, field(elementField, element));
}

std::string optionalOf(const std::string &element)
{
    return field(optionalField, field(elementField, element));
}

std::optional<std::string> elementOfSequence(const std::string &type)
{
    return elementOf(type, sequenceField);
}

std::optional<std::string> elementOfOptional(const std::string &type)
{
    return elementOf(type, optionalField);
}

std::optional<DataType> elementOfTensor(const std::string &type)
{
    const auto tensor = find(type, tensorField, message);
    const auto element = tensor ? find(tensor->content, elementField, varint) : std::nullopt;
    if (!element || element->number > 255)
        return std::nullopt;
    return dataTypeFromOnnx(int(element->number));
}

std::optional<std::vector<std::int64_t>> extentsOfTensor(const std::string &type)
{
    const auto tensor = find(type, tensorField, message);
    const auto shape = tensor ? find(tensor->content, shapeField, message) : std::nullopt;
    const auto dimensions = shape ? findAll(shape->content, dimensionField, message) : std::nullopt;
    if (!dimensions)
        return std::nullopt;
    std::vector<std::int64_t> extents;
    for (const Field &dimension : *dimensions) {
        const auto extent = find(dimension.content, extentField, varint);
        if (!extent || extent->number > std::uint64_t(INT64_MAX))
            return std::nullopt;
        extents.push_back(std::int64_t(extent->number));
    }
    return extents;
}

} // namespace graphloom::valuetype
