// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/results/pass_run.h"
#include "app/widgets/hinted_panel.h"
#include "engine/pass/plugins.h"

#include <map>
#include <vector>

class QComboBox;
class QHBoxLayout;
class QLabel;
class QProgressBar;
class QPushButton;
class QToolButton;

namespace graphloom {

class ObjectiveForm;
class PassForm;

/// Chooses a pass, sets its parameters, runs and cancels it, and shows its progress. Plugins that
/// could not be loaded are listed with the reason.
class PassPanel final : public HintedPanel {
    Q_OBJECT

public:
    /// Creates the panel. The actions belong to the window; the panel shares their shortcuts and
    /// their enabled state.
    PassPanel(std::vector<PassPlugin> plugins, QAction *run, QAction *hold, QAction *cancel,
              QAction *take, QWidget *parent = nullptr);

    /// Returns the chosen pass, or null if its plugin has a problem or no pass is chosen.
    std::shared_ptr<const Pass> pass() const;
    /// Returns the file of the pass's plugin, or an empty path if it has none.
    std::filesystem::path library() const;
    PassForm *form() const;
    /// Returns the request that would run the chosen pass.
    RunRequest request() const;
    ObjectiveForm &objective() { return *m_objective; }
    /// Chooses the pass with a name, or for an empty one the first that can be used. Returns whether
    /// there is one.
    bool choose(std::string_view pass);
    /// Sets the time limit of all passes that have one; nothing: their own.
    void setSeconds(const std::optional<double> &seconds);
    /// Sets the number of times that each rewrite rule was applied in the plan that is shown.
    void setFired(const std::map<std::string, std::size_t> &fired);
    const std::vector<PassPlugin> &plugins() const { return m_plugins; }

    void setRunning(bool running);
    /// Shows the progress: a fraction in 0..1 and the work in progress.
    void setProgress(double fraction, const QString &what);
    /// Shows what of the plan a run of the chosen pass would replace or remove; empty: nothing.
    void setLoss(const QString &text);
    /// Shows or hides the advanced parameters of all passes.
    void setAdvancedShown(bool shown);
    bool isAdvancedShown() const { return m_advancedShown; }
    /// Shows the summary of the last run.
    void setSummary(const PassRecord *record);

Q_SIGNALS:
    void passChanged();
    /// Emitted when the parameters were reset to those of the pass.
    void wasReset();
    /// Emitted when the settings of the chosen pass have changed.
    void settingsChanged();

private:
    QHBoxLayout *makeChoice();
    QWidget *makeForms();
    void showAbout();
    QHBoxLayout *makeButtons(QAction *run, QAction *hold, QAction *cancel, QAction *take);
    void showPlugin(int plugin);

    std::vector<PassPlugin> m_plugins;
    std::map<int, PassForm *> m_forms;
    QComboBox *m_choice;
    QToolButton *m_about;
    QLabel *m_problem, *m_loss, *m_state, *m_summary;
    bool m_advancedShown = false;
    QStackedWidget *m_pages;
    ObjectiveForm *m_objective;
    QProgressBar *m_progress;
    QPushButton *m_run, *m_hold, *m_cancel, *m_take, *m_reset;
};

} // namespace graphloom
