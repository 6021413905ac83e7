// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace graphloom {

/// Names the parts of a plan that refer to its graph, in the words of messages.
namespace plan_parts {
inline constexpr std::string_view partition = "partition", fusion = "fusion blocks",
                                  layouts = "layouts", kernels = "kernels", memory = "memory plan",
                                  schedule = "memory schedule";
} // namespace plan_parts

} // namespace graphloom
