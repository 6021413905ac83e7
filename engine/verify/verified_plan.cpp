// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/verified_plan.h"

#include <algorithm>
#include <cmath>

namespace graphloom {

namespace {

tl::unexpected<Error> refuse(const std::string &why)
{
    return fail(Error::Kind::Model, why);
}

/// Errors may be infinite, but comparisons never give NaN.
bool isError(double value)
{
    return value >= 0;
}

bool isPossible(const Comparison &of)
{
    return isError(of.maxAbsError) && isError(of.maxRelError) && isError(of.signal) &&
           isError(of.noise) && of.finite >= 0 && of.different >= 0;
}

Result<void> checkOutcome(const Verification &outcome)
{
    if (!std::isfinite(outcome.tolerance) || outcome.tolerance < 0)
        return refuse("it has an impossible tolerance");
    if (!isError(outcome.maxAbsError) || !isError(outcome.maxRelError))
        return refuse("its outputs have an impossible error");
    if (outcome.passed && outcome.maxRelError > outcome.tolerance)
        return refuse("it passed with an error beyond its tolerance");
    return {};
}

/// Checks that the errors are those of all tensors that nodes write, in the order of the graph.
Result<void> checkTensors(const std::vector<TensorError> &errors, const Graph &graph)
{
    auto error = errors.begin();
    for (const NodeId node : graph.order())
        for (const TensorId tensor : graph.node(node).outputs) {
            if (!tensor.valid())
                continue;
            if (error == errors.end() || error->node != node || error->tensor != tensor)
                return refuse("its tensors are not those of the plan");
            ++error;
        }
    return error == errors.end() ? Result<void>() : refuse("it has more tensors than the plan");
}

Result<void> checkError(const TensorError &error, const Graph &original, double tolerance)
{
    const bool isAlone = error.state == TensorError::State::Alone;
    if (error.original.valid() ? isAlone || !original.contains(error.original) : !isAlone)
        return refuse("a tensor has a counterpart that the original model does not have");
    if (!isPossible(error.comparison))
        return refuse("a tensor has an impossible error");
    const bool passes =
        error.state != TensorError::State::Compared || error.comparison.maxRelError <= tolerance;
    return error.passes == passes ? Result<void>()
                                  : refuse("the result of a tensor contradicts its error");
}

Result<void> checkBeginning(const TensorErrors &errors, const Graph &graph)
{
    if (errors.begins.valid() && !graph.contains(errors.begins))
        return refuse("its error begins at a node that the plan does not have");
    const auto first = std::ranges::find(errors.tensors, false, &TensorError::passes);
    return first == errors.tensors.end() || first->node == errors.begins
               ? Result<void>()
               : refuse("its error does not begin at the first tensor that fails");
}

} // namespace

Result<void> checkVerification(const VerifiedPlan &verified)
{
    if (!verified.plan)
        return refuse("the plan that was verified is missing");
    const Plan &plan = *verified.plan;
    const TensorErrors &errors = verified.errors;
    GL_TRY(checkOutcome(errors.verification));
    GL_TRY(checkTensors(errors.tensors, plan.graph));
    for (const TensorError &error : errors.tensors)
        GL_TRY(checkError(error, plan.model->graph, errors.verification.tolerance));
    return checkBeginning(errors, plan.graph);
}

} // namespace graphloom
