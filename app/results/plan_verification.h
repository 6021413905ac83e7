// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/snapshot/snapshot.h"
#include "engine/verify/tensor_errors.h"

#include <QString>

namespace graphloom {

/// A `PlanVerification` holds what running a plan beside the original model has shown. It is
/// immutable and shared by all views.
struct PlanVerification {
    std::shared_ptr<const Plan> plan;
    TensorErrors errors;
    QString inputs; // what both were run on: "random inputs, seed 0"
    /// The greatest relative error among the tensors that a node writes, by node id of the plan;
    /// nothing if none of them was compared.
    std::vector<std::optional<double>> byNode;

    std::size_t compared = 0, alone = 0; // tensors
    /// Tells whether the other plan has the same graph.
    bool isOf(const Plan &other) const;
};
using VerificationPointer = std::shared_ptr<const PlanVerification>;

/// Completes a verification with what is derived from its errors.
VerificationPointer verificationOf(PlanVerification verification);

/// Returns an error or a ratio as views show it: "1.3e-07", "0", "∞".
QString formatError(double error);

} // namespace graphloom
