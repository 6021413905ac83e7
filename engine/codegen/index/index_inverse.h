// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/index/index_form.h"

#include <optional>
#include <vector>

namespace graphloom {

/// Returns the axes y, as forms over variables x, at which a writer writes the element `element`:
/// the writer writes element map(y), and `element` holds forms over x, which run to `extents`.
/// Returns nothing unless each dimension of the map is a mixed-radix number of axes of its own that
/// begins at 0.
std::optional<AxisForms> axesFrom(const std::vector<IndexForm> &map, const AxisExtents &axisExtents,
                                  const std::vector<IndexForm> &element,
                                  const AxisExtents &extents);

/// Returns, for each x, the one y, as forms over x, that reads what x writes: a reader with axes y
/// reads element read(y) of a tensor, a writer with axes x writes its element write(x). Returns
/// nothing if that is not one to one. Sees through reshapes: both are compared by row-major
/// position in the tensor. `reductions` are the axes x that no element written may depend on.
std::optional<AxisForms>
axesThrough(const std::vector<IndexForm> &read, const AxisExtents &readExtents,
            const std::vector<std::int64_t> &shape, const std::vector<IndexForm> &write,
            const AxisExtents &writeExtents, IndexRange<AxisIndex> reductions);

} // namespace graphloom
