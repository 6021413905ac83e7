// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/nests/nest_reads.h"

#include <optional>

namespace graphloom {

/// Replaces reads of a nest by values. Nothing is written before finish(), which goes through the
/// nest's expressions once: replacing many reads takes time linear in their values, not quadratic.
class NestInlining {
public:
    /// Starts with equal reads merged into one.
    NestInlining(Nest &nest, Steps &steps);

    const KnownReads &known() const { return m_known; }
    bool isReplaced(ReadIndex read) const
    {
        return m_values.contains(read) && !m_values[read].empty();
    }

    /// Returns an adoption of what another nest computes, to be read at `read`.
    ReadAdoption adoption(const Nest &other, const AxisForms &axes)
    {
        return {m_nest, m_known, other, axes, m_steps};
    }
    /// Replaces a read by a value; `nodes` are the nodes whose work it is.
    void replace(ReadIndex read, Expr value, const std::vector<NodeId> &nodes = {});

    /// Writes the values and drops the reads that are replaced. Returns the new indices of the
    /// others (dropUnusedReads()).
    IndexedVector<ReadIndex, ReadIndex> finish();

private:
    const Expr &resolved(ReadIndex read);
    ReadIndex lookupOf(ReadIndex read) const;

    Nest &m_nest;
    Steps &m_steps;
    KnownReads m_known;
    IndexedVector<ReadIndex, Expr> m_values;   // empty where a read stays
    IndexedVector<ReadIndex, bool> m_resolved; // whether a value is free of replaced reads
    std::vector<ReadIndex> m_replaced;         // in turn
    std::vector<std::vector<NodeId>> m_nodes;
};

} // namespace graphloom
