// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace graphloom {

/// Returns the opset version that nodes of a graph follow in a domain.
using Opsets = std::function<std::int64_t(std::string_view domain)>;

} // namespace graphloom
