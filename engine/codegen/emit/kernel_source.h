// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace graphloom {

/// Holds a translation unit in C, and the functions that a library built from it must define.
struct KernelSource {
    std::string text;
    std::vector<std::string> symbols = {};
};

} // namespace graphloom
