// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/cost/device.h"
#include "engine/ops/derive/splits.h"
#include "engine/ops/derive/window_convolution.h"
#include "engine/ops/describe/operator_table.h"

#include <span>

namespace graphloom {

/// Describes the work of one call, whole or in parts; derived from its stages.
class CallWork {
public:
    /// Describes a split of the call (by its index in splits()) into parts, each of which is
    /// `share` of the whole.
    struct Cut {
        int split;
        double share;
    };

    CallWork() = default;
    /// Derives the work from the call and its description. Symbolic extents count as
    /// `symbolicExtent`.
    CallWork(const Description &description, const Call &call, double symbolicExtent = 64)
        : CallWork(description, call, splitsOf(description), symbolicExtent)
    {
    }
    /// Does the same for a call that is not split, in less time.
    static CallWork whole(const Description &description, const Call &call,
                          double symbolicExtent = 64)
    {
        return {description, call, {}, symbolicExtent};
    }

    const std::vector<Split> &splits() const { return m_splits; }
    /// Returns the work of a part, or of the whole call if there are no cuts. Bytes are those of
    /// distinct elements.
    KernelWork work(std::span<const Cut> cuts = {}) const;

private:
    CallWork(const Description &description, const Call &call, std::vector<Split> splits,
             double symbolicExtent);

    struct Nest;
    std::optional<WinogradWork> winogradOf(const Nest &nest, std::span<const Cut> cuts) const;
    double extentOf(const Nest &nest, int axis, std::span<const Cut> cuts) const;
    void addScatters(const Description &description, double symbolicExtent);

    struct Loops {
        double extent;
        enum class Role : std::uint8_t { Rows, Columns, Both, Depth } role;
        int split; // the split that cuts it; -1: none
    };
    struct Nest {
        std::vector<Loops> loops;
        bool product = false;
        bool streams = false;                             // MatrixWork::streams
        std::optional<WindowConvolution> window;          // if Winograd's algorithm may compute it
        double operations = 0, functions = 0;             // per point
        double finishOperations = 0, finishFunctions = 0; // per point of the space axes
    };
    struct Bytes {
        double bytes;
        std::vector<int> splits; // the splits that cut it
    };

    std::vector<Split> m_splits;
    std::vector<Nest> m_nests;
    std::vector<Bytes> m_bytes;
    double m_opaqueFlops = 0;
};

} // namespace graphloom
