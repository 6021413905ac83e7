// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/results/pass_run.h"
#include "app/widgets/hinted_panel.h"
#include "engine/pass/plugins.h"

#include <map>
#include <vector>

class QComboBox;
class QLabel;
class QProgressBar;
class QPushButton;

namespace graphloom {

class ObjectiveForm;
class PassForm;

/// Chooses a pass, sets its parameters, runs and cancels it, and says how far it is. Plugins
/// that could not be loaded are in the list too, with the reason.
class PassPanel final : public HintedPanel {
    Q_OBJECT

public:
    /// The actions are the window's: their enabled state and shortcuts hold here too.
    PassPanel(std::vector<PassPlugin> plugins, QAction *run, QAction *hold, QAction *cancel,
              QAction *take, QWidget *parent = nullptr);

    /// The chosen pass; null when its plugin has a problem, or there is none.
    std::shared_ptr<const Pass> pass() const;
    /// The file of its plugin; empty when it has none.
    std::filesystem::path library() const;
    PassForm *form() const;
    /// What a run of the chosen pass would be.
    RunRequest request() const;
    ObjectiveForm &objective() { return *m_objective; }
    bool choose(std::string_view pass);
    /// How often rewrite rules were applied in the plan that is shown.
    void setFired(const std::map<std::string, std::size_t> &fired);
    const std::vector<PassPlugin> &plugins() const { return m_plugins; }

    void setRunning(bool running);
    /// Fraction in 0..1 and what is being done.
    void setProgress(double fraction, const QString &what);
    /// What the last run has to say.
    void setSummary(const PassRecord *record);

Q_SIGNALS:
    void passChanged();

private:
    void showPlugin(int plugin);

    std::vector<PassPlugin> m_plugins;
    std::map<int, PassForm *> m_forms;
    QComboBox *m_choice;
    QLabel *m_help, *m_state, *m_summary;
    QStackedWidget *m_pages;
    ObjectiveForm *m_objective;
    QProgressBar *m_progress;
    QPushButton *m_run, *m_hold, *m_cancel, *m_take, *m_reset;
};

} // namespace graphloom
