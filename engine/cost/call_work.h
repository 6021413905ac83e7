// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/cost/device.h"
#include "engine/ops/derive/splits.h"
#include "engine/ops/describe/operator_table.h"

#include <span>

namespace graphloom {

/// What one call does, whole or in parts; derived from its stages.
class CallWork {
public:
    /// A split of the call (by its place in splits()) into parts of which this is the share.
    struct Cut {
        int split;
        double share;
    };

    CallWork() = default;
    /// The description is the call's. Symbolic extents count as `symbolicExtent`.
    CallWork(const Description &description, const Call &call, double symbolicExtent = 64);

    const std::vector<Split> &splits() const { return m_splits; }
    /// Work of a part; all of it without cuts. Bytes are those of distinct elements.
    KernelWork work(std::span<const Cut> cuts = {}) const;

private:
    void addScatters(const Description &description, double symbolicExtent);

    struct Loops {
        double extent;
        enum class Role : std::uint8_t { Rows, Columns, Both, Depth } role;
        int split; // that cuts it; -1: none
    };
    struct Nest {
        std::vector<Loops> loops;
        bool product = false;
        double operations = 0;       // for each point
        double finishOperations = 0; // for each point of the space axes
    };
    struct Bytes {
        double bytes;
        std::vector<int> splits; // that cut it
    };

    std::vector<Split> m_splits;
    std::vector<Nest> m_nests;
    std::vector<Bytes> m_bytes;
    double m_opaqueFlops = 0;
};

} // namespace graphloom
