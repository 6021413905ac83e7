// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/nests/nest.h"

#include <vector>

namespace graphloom {

/// Axes of consecutive nests that are one, as the tensors between them say: where one nest writes
/// along an axis what another reads along one.
class SharedAxes {
public:
    SharedAxes(const BlockNests &block, int first, int count);

    /// Does the last nest read anything of the others?
    bool isConnected() const { return m_connected; }
    /// Axes, by nest, of each class that every nest has once.
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
