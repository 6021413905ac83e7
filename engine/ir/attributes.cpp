// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/attributes.h"

#include "engine/base/hash.h"
#include "engine/ir/graph.h"

#include <algorithm>
#include <bit>

namespace graphloom {

namespace {

std::uint64_t hashOf(std::int64_t value)
{
    return scramble(std::uint64_t(value));
}
std::uint64_t hashOf(float value)
{
    return scramble(std::bit_cast<std::uint32_t>(value));
}
std::uint64_t hashOf(const std::string &value)
{
    return hashText(value);
}
std::uint64_t hashOf(const TensorData &value)
{
    return value.hash();
}
std::uint64_t hashOf(const GraphPointer &value)
{
    return value->hash();
}
std::uint64_t hashOf(const RawAttribute &value)
{
    return hashText(value.bytes);
}
template <class T> std::uint64_t hashOf(const std::vector<T> &values)
{
    std::uint64_t hash = values.size();
    for (const T &value : values)
        hash = combine(hash, hashOf(value));
    return hash;
}

template <class T> const T *as(const AttributeValue *value)
{
    return value ? std::get_if<T>(value) : nullptr;
}

template <class T> T valueOr(const AttributeValue *value, T fallback)
{
    const T *found = as<T>(value);
    return found ? *found : std::move(fallback);
}

} // namespace

Attributes::Attributes(std::vector<Attribute> attributes) : m_attributes(std::move(attributes))
{
    std::sort(m_attributes.begin(), m_attributes.end(),
              [](const Attribute &a, const Attribute &b) { return a.name < b.name; });
    for (const Attribute &attribute : m_attributes) {
        const auto value =
            std::visit([](const auto &held) { return hashOf(held); }, attribute.value);
        m_hash = combine(combine(m_hash, hashText(attribute.name)),
                         combine(attribute.value.index(), value));
    }
}

const AttributeValue *Attributes::find(std::string_view name) const
{
    const auto at = std::lower_bound(
        m_attributes.begin(), m_attributes.end(), name,
        [](const Attribute &attribute, std::string_view key) { return attribute.name < key; });
    return at != m_attributes.end() && at->name == name ? &at->value : nullptr;
}

std::int64_t Attributes::integer(std::string_view name, std::int64_t fallback) const
{
    return valueOr(find(name), fallback);
}

float Attributes::real(std::string_view name, float fallback) const
{
    return valueOr(find(name), fallback);
}

std::string Attributes::text(std::string_view name, std::string fallback) const
{
    return valueOr(find(name), std::move(fallback));
}

std::vector<std::int64_t> Attributes::integers(std::string_view name,
                                               std::vector<std::int64_t> fallback) const
{
    return valueOr(find(name), std::move(fallback));
}

std::vector<float> Attributes::reals(std::string_view name) const
{
    return valueOr(find(name), std::vector<float>{});
}

const TensorData *Attributes::tensor(std::string_view name) const
{
    return as<TensorData>(find(name));
}

std::span<GraphPointer> graphsOf(AttributeValue &value)
{
    if (auto *graph = std::get_if<GraphPointer>(&value))
        return {graph, 1};
    if (auto *graphs = std::get_if<std::vector<GraphPointer>>(&value))
        return *graphs;
    return {};
}

std::span<const GraphPointer> graphsOf(const AttributeValue &value)
{
    return graphsOf(const_cast<AttributeValue &>(value)); // read only
}

const Graph *Attributes::graph(std::string_view name) const
{
    const auto *found = as<GraphPointer>(find(name));
    return found ? found->get() : nullptr;
}

Attributes Attributes::with(std::string name, AttributeValue value) const
{
    auto changed = without(name).m_attributes;
    changed.push_back({std::move(name), std::move(value)});
    return changed;
}

Attributes Attributes::without(std::string_view name) const
{
    auto changed = m_attributes;
    std::erase_if(changed, [&](const Attribute &attribute) { return attribute.name == name; });
    return changed;
}

} // namespace graphloom
