// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/derive/mapping_type.h"

#include <string>

namespace graphloom {

/// Gives the verdict of DNNFusion's Table 3 on fusing two operators, by its colours: green is
/// profitable, yellow is to be decided by a profile or a cost model, red is unprofitable or
/// illegal.
enum class FusionVerdict { Green, Yellow, Red };
std::string_view nameOf(FusionVerdict verdict);

/// Describes one cell of Table 3: the fused operator's mapping type, and the colour. The text of
/// section 3.2 gives the colours: One-to-One fuses with anything; Reorganize and Shuffle with
/// One-to-Many or Many-to-Many, and Many-to-Many before One-to-Many, need a decision; Many-to-Many
/// after One-to-Many or Many-to-Many is unprofitable. Opaque with anything is red.
struct FusionCell {
    MappingType mapping;
    FusionVerdict verdict;
};
FusionCell fusionCell(MappingType first, MappingType second);
/// Returns "Many-to-Many before One-to-Many, DNNFusion Table 3: yellow".
std::string textOfCell(MappingType first, MappingType second);
/// Returns the meaning of a verdict that is not green, without the terms of the paper.
std::string_view meaningOf(FusionVerdict verdict);

} // namespace graphloom
