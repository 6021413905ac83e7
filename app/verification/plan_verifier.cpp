// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/verification/plan_verifier.h"

#include "engine/base/steps.h"
#include "engine/ops/derive/infer.h"
#include "engine/verify/rehearsal.h"

#include <QCoreApplication>

#include <algorithm>
#include <exception>

namespace graphloom {

namespace {

struct VerifierText {
    Q_DECLARE_TR_FUNCTIONS(PlanVerifier)
};

constexpr double longestRehearsal = 30; // seconds that the passes took

/// Runs the passes of a plan's history again on another plan.
Result<Plan> replayed(const Plan &plan, const std::vector<PassJob> &passes, Plan to,
                      const std::stop_token &stop)
{
    for (const PassRecord &record : plan.history) {
        const auto job = std::ranges::find_if(passes, [&](const PassJob &candidate) {
            return candidate.pass->name() == record.pass;
        });
        Context context;
        context.stop = stop;
        context.settings = Settings(job->pass->parameters(), job->pass->rules());
        for (const auto &[name, value] : record.settings)
            GL_TRY(context.settings.set(name, value));
        GL_TRY_RESULT(better, runPassApart(*job, to, context));
        to = *std::move(better);
    }
    return to;
}

/// Tells whether all passes of a plan's history are known and took seconds only.
bool canRehearse(const Plan &plan, const std::vector<PassJob> &passes)
{
    double seconds = 0;
    for (const PassRecord &record : plan.history) {
        seconds += record.seconds;
        if (std::ranges::none_of(
                passes, [&](const PassJob &job) { return job.pass->name() == record.pass; }))
            return false;
    }
    return !plan.history.empty() && !plan.training && seconds <= longestRehearsal;
}

/// Holds the two graphs that are run.
struct RunGraphs {
    Graph original, plan;
    std::size_t filledWeights = 0;
};

/// Returns the graphs with filled weights where these can be filled in both only by running the
/// passes again; otherwise as they are.
Result<RunGraphs> graphsToRun(const Plan &plan, const VerifyChoices &choices,
                              const std::vector<PassJob> &passes, const std::stop_token &stop)
{
    RunGraphs pair{plan.model->graph, plan.graph};
    if (!hasChangedSplats(pair.original, pair.plan) || !canRehearse(plan, passes))
        return pair;
    const auto rehearsal = rehearse(*plan.model, choices.seed, [&](Plan to) {
        return replayed(plan, passes, std::move(to), stop);
    });
    if (stop.stop_requested())
        return stoppedError();
    if (rehearsal && sameCalls(rehearsal->plan.graph, plan.graph))
        pair = {rehearsal->plan.model->graph, rehearsal->plan.graph, rehearsal->filledWeights};
    return pair;
}

/// Gives the errors of a rehearsed graph the ids of the plan's own, which has the same calls in the
/// same order.
void giveOwnIds(TensorErrors &errors, const Graph &rehearsed, const Graph &own)
{
    for (TensorError &error : errors.tensors) {
        const auto &outputs = rehearsed.node(error.node).outputs;
        const auto slot = std::ranges::find(outputs, error.tensor) - outputs.begin();
        error.node = own.order()[rehearsed.position(error.node)];
        error.tensor = own.node(error.node).outputs[std::size_t(slot)];
    }
    if (errors.begins.valid())
        errors.begins = own.order()[rehearsed.position(errors.begins)];
}

/// Tells whether the nodes of both graphs are the same calls in the same order.
bool areAlike(const Graph &a, const Graph &b)
{
    return std::ranges::equal(a.order(), b.order(), [&](NodeId x, NodeId y) {
        return a.node(x).qualifiedOp() == b.node(y).qualifiedOp() &&
               a.node(x).outputs.size() == b.node(y).outputs.size();
    });
}

} // namespace

Result<VerificationPointer> verifyPlan(std::shared_ptr<const Plan> plan,
                                       const VerifyChoices &choices,
                                       const std::optional<GivenInputs> &inputs,
                                       const std::vector<PassJob> &passes, std::stop_token stop,
                                       std::function<void(double, std::string_view)> progress)
try {
    progress(0, "filling weights");
    const Opsets opsets = opsetsOf(*plan->model);
    GL_TRY_RESULT(pair, graphsToRun(*plan, choices, passes, stop));
    if (!areAlike(pair->plan, plan->graph))
        pair = RunGraphs{plan->model->graph, plan->graph};
    TensorErrorOptions options;
    options.tolerance = choices.tolerance;
    options.seed = choices.seed;
    options.stop = stop;
    options.progress = std::move(progress);
    if (inputs)
        options.inputs = inputs->values;
    GL_TRY_RESULT(errors, tensorErrors({"the original model", pair->original, opsets},
                                       {"the plan", pair->plan, opsets}, options));
    if (!*errors)
        return stoppedError();
    PlanVerification verification;
    verification.errors = **std::move(errors);
    verification.errors.verification.filledWeights += pair->filledWeights;
    giveOwnIds(verification.errors, pair->plan, plan->graph);
    const QString title =
        inputs ? inputs->title : VerifierText::tr("random inputs, seed %1").arg(choices.seed);
    verification.inputs = title.toStdString();
    verification.plan = std::move(plan);
    return verificationOf(std::move(verification));
} catch (const std::exception &exception) { // such as out of memory, which must not end the session
    return fail(Error::Kind::Fault, exception.what());
}

} // namespace graphloom
