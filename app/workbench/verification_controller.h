// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/common/worker.h"
#include "app/verification/input_run.h"
#include "app/verification/plan_verifier.h"

#include <QObject>

#include <functional>

namespace graphloom {

class Workbench;

/// Runs the plan in the interpreter: beside the original model, to compare their tensors, or alone
/// on given inputs, for the values of its tensors.
class VerificationController final : public QObject {
    Q_OBJECT

public:
    explicit VerificationController(Workbench &bench);

    /// Returns the tolerance and the seed; the panel provides them.
    std::function<VerifyChoices()> choices = [] { return VerifyChoices(); };

    /// Verifies the plan on random inputs; not while another one is verified or run.
    void verify();
    /// Does the same on given inputs.
    void verifyOn(const InputChoices &inputs);
    /// Runs the plan on given inputs; the tensor inspector then shows the values of all tensors.
    /// Not while another one is verified or run.
    void runOn(const InputChoices &inputs);
    /// Returns the inputs that were given last.
    const InputChoices &inputs() const { return m_inputs; }
    void cancel() { m_worker.stop(); }
    bool isRunning() const { return m_worker.isRunning(); }
    /// Ends the work and forgets the inputs, because another model is opened. The verifications are
    /// those of its session; refresh() shows them.
    void forget();
    /// Returns the verification of a plan, or null if it was not verified.
    VerificationPointer verificationOf(const Plan &plan) const;
    /// Returns the verification of the plan that is shown, or null if it was not verified.
    VerificationPointer current() const;
    /// Returns the verification that the panel shows: the current one, or else the last one.
    VerificationPointer shown() const;
    /// Updates the verification after another plan is shown; the colours are updated afterwards.
    void refresh();
    void updateActions();

Q_SIGNALS:
    /// Emitted when there is another verification, or the plan that is shown is no longer that of
    /// the verification.
    void changed();
    /// Emitted when a run on given inputs failed, with the reason.
    void inputsRefused(const QString &reason);

private:
    void start(const VerifyChoices &choices, const std::optional<InputChoices> &inputs);
    void takeRun(const Result<InputRunPointer> &run);
    void take(const Result<VerificationPointer> &verified);
    void keep(const VerificationPointer &verification);
    std::vector<PassJob> passes() const;

    Workbench &m_bench;
    VerificationPointer m_current;
    InputChoices m_inputs;
    Worker m_worker; // last: see Session
};

} // namespace graphloom
