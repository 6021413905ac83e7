// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/index/index_map.h"

#include <algorithm>

namespace graphloom {

bool dependsOn(std::span<const IndexForm> map, AxisIndex variable)
{
    return std::ranges::any_of(map,
                               [&](const IndexForm &form) { return form.dependsOn(variable); });
}

IndexForm offsetOf(std::span<const IndexForm> map, const Storage &storage)
{
    IndexForm offset = storage.base;
    for (std::size_t d = 0; d < map.size(); ++d)
        offset = offset + map[d] * storage.strides[d];
    return offset.joined();
}

} // namespace graphloom
