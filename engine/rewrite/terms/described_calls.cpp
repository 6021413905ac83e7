// SPDX-License-Identifier: Apache-2.0
#include "engine/rewrite/terms/described_calls.h"

#include "engine/base/hash.h"
#include "engine/ops/derive/symbolic.h"

#include <algorithm>
#include <bit>

namespace graphloom {

namespace {

/// Constants with more elements are compared by address: to read weights would cost more than to
/// describe a call again.
constexpr std::int64_t mostCompared = 64;

std::uint64_t hashOf(const std::shared_ptr<const TensorData> &constant)
{
    return constant->elements() <= mostCompared ? constant->hash()
                                                : std::bit_cast<std::uintptr_t>(constant.get());
}

std::uint64_t hashOf(const Tensor &tensor)
{
    std::uint64_t hash = std::uint64_t(tensor.type) + 1;
    if (tensor.shape)
        for (const Dim &dim : *tensor.shape)
            hash = combine(hash, dim.hash());
    if (tensor.constant)
        hash = combine(hash, hashOf(tensor.constant));
    if (tensor.values)
        for (const Dim &value : *tensor.values)
            hash = combine(hash, value.hash());
    return hash;
}

std::uint64_t hashOf(const Call &call)
{
    std::uint64_t hash = hashText(call.node().op, call.attributes().hash());
    for (std::size_t i = 0; i < call.inputCount(); ++i)
        hash = combine(hash, call.has(i) ? hashOf(call.input(i)) : 0);
    return hash;
}

/// Compares what pointers refer to, unless the pointers are equal.
template <class T> bool equal(const std::shared_ptr<const T> &a, const std::shared_ptr<const T> &b)
{
    return a == b || (a && b && *a == *b);
}

bool equalConstants(const std::shared_ptr<const TensorData> &a,
                    const std::shared_ptr<const TensorData> &b)
{
    return a == b || (a && b && a->elements() <= mostCompared && *a == *b);
}

bool isSame(const Tensor &a, const Tensor &b)
{
    return a.type == b.type && a.shape == b.shape && a.otherType == b.otherType &&
           equalConstants(a.constant, b.constant) && equal(a.values, b.values);
}

DescribedCall described(const Call &call)
{
    DescribedCall known;
    auto description = describe(call);
    if (!description)
        return known;
    known.facts = factsOf(*description, call);
    const std::size_t outputs = std::min(call.outputCount(), description->values.size());
    for (std::size_t k = 0; k < outputs; ++k) {
        Tensor tensor;
        const Value &value = description->values[k];
        tensor.type = value.type;
        tensor.shape = value.shape;
        tensor.otherType = value.otherType;
        if (auto values = symbolicValues(*description, call, int(k)))
            tensor.values = std::make_shared<const std::vector<Dim>>(*std::move(values));
        known.results.push_back(std::move(tensor));
    }
    known.description = std::make_shared<const Description>(*std::move(description));
    return known;
}

} // namespace

bool DescribedCalls::Entry::isOf(const Call &call) const
{
    if (node.op != call.node().op || node.domain != call.node().domain || opset != call.opset() ||
        node.attributes.hash() != call.attributes().hash() ||
        node.outputs.size() != call.outputCount() || inputs.size() != call.inputCount())
        return false;
    for (std::size_t i = 0; i < inputs.size(); ++i)
        if (inputs[i].has_value() != call.has(i) ||
            (inputs[i] && !isSame(*inputs[i], call.input(i))))
            return false;
    return true;
}

const DescribedCall &DescribedCalls::operator[](const Call &call)
{
    const std::uint64_t hash = hashOf(call);
    const auto [first, last] = m_entries.equal_range(hash);
    const auto found =
        std::find_if(first, last, [&](const auto &entry) { return entry.second->isOf(call); });
    if (found != last)
        return found->second->known;
    auto entry = std::make_unique<Entry>();
    entry->node.op = call.node().op;
    entry->node.domain = call.node().domain;
    entry->node.attributes = call.attributes();
    entry->node.outputs.resize(call.outputCount());
    entry->opset = call.opset();
    for (std::size_t i = 0; i < call.inputCount(); ++i)
        entry->inputs.push_back(call.has(i) ? std::optional(call.input(i)) : std::nullopt);
    entry->known = described(call);
    return m_entries.emplace(hash, std::move(entry))->second->known;
}

} // namespace graphloom
