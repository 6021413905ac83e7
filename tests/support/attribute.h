// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/attributes.h"

/// Contains functions that make attributes, in a form that is short to write in tests.
namespace graphloom::test {

inline Attribute integer(std::string name, std::int64_t value)
{
    return {std::move(name), value};
}
inline Attribute ints(std::string name, std::vector<std::int64_t> values)
{
    return {std::move(name), std::move(values)};
}
inline Attribute real(std::string name, float value)
{
    return {std::move(name), value};
}
inline Attribute word(std::string name, std::string value)
{
    return {std::move(name), std::move(value)};
}

} // namespace graphloom::test
