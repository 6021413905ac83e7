// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/nests/nest.h"

#include <vector>

namespace graphloom {

/// Finds axes of consecutive nests that are the same: one nest writes a dimension of a tensor along
/// an axis along which another one reads it.
class SharedAxes {
public:
    SharedAxes(const BlockNests &block, int first, int count);

    /// Tells whether the last nest reads anything from the others.
    bool isConnected() const { return m_connected; }
    /// Returns, for each class of axes that every nest has exactly once, its axes by nest.
    std::vector<std::vector<int>> classes();

private:
    const Nest &nest(int n) const { return m_block.nests[std::size_t(m_first + n)]; }
    int find(int member);
    void spoil(int n, const IndexForm &form);
    void connect(int writer, const std::vector<IndexForm> &write, int reader,
                 const std::vector<IndexForm> &read);

    const BlockNests &m_block;
    int m_first, m_count;
    std::vector<int> m_base, m_parent;
    std::vector<bool> m_usable;
    bool m_connected = false;
};

} // namespace graphloom
