// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace graphloom {

/// What was odd but could be read; each text once, and not more than anybody would read.
class Warnings {
public:
    void add(std::string text);
    std::vector<std::string> take();

private:
    std::set<std::string> m_seen;
    std::vector<std::string> m_texts;
    std::size_t m_left = 0; // that were not kept
};

} // namespace graphloom
