// SPDX-License-Identifier: Apache-2.0
#include "engine/fusion/facts/mapping_table.h"

#include <algorithm>

namespace graphloom {

std::string_view nameOf(FusionVerdict verdict)
{
    constexpr std::string_view names[] = {"green", "yellow", "red"};
    return names[std::size_t(verdict)];
}

namespace {

/// Tells whether a type decides the fused type regardless of the other one.
bool isStrong(MappingType type)
{
    return type == MappingType::OneToMany || type == MappingType::ManyToMany;
}

MappingType fusedType(MappingType first, MappingType second)
{
    if (first == MappingType::OneToOne)
        return second;
    if (second == MappingType::OneToOne)
        return first;
    if (isStrong(first) || isStrong(second))
        return std::max(first, second);
    // A mixture of Reorganize and Shuffle is no longer a permutation of dimensions.
    return first == second ? first : MappingType::Reorganize;
}

} // namespace

FusionCell fusionCell(MappingType first, MappingType second)
{
    if (first == MappingType::Opaque || second == MappingType::Opaque)
        return {MappingType::Opaque, FusionVerdict::Red};
    const MappingType fused = fusedType(first, second);
    if (isStrong(first) && second == MappingType::ManyToMany)
        return {fused, FusionVerdict::Red};
    if (first == MappingType::OneToOne || second == MappingType::OneToOne)
        return {fused, FusionVerdict::Green};
    if (first == MappingType::OneToMany && second == MappingType::OneToMany)
        return {fused, FusionVerdict::Green};
    return {fused,
            isStrong(first) || isStrong(second) ? FusionVerdict::Yellow : FusionVerdict::Green};
}

std::string textOfCell(MappingType first, MappingType second)
{
    return std::string(nameOf(first)) + " before " + std::string(nameOf(second)) +
           ", DNNFusion Table 3: " + std::string(nameOf(fusionCell(first, second).verdict));
}

std::string_view meaningOf(FusionVerdict verdict)
{
    return verdict == FusionVerdict::Red
               ? "one kernel would compute or read the same elements repeatedly"
               : "one kernel may read memory in a worse order: costs decide";
}

} // namespace graphloom
