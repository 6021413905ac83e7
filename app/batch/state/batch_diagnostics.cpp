// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/state/batch_diagnostics.h"

#include "app/batch/report/sarif.h"
#include "engine/ops/derive/infer.h"
#include "engine/ops/describe/operator_table.h"
#include "engine/ops/describe/stage.h"

namespace graphloom {

namespace {

using Outcome = FigureComparison::Outcome;

using Diagnostics = std::vector<Diagnostic>;

/// Returns a diagnostic of the loader or of a pass, with the locations that its text names.
Diagnostic diagnosticOf(std::string_view rule, const std::string &text)
{
    return {rule, text, byteIn(text), nodesIn(text), {}};
}

void addModelDiagnostics(const Plan &plan, Diagnostics &all)
{
    for (const std::string &warning : plan.model->warnings)
        all.push_back(diagnosticOf("GL1002", warning));
    const Opsets opsets = opsetsOf(*plan.model);
    for (const NodeId id : plan.graph.order()) {
        const auto description = describe(plan.graph, id, opsets);
        if (description && description->isOpaque())
            all.push_back({"GL2001",
                           plan.graph.node(id).label() + " is opaque: " + description->opaque,
                           {},
                           {plan.graph.node(id).name}});
    }
}

void addMemoryDiagnostics(const Plan &plan, Diagnostics &all)
{
    const MemoryPlan &memory = *plan.memory;
    if (!memory.limitsMet)
        all.push_back(
            {"GL2004", "no plan within the limits was found: the best one has a peak of " +
                           std::to_string(peakBytesOf(plan)) + " bytes, the original one of " +
                           std::to_string(memory.before.peakBytes)});
    if (!memory.realized && !memory.unrealized.empty())
        all.push_back({"GL2003", memory.unrealized});
    for (const MemoryPlan::Times::Problem &problem : memory.times.problems)
        all.push_back({"GL2005", problem.reason, {}, {problem.node}});
}

void addKernelDiagnostics(const BatchState &batch, Diagnostics &all)
{
    for (const PlanStep &step : batch.target->outcome().steps) {
        if (step.reason.empty())
            continue;
        Diagnostic diagnostic{"GL2002", step.text + " is interpreted: " + step.reason};
        const auto &fusion = batch.plan->fusion;
        if (step.block && fusion && *step.block < fusion->blocks.size())
            for (const NodeId id : fusion->partition.subgraphs[*step.block].nodes)
                diagnostic.nodes.push_back(batch.plan->graph.node(id).name);
        diagnostic.subject = step.text;
        all.push_back(std::move(diagnostic));
    }
}

void addCheckDiagnostics(const BatchState &batch, Diagnostics &all)
{
    if (const auto &verification = batch.content.verification) {
        if (verification->passed && !verification->comparable)
            all.push_back(diagnosticOf("GL3002", verification->message));
        else if (!verification->passed)
            all.push_back(diagnosticOf("GL3001", "verification failed: " + verification->message));
        for (const std::string &warning : verification->warnings)
            all.push_back(diagnosticOf("GL3002", warning));
    }
    for (const TestDataOutcome &outcome : batch.content.testData)
        if (!outcome.result.passed)
            all.push_back(
                {"GL3003", outcome.folder + ": " + outcome.result.message, {}, {}, outcome.folder});
    for (const Gate &gate : batch.gates)
        if (gate.kind == "assert" && !gate.passed)
            all.push_back(
                {"GL3004", gate.text + " does not hold: " + gate.message, {}, {}, gate.text});
    for (const FigureComparison &compared : batch.comparisons) {
        if (compared.passed())
            continue;
        const std::string_view rule = compared.outcome == Outcome::Worse     ? "GL3005"
                                      : compared.outcome == Outcome::Missing ? "GL3007"
                                                                             : "GL3006";
        all.push_back({rule, compared.metric + ": " + compared.message(), {}, {}, compared.metric});
    }
    if (!batch.modelDifferences.empty())
        all.push_back(
            {"GL3008", "the baseline belongs to another model: " + batch.modelDifferences});
    for (const std::string &output : batch.withheld)
        all.push_back({"GL4001", "not written: " + output, {}, {}, output});
}

} // namespace

std::vector<Diagnostic> diagnosticsOf(const BatchState &batch)
{
    Diagnostics all;
    if (batch.plan) {
        addModelDiagnostics(*batch.plan, all);
        if (batch.plan->memory)
            addMemoryDiagnostics(*batch.plan, all);
        if (batch.target)
            addKernelDiagnostics(batch, all);
    }
    all.insert(all.end(), batch.noticed.begin(), batch.noticed.end());
    addCheckDiagnostics(batch, all);
    if (batch.error && batch.error->kind == Error::Kind::Model)
        all.push_back(diagnosticOf(batch.plan ? "GL2006" : "GL1001", batch.error->text()));
    return all;
}

std::string sarifOf(const BatchState &batch, int exitCode)
{
    SarifRun run;
    run.model = batch.options.model;
    if (batch.plan)
        run.modelBytes = batch.plan->model->fileBytes;
    run.diagnostics = diagnosticsOf(batch);
    run.exitCode = exitCode;
    run.start = batch.log.start();
    // An error that is not the model's is reported for the run itself.
    if (batch.error && batch.error->kind != Error::Kind::Model)
        run.problem = batch.errorStage + ": " + batch.error->text();
    if (batch.report.is_object())
        for (const char *section : {"model", "environment"})
            run.properties[section] = batch.report[section];
    run.properties["checks"] = batch.log.checks().size();
    return sarifOf(run);
}

} // namespace graphloom
