// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/derive/analysis.h"

#include <string>

namespace graphloom {

/// What DNNFusion's Table 3 says of fusing two operators, by its colours: profitable, to be
/// decided by a profile or a cost model, unprofitable or illegal.
enum class FusionVerdict { Green, Yellow, Red };
std::string_view nameOf(FusionVerdict verdict);

/// One cell of Table 3: the fused operator's mapping type, and the colour. The text of section
/// 3.2 tells the colours: One-to-One fuses with anything; Reorganize and Shuffle beside One-to-Many
/// or Many-to-Many, and Many-to-Many before One-to-Many, need a decision; Many-to-Many behind
/// One-to-Many or Many-to-Many is unprofitable. Opaque with anything is red.
struct FusionCell {
    MappingType mapping;
    FusionVerdict verdict;
};
FusionCell fusionCell(MappingType first, MappingType second);
/// "Many-to-Many before One-to-Many (Table 3: yellow)".
std::string textOfCell(MappingType first, MappingType second);

} // namespace graphloom
