// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace graphloom {

/// Holds the contents of the files of resources/devices, compiled in (engine/CMakeLists.txt).
extern const std::span<const std::string_view> deviceFiles;

} // namespace graphloom
