// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace graphloom {

/// Describes where figures were obtained; part of every report.
struct Environment {
    std::string cpu; // the name that the processor reports
    unsigned threads = 0;
    std::string compiler; // the compiler that built this program
    std::string device;   // "host": architecture, vectors, processors and memory
};

/// Describes this machine. `threads` is the number that work may use; 0 stands for one per core.
Environment hostEnvironment(unsigned threads);

} // namespace graphloom
