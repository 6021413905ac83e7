// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace graphloom {

/// A translation unit in C, and the functions that a library made of it has to have.
struct KernelSource {
    std::string text;
    std::vector<std::string> symbols = {};
};

} // namespace graphloom
