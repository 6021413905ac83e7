// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace graphloom {

/// Collects oddities that did not prevent reading: each text once, and no more than anybody would
/// read.
class Warnings {
public:
    void add(std::string text);
    std::vector<std::string> take();

private:
    std::set<std::string> m_seen;
    std::vector<std::string> m_texts;
    std::size_t m_left = 0; // number of texts that were dropped
};

} // namespace graphloom
