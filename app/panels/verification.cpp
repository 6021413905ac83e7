// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panels/panel.h"
#include "app/verification/verification_panel.h"
#include "app/workbench/workbench.h"

#include <QSettings>

namespace graphloom {

namespace {

/// Shows whether the plan computes what the original model does, with the error of each tensor.
class VerificationDock final : public Panel {
    Q_DECLARE_TR_FUNCTIONS(VerificationDock)

public:
    explicit VerificationDock(Workbench &bench)
        : Panel({QStringLiteral("verification"), tr("Verification"), QStringLiteral("verify")},
                new VerificationPanel(
                    bench.selection,
                    {bench.actions.verify, bench.actions.colourByError, bench.actions.cancel})),
          m_bench(bench), m_panel(static_cast<VerificationPanel &>(widget()))
    {
        VerificationController &verification = bench.verification;
        verification.choices = [this] { return m_panel.choices(); };
        connect(&verification, &VerificationController::changed, this, &VerificationDock::show);
        connect(&m_panel, &VerificationPanel::activated, &bench, &Workbench::activated);
        connect(&m_panel, &VerificationPanel::menuRequested, &bench, &Workbench::menuWanted);
        connect(&m_panel, &VerificationPanel::beginningWanted, this, [this](NodeId id) {
            m_bench.navigator.go({});
            m_bench.selection.select(Item::of(id));
            Q_EMIT m_bench.activated(Item::of(id));
        });
    }

    Hint hint() const override
    {
        if (!m_bench.session.snapshot())
            return {tr("Open a model to verify its plans."), m_bench.actions.open};
        return {
            tr("Verify the plan to compare each of its tensors with the original model: whether "
               "the results agree, and where an error begins."),
            m_bench.actions.verify};
    }
    void showHint(const Hint &hint) override { m_panel.setHint(hint.text, hint.action); }
    std::vector<ViewExport> exports() override
    {
        return {{QStringLiteral("verification"),
                 tr("Tensor errors"),
                 &m_panel,
                 {},
                 tableOf(m_panel.list())}};
    }
    void restore(const QSettings &settings) override
    {
        VerifyChoices choices;
        choices.tolerance = settings.value(toleranceKey, choices.tolerance).toDouble();
        choices.seed = settings.value(seedKey, 0).toULongLong();
        m_panel.setChoices(choices);
    }
    void save(QSettings &settings) const override
    {
        const VerifyChoices choices = m_panel.choices();
        settings.setValue(toleranceKey, choices.tolerance);
        settings.setValue(seedKey, qulonglong(choices.seed));
    }

private:
    inline static const QString toleranceKey = QStringLiteral("verification/tolerance"),
                                seedKey = QStringLiteral("verification/seed");

    /// Shows the verification of the current plan, or else the last one, marked as such.
    void show()
    {
        const VerificationPointer current = m_bench.verification.current();
        const VerificationPointer shown = m_bench.verification.shown();
        m_panel.setVerification(shown,
                                shown == current ? VerificationPanel::State::Current
                                                 : VerificationPanel::State::Stale,
                                current && !m_bench.navigator.isInside());
    }

    Workbench &m_bench;
    VerificationPanel &m_panel;
};

} // namespace

PanelPointer panels::verification(Workbench &bench)
{
    return std::make_unique<VerificationDock>(bench);
}

} // namespace graphloom
