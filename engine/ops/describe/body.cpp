// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/describe/body.h"

#include <cmath>
#include <limits>

namespace graphloom::entries {

double lowest(DataType type)
{
    if (type == DataType::Bool || isUnsignedInteger(type))
        return 0;
    return isFloatingPoint(type) ? -std::numeric_limits<double>::infinity()
                                 : -std::pow(2.0, bitsOf(type) - 1);
}

double highest(DataType type)
{
    if (type == DataType::Bool)
        return 1;
    if (isFloatingPoint(type))
        return std::numeric_limits<double>::infinity();
    return std::pow(2.0, bitsOf(type) - (isSignedInteger(type) ? 1 : 0)) - 1;
}

} // namespace graphloom::entries
