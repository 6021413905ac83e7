// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/nests/nest_reads.h"

#include <optional>

namespace graphloom {

/// Puts values in the place of a nest's reads. Nothing is written before finish(), which goes
/// through what the nest computes once: replacing many costs what they are, not their square.
class NestInlining {
public:
    /// Reads that are equal become one.
    NestInlining(Nest &nest, Steps &steps);

    const KnownReads &known() const { return m_known; }
    bool isReplaced(int read) const
    {
        return std::size_t(read) < m_values.size() && !m_values[std::size_t(read)].empty();
    }

    /// For what another nest computes, to be read at `read`.
    ReadAdoption adoption(const Nest &other, const std::vector<IndexForm> &axes)
    {
        return {m_nest, m_known, other, axes, m_steps};
    }
    /// `nodes`: whose work it is.
    void replace(int read, Expr value, const std::vector<NodeId> &nodes = {});

    /// Writes the values, and drops the reads that are replaced. Gives the new numbers of the
    /// others (dropUnusedReads()).
    std::vector<int> finish();

private:
    const Expr &resolved(int read);
    int lookupOf(int read) const;

    Nest &m_nest;
    Steps &m_steps;
    KnownReads m_known;
    std::vector<Expr> m_values;   // by read; empty: it stays
    std::vector<bool> m_resolved; // values that hold nothing that is replaced
    std::vector<int> m_replaced;  // in turn
    std::vector<std::vector<NodeId>> m_nodes;
};

} // namespace graphloom
