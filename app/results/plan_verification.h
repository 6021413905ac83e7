// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/snapshot/snapshot.h"
#include "engine/verify/verified_plan.h"

#include <QString>

namespace graphloom {

/// A `PlanVerification` holds what running a plan beside the original model has shown. It is
/// immutable and shared by all views. A session keeps the verified plan.
struct PlanVerification : VerifiedPlan {
    // Made by verificationOf().
    /// The greatest relative error among the tensors that a node writes, by node id of the plan;
    /// nothing if none of them was compared.
    std::vector<std::optional<double>> byNode;

    std::size_t compared = 0, alone = 0; // tensors

    /// Returns what both were run on.
    QString inputsText() const;
    /// Tells whether the other plan has the same graph.
    bool isOf(const Plan &other) const;
};
using VerificationPointer = std::shared_ptr<const PlanVerification>;

/// Completes a verification with what is derived from its errors.
VerificationPointer verificationOf(PlanVerification verification);

/// Returns an error or a ratio as views show it: "1.3e-07", "0", "∞".
QString formatError(double error);

} // namespace graphloom
