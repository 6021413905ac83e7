// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/style/theme.h"
#include "app/style/view_picture.h"
#include "app/tuning/trial_model.h"
#include "app/widgets/filtered_table.h"
#include "app/widgets/hinted_panel.h"

class QLabel;
class QToolButton;

namespace graphloom {

class TuningView;

/// Shows a tuner at work, or its result: a line of figures above the trials as points. The owner of
/// the panel puts the table of the trials beside it.
class TuningPanel final : public HintedPanel {
    Q_OBJECT

public:
    explicit TuningPanel(QWidget *parent = nullptr);

    /// Starts again for the kernels of a plan; null if there is nothing to show. What was shown of
    /// the same model stays for comparison.
    void begin(std::shared_ptr<const Plan> plan);
    void add(std::vector<TuningTrial> trials);
    /// Sets what the line shows beside its figures: the work in progress, the time left, or the
    /// result.
    void setState(const QString &state);
    /// Shows the trials of one kernel; for a loop nest without trials those of its whole block.
    /// Shows all trials for none, or for a kernel without trials.
    void showKernel(const std::optional<KernelPlace> &place);
    void setTheme(const Theme &theme);

    const TuningLog &log() const { return m_model.log(); }
    QString summary() const;
    TrialModel &model() { return m_model; }
    FilteredTable &list() { return *m_list; }
    TuningView &view() { return *m_view; }
    /// Returns the picture of the trials for export, even while the view is hidden; nothing without
    /// a trial.
    std::optional<ViewPicture> picture();

Q_SIGNALS:
    /// Emitted when a point was clicked, or Enter was pressed in its row.
    void kernelChosen(const graphloom::KernelPlace &place);
    void allChosen();

protected:
    void showEvent(QShowEvent *event) override;

private:
    void refresh();
    /// Returns the kernel that is shown, as an index into the log, or nothing if all are shown.
    std::optional<std::size_t> shownKernel() const;
    void chooseTrial(int trial);
    QString describe(int trial) const;

    TrialModel m_model;
    std::shared_ptr<const Model> m_tuned; // whose kernels the trials are
    TuningLog m_earlier;                  // of this model, before the last begin()
    QString m_state;
    std::optional<KernelPlace> m_place;
    QLabel *m_line;
    QToolButton *m_all;
    TuningView *m_view;
    FilteredTable *m_list;
};

} // namespace graphloom
