// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/steps/figures_step.h"

#include "app/batch/report/baseline.h"
#include "app/batch/report/summary.h"
#include "app/batch/steps/compare_step.h"
#include "app/batch/steps/verify_steps.h"

namespace graphloom {

namespace {

std::vector<Gate> checkAssertions(const BatchState &batch)
{
    std::vector<Gate> gates;
    for (const Expression &assertion : batch.setup.assertions) {
        Gate gate{"assert", assertion.text(), false, {}};
        if (const auto outcome = assertion.evaluate(batch.report)) {
            gate.passed = outcome->holds;
            gate.message = outcome->values;
        } else {
            gate.message = outcome.error().message;
        }
        gates.push_back(std::move(gate));
    }
    return gates;
}

void recordGate(BatchState &batch, const Gate &gate, Check::Outcome failure)
{
    batch.gatesFailed |= !gate.passed;
    batch.log.record(
        {gate.kind, gate.text, gate.passed ? Check::Outcome::Passed : failure, gate.message, 0});
    batch.log.tell("gate", {{"kind", gate.kind},
                            {"text", gate.text},
                            {"passed", gate.passed},
                            {"message", gate.message}});
}

void compare(BatchState &batch)
{
    batch.modelDifferences = modelDifferences(*batch.setup.baseline, batch.report);
    if (!batch.modelDifferences.empty())
        batch.log.warn("the baseline belongs to another model: " + batch.modelDifferences);
    batch.comparisons =
        compareWithBaseline(*batch.setup.baseline, batch.report, batch.options.tolerances);
    const std::vector<Gate> gates = gatesOf(batch.comparisons);
    for (std::size_t i = 0; i < gates.size(); ++i) {
        // Figures that cannot be compared are an error, not a failure.
        const bool incomparable =
            batch.comparisons[i].outcome == FigureComparison::Outcome::Incomparable;
        recordGate(batch, gates[i], incomparable ? Check::Outcome::Error : Check::Outcome::Failed);
        if (!gates[i].passed)
            batch.log.print(summaryOf(gates[i]));
    }
    batch.log.print(summaryLine("baseline", countsOf(batch.comparisons)));
    if (!batch.comparisons.empty())
        batch.log.print("\n" + tableOf(batch.comparisons));
    else
        batch.log.warn("the baseline contains no comparable figures");
    batch.gates.insert(batch.gates.end(), gates.begin(), gates.end());
}

} // namespace

Result<void> checkFigures(BatchState &batch)
{
    GL_TRY(checkIntact(batch));
    batch.log.begin("report");
    GL_TRY_RESULT(report, reportOf(*batch.plan, batch.content));
    batch.report = std::move(*report);
    if (batch.target) {
        addTargetSections(batch.report, batch.target->outcome());
        addDevices(batch.report, batch.target->outcome(), batch.otherOutcomes);
        if (batch.content.verification)
            batch.report["verify"]["target"] = batch.target->outcome().target;
    }
    for (const Diagnostic &noticed : batch.noticed)
        batch.report["warnings"].push_back({{"id", noticed.rule}, {"text", noticed.message}});
    GL_TRY(tellDifferences(batch));
    batch.gates = checkAssertions(batch);
    for (const Gate &gate : batch.gates) {
        recordGate(batch, gate, Check::Outcome::Failed);
        batch.log.print(summaryOf(gate));
    }
    if (batch.setup.baseline)
        compare(batch);
    batch.failed |= batch.gatesFailed;
    if (!batch.gates.empty())
        batch.report["gates"] = reportOf(batch.gates);
    if (!batch.comparisons.empty())
        batch.report["comparison"] = reportOf(batch.comparisons);
    return {};
}

} // namespace graphloom
