// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"

#include <filesystem>
#include <string>

namespace graphloom {

/// All bytes of a file. Fails (Missing) when it cannot be read.
Result<std::string> readFile(const std::filesystem::path &path);

} // namespace graphloom
