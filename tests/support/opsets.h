// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace graphloom::test {

/// Opsets of tests that need no others: 17 in every domain.
inline std::int64_t opset17(std::string_view)
{
    return 17;
}

} // namespace graphloom::test
