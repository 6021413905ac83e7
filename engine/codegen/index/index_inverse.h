// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/index/index_form.h"

#include <optional>
#include <vector>

namespace graphloom {

/// A writer with axes y writes element map(y); for the element `element` (forms over variables x
/// that run to `extents`): y as forms over x. None unless each dimension of the map is a
/// mixed-radix number of axes of its own that begins at 0.
std::optional<std::vector<IndexForm>> axesFrom(const std::vector<IndexForm> &map,
                                               const std::vector<std::int64_t> &axisExtents,
                                               const std::vector<IndexForm> &element,
                                               const std::vector<std::int64_t> &extents);

/// A reader with axes y reads element read(y) of a tensor; somebody with axes x writes its element
/// write(x). For each x the one y that reads what x writes, y as forms over x; none where that is
/// not one to one. Sees through reshapes: both are compared by row-major position in the tensor.
std::optional<std::vector<IndexForm>>
axesThrough(const std::vector<IndexForm> &read, const std::vector<std::int64_t> &readExtents,
            const std::vector<std::int64_t> &shape, const std::vector<IndexForm> &write,
            const std::vector<std::int64_t> &writeExtents, int writeSpaceAxes);

} // namespace graphloom
