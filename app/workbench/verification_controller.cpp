// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/verification_controller.h"

#include "app/common/format.h"
#include "app/workbench/workbench.h"
#include "engine/base/monotone_progress.h"

#include <algorithm>

namespace graphloom {

namespace {

constexpr std::size_t mostKept = 8; // for undo and redo

} // namespace

VerificationController::VerificationController(Workbench &bench) : m_bench(bench)
{
    connect(bench.actions.verify, &QAction::triggered, this, &VerificationController::verify);
}

std::vector<PassJob> VerificationController::passes() const
{
    std::vector<PassJob> jobs;
    for (const PassPlugin &plugin : m_bench.options.plugins)
        if (plugin.pass) {
            PassJob &job = jobs.emplace_back();
            job.library = plugin.file;
            job.pass = plugin.pass;
            job.version = GRAPHLOOM_VERSION;
            job.profile = m_bench.options.profile;
        }
    return jobs;
}

void VerificationController::verify()
{
    start(choices(), std::nullopt);
}

void VerificationController::verifyOn(const InputChoices &inputs)
{
    m_inputs = inputs;
    VerifyChoices chosen = choices();
    chosen.seed = inputs.seed;
    start(chosen, inputs);
}

void VerificationController::start(const VerifyChoices &chosen,
                                   const std::optional<InputChoices> &inputs)
{
    const SnapshotPointer &snapshot = m_bench.session.snapshot();
    if (!snapshot || isRunning())
        return;
    m_worker.announce(&m_bench.jobs, tr("Verifying the plan"));
    m_worker.start(
        [plan = snapshot->plan, chosen, inputs, passes = passes(),
         progress = monotone(m_worker.progress([](double, const QString &) {}))](
            std::stop_token stop) -> Result<VerificationPointer> {
            std::optional<GivenInputs> given;
            if (inputs) {
                GL_TRY_RESULT(read, readInputs(plan->model->graph, inputs->sources, inputs->seed));
                given = *std::move(read);
            }
            return verifyPlan(plan, chosen, given, passes, stop, progress);
        },
        [this, onInputs = inputs.has_value()](const Result<VerificationPointer> &verified) {
            take(verified);
            if (onInputs && !verified && !m_worker.isStopped())
                Q_EMIT inputsRefused(fromUtf8(verified.error().text()));
        });
    m_bench.updateActions();
}

void VerificationController::take(const Result<VerificationPointer> &verified)
{
    if (m_worker.isStopped()) {
        m_bench.inform(tr("Verification cancelled"));
    } else if (!verified) {
        m_bench.tell(MessageModel::Severity::Error,
                     tr("Cannot verify the plan: %1").arg(fromUtf8(verified.error().text())));
    } else {
        const Verification &outcome = (*verified)->errors.verification;
        keep(*verified);
        refresh();
        m_bench.colours.refresh();
        QStringList details{fromUtf8(outcome.message)};
        for (const std::string &warning : outcome.warnings)
            details << fromUtf8(warning);
        details.removeAll(QString());
        const QString error =
            tr("relative error %1, tolerance %2")
                .arg(formatError(outcome.maxRelError), formatError(outcome.tolerance));
        m_bench.tell(outcome.passed ? MessageModel::Severity::Info
                                    : MessageModel::Severity::Warning,
                     !outcome.passed      ? tr("Verification failed: %1").arg(error)
                     : outcome.comparable ? tr("Verification passed: %1").arg(error)
                                          : tr("Verification: the outputs cannot be compared"),
                     details.join('\n'));
        Q_EMIT m_bench.panelWanted(QStringLiteral("verification"));
    }
    m_bench.updateActions();
    Q_EMIT m_bench.settled();
}

void VerificationController::keep(const VerificationPointer &verification)
{
    std::vector<VerificationPointer> all = m_bench.session.verifications();
    std::erase_if(all, [&](const auto &older) { return older->isOf(*verification->plan); });
    if (all.size() >= mostKept)
        all.erase(all.begin());
    all.push_back(verification);
    m_bench.session.setVerifications(std::move(all));
}

void VerificationController::runOn(const InputChoices &inputs)
{
    const SnapshotPointer &snapshot = m_bench.session.snapshot();
    if (!snapshot || isRunning())
        return;
    m_inputs = inputs;
    m_worker.announce(&m_bench.jobs, tr("Running the plan on inputs"));
    m_worker.start(
        [plan = snapshot->plan, inputs,
         progress = m_worker.progress([](double, const QString &) {})](std::stop_token stop) {
            return runOnInputs(plan, inputs.sources, inputs.seed, stop, progress);
        },
        [this](const Result<InputRunPointer> &run) { takeRun(run); });
    m_bench.updateActions();
}

void VerificationController::takeRun(const Result<InputRunPointer> &run)
{
    if (m_worker.isStopped()) {
        m_bench.inform(tr("Run on inputs cancelled"));
    } else if (!run) {
        const QString reason = fromUtf8(run.error().text());
        m_bench.tell(MessageModel::Severity::Error,
                     tr("Cannot run the plan on these inputs: %1").arg(reason));
        Q_EMIT inputsRefused(reason);
    } else {
        const InputRun &values = **run;
        QString text = tr("Values of %1 tensors of %2: %3 in memory")
                           .arg(values.tensors())
                           .arg(values.title(), formatBytes(double(values.memoryBytes)));
        if (values.fileBytes > 0)
            text += tr(", %1 in a temporary file").arg(formatBytes(double(values.fileBytes)));
        m_bench.inform(text);
        if (values.dropped > 0)
            m_bench.warn(tr("Not enough disk space for a temporary file: the values of %n "
                            "tensor(s) were discarded",
                            nullptr, int(values.dropped)));
        if (values.uniformWeights > 0)
            m_bench.warn(tr("The model has no data for %n weight(s), which are filled with a "
                            "single value: results are not those of a trained model",
                            nullptr, int(values.uniformWeights)));
        m_bench.tensors.setSource(*run);
        Q_EMIT m_bench.panelWanted(QStringLiteral("tensor"));
    }
    m_bench.updateActions();
    Q_EMIT m_bench.settled();
}

VerificationPointer VerificationController::verificationOf(const Plan &plan) const
{
    const auto &all = m_bench.session.verifications();
    const auto found = std::ranges::find_if(
        all, [&](const auto &verification) { return verification->isOf(plan); });
    return found == all.end() ? nullptr : *found;
}

VerificationPointer VerificationController::current() const
{
    const SnapshotPointer &shown = m_bench.navigator.shown();
    return shown ? verificationOf(*shown->plan) : nullptr;
}

VerificationPointer VerificationController::shown() const
{
    const auto &all = m_bench.session.verifications();
    return m_current || all.empty() ? m_current : all.back();
}

void VerificationController::forget()
{
    m_worker.abandon();
    m_inputs = {};
    m_bench.tensors.setSource(nullptr);
}

void VerificationController::refresh()
{
    m_current = current();
    Q_EMIT changed();
}

void VerificationController::updateActions()
{
    const Actions &a = m_bench.actions;
    a.verify->setEnabled(m_bench.session.snapshot() && !isRunning());
    a.runOnInputs->setEnabled(m_bench.session.snapshot() != nullptr);
}

} // namespace graphloom
