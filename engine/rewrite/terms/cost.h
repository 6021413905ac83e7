// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/describe/operator_table.h"

#include <compare>

namespace graphloom {

/// Holds the cost of one run of a call, compared in this order: scalar operations (flopsOf), calls,
/// scalar operations weighted by how long each takes (a power longer than a product), and bytes
/// read and written (trafficOf). Symbolic extents count as `symbolicExtent`.
struct Cost {
    double flops = 0;
    double calls = 0;
    double effort = 0; // in units of additions
    double bytes = 0;

    static constexpr double symbolicExtent = 64;

    Cost &operator+=(const Cost &other);
    Cost operator-(const Cost &other) const;
    friend Cost operator+(Cost a, const Cost &b) { return a += b; }
    auto operator<=>(const Cost &) const = default;
};

/// Holds what rules need to know of a call, derived from its description.
struct CallFacts {
    Cost cost;
    bool commutative = false; // in its first two inputs
};
CallFacts factsOf(const Description &description, const Call &call);

/// Returns the cost of an Identity.
Cost costOfCopy(const Tensor &tensor);

} // namespace graphloom
