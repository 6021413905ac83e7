// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/describe/operator_table.h"

#include "engine/ops/entries/entries.h"
#include "engine/ops/gradient/gradient.h"

#include <algorithm>
#include <tuple>

namespace graphloom {

namespace {

auto keyOf(const Operator &entry)
{
    return std::tuple(entry.domain, entry.name, entry.since);
}

std::vector<Operator> assembled()
{
    std::vector<Operator> table;
    for (const auto group :
         {entries::attentions(),    entries::contraction(),  entries::control(),
          entries::deformation(),   entries::elementwise(),  entries::generation(),
          entries::indexing(),      entries::losses(),       entries::matrices(),
          entries::microsoft(),     entries::movement(),     entries::normalization(),
          entries::pooling(),       entries::quantization(), entries::random(),
          entries::rearrangement(), entries::recurrent(),    entries::reduction(),
          entries::reshaping(),     entries::resizing(),     entries::sampling(),
          entries::selection(),     entries::sequences(),    entries::shape(),
          entries::signal(),        entries::statistics(),   entries::text(),
          entries::training(),      entries::unsupported()})
        table.insert(table.end(), group.begin(), group.end());
    std::ranges::sort(table, {}, keyOf);
    return table;
}

} // namespace

std::span<const Operator> operatorTable()
{
    static const std::vector<Operator> table = assembled();
    return table;
}

const Operator *findOperator(std::string_view domain, std::string_view name, std::int64_t opset)
{
    if (domain == gradientDomain)
        return findGradientOperator(name);
    const auto table = operatorTable();
    // Find the last entry that is not newer than the opset.
    const auto after = std::ranges::upper_bound(table, std::tuple(domain, name, opset), {}, keyOf);
    if (after == table.begin())
        return nullptr;
    const Operator &entry = *std::prev(after);
    return entry.domain == domain && entry.name == name ? &entry : nullptr;
}

} // namespace graphloom
