// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace graphloom {

/// Where figures were obtained; part of every report.
struct Environment {
    std::string cpu; // as the processor names itself
    unsigned threads = 0;
    std::string compiler; // that this program was built with
    std::string device;   // "host": architecture, vectors, processors and memory
};

/// Of this machine. `threads` is the number that work may use; 0 stands for one per core.
Environment hostEnvironment(unsigned threads);

} // namespace graphloom
