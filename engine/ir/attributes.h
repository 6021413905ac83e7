// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/tensor_data.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace graphloom {

class Graph;

/// Holds an attribute of a kind that nothing here interprets (type, sparse tensor…) as its
/// serialized AttributeProto, which is written back byte for byte.
struct RawAttribute {
    std::string bytes;
    bool operator==(const RawAttribute &) const = default;
};

using GraphPointer = std::shared_ptr<const Graph>;
using AttributeValue =
    std::variant<std::int64_t, float, std::string, std::vector<std::int64_t>, std::vector<float>,
                 std::vector<std::string>, TensorData, std::vector<TensorData>, GraphPointer,
                 std::vector<GraphPointer>, RawAttribute>;

/// Returns the graphs that an attribute holds: one, a list of them, or none.
std::span<const GraphPointer> graphsOf(const AttributeValue &value);
std::span<GraphPointer> graphsOf(AttributeValue &value);

struct Attribute {
    std::string name;
    AttributeValue value;
};

/// Holds the attributes of a node, sorted by name. Lookups of an absent name, or of one whose value
/// is of another kind, return the fallback; the importer has checked kinds before.
class Attributes {
public:
    Attributes() = default;
    Attributes(std::vector<Attribute> attributes);

    const AttributeValue *find(std::string_view name) const;
    bool contains(std::string_view name) const { return find(name) != nullptr; }

    std::int64_t integer(std::string_view name, std::int64_t fallback) const;
    float real(std::string_view name, float fallback) const;
    std::string text(std::string_view name, std::string fallback) const;
    std::vector<std::int64_t> integers(std::string_view name,
                                       std::vector<std::int64_t> fallback = {}) const;
    std::vector<float> reals(std::string_view name) const;
    const TensorData *tensor(std::string_view name) const;
    const Graph *graph(std::string_view name) const;

    Attributes with(std::string name, AttributeValue value) const;
    Attributes without(std::string_view name) const;

    auto begin() const { return m_attributes.begin(); }
    auto end() const { return m_attributes.end(); }
    std::size_t size() const { return m_attributes.size(); }
    std::uint64_t hash() const { return m_hash; }

private:
    std::vector<Attribute> m_attributes;
    std::uint64_t m_hash = 0;
};

} // namespace graphloom
