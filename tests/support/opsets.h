// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace graphloom::test {

/// Returns opset 17 for every domain, for tests that need no other opset.
inline std::int64_t opset17(std::string_view)
{
    return 17;
}

} // namespace graphloom::test
