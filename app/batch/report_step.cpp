// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/report_step.h"

#include "app/batch/baseline.h"
#include "app/batch/summary.h"
#include "app/batch/verify_steps.h"
#include "engine/base/atomic_file.h"

namespace graphloom {

namespace {

std::vector<Gate> checkGates(const BatchState &batch, const nlohmann::ordered_json &report)
{
    std::vector<Gate> gates;
    for (const Expression &assertion : batch.setup.assertions) {
        Gate gate{"assert", assertion.text(), false, {}};
        if (const auto outcome = assertion.evaluate(report)) {
            gate.passed = outcome->holds;
            gate.message = outcome->values;
        } else {
            gate.message = outcome.error().message;
        }
        gates.push_back(std::move(gate));
    }
    if (batch.setup.baseline) {
        auto compared = compareWithBaseline(*batch.setup.baseline, report);
        gates.insert(gates.end(), compared.begin(), compared.end());
    }
    return gates;
}

} // namespace

Result<void> writeReport(BatchState &batch)
{
    if (auto intact = checkIntact(batch); !intact)
        return intact;
    batch.log.begin("report");
    auto report = reportOf(*batch.plan, batch.content);
    if (!report)
        return tl::unexpected(report.error());
    if (batch.target) {
        addTargetSections(*report, batch.target->outcome());
        if (batch.content.verification)
            (*report)["verify"]["target"] = batch.target->outcome().target;
    }
    if (batch.setup.baseline) {
        const std::string differences = modelDifferences(*batch.setup.baseline, *report);
        if (!differences.empty())
            batch.log.warn("the baseline is of another model: " + differences);
    }
    const std::vector<Gate> gates = checkGates(batch, *report);
    for (const Gate &gate : gates) {
        batch.failed |= !gate.passed;
        batch.log.record({gate.kind, gate.text,
                          gate.passed ? Check::Outcome::Passed : Check::Outcome::Failed,
                          gate.message, 0});
        batch.log.print(summaryOf(gate));
    }
    if (!gates.empty())
        (*report)["gates"] = reportOf(gates);
    if (batch.options.report) {
        // Names in models may hold any bytes; the report stays readable.
        const std::string text =
            report->dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
        if (auto written = writeFileAtomically(*batch.options.report, text); !written)
            return written;
        batch.log.print(summaryLine("report", batch.options.report->string()));
    }
    return {};
}

} // namespace graphloom
