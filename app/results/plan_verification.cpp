// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/results/plan_verification.h"

#include "app/common/format.h"

#include <cmath>

namespace graphloom {

QString PlanVerification::inputsText() const
{
    return fromUtf8(inputs);
}

bool PlanVerification::isOf(const Plan &other) const
{
    return isSameGraph(*plan, other);
}

VerificationPointer verificationOf(PlanVerification verification)
{
    verification.byNode.resize(verification.plan->graph.nodeBound());
    for (const TensorError &error : verification.errors.tensors) {
        verification.alone += error.state == TensorError::State::Alone;
        if (error.state != TensorError::State::Compared)
            continue;
        ++verification.compared;
        std::optional<double> &most = verification.byNode[error.node.index];
        most = std::max(most.value_or(0), error.comparison.maxRelError);
    }
    return std::make_shared<const PlanVerification>(std::move(verification));
}

QString formatError(double error)
{
    if (std::isinf(error))
        return error > 0 ? QStringLiteral("∞") : QStringLiteral("−∞");
    return error != 0 && std::abs(error) < 1e-3 ? QString::number(error, 'e', 1)
                                                : formatReal(error);
}

} // namespace graphloom
