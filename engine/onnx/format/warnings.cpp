// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/format/warnings.h"

namespace graphloom {

void Warnings::add(std::string text)
{
    constexpr std::size_t most = 100;
    if (m_texts.size() == most) {
        ++m_left;
        return;
    }
    if (m_seen.insert(text).second)
        m_texts.push_back(std::move(text));
}

std::vector<std::string> Warnings::take()
{
    if (m_left > 0)
        m_texts.push_back("and " + std::to_string(m_left) + " more");
    m_seen.clear();
    m_left = 0;
    return std::move(m_texts);
}

} // namespace graphloom
