// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace graphloom {

/// Holds a translation unit in C, and the functions that a library built from it must define.
struct KernelSource {
    enum class Form {
        Library, // to be loaded by a program of this machine
        Object,  // to be linked to a program, perhaps of another machine
    };
    std::string text;
    std::vector<std::string> symbols = {};
    /// What the text begins with, if the functions depend on nothing else but their own code, of
    /// which their names are hashes. Otherwise empty.
    std::string common = {};
    Form form = Form::Library;
};

} // namespace graphloom
