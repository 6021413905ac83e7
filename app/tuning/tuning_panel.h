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

/// A tuner at work, or what it did: a line of figures over the trials as points. They are in a
/// table, too, which whoever has the panel puts beside it.
class TuningPanel final : public HintedPanel {
    Q_OBJECT

public:
    explicit TuningPanel(QWidget *parent = nullptr);

    /// Begins anew, for the kernels of a plan; null: there is nothing to show.
    void begin(std::shared_ptr<const Plan> plan);
    void add(std::vector<TuningTrial> trials);
    /// What the line says beside its figures: what is done now, how long it goes on, how it ended.
    void setState(const QString &state);
    /// Shows one kernel alone, and a loop nest without trials by those of its whole block; none, or
    /// one without trials: all.
    void showKernel(const std::optional<KernelPlace> &place);
    void setTheme(const Theme &theme);

    const TuningLog &log() const { return m_model.log(); }
    QString summary() const;
    TrialModel &model() { return m_model; }
    FilteredTable &list() { return *m_list; }
    TuningView &view() { return *m_view; }
    /// For files, also while nobody sees it; nothing without a trial.
    std::optional<ViewPicture> picture();

Q_SIGNALS:
    /// A point was clicked, or Enter was pressed in its row.
    void kernelChosen(const graphloom::KernelPlace &place);
    void allChosen();

protected:
    void showEvent(QShowEvent *event) override;

private:
    void refresh();
    /// Of the log.
    std::optional<std::size_t> shownKernel() const;
    void chooseTrial(int trial);
    QString describe(int trial) const;

    TrialModel m_model;
    QString m_state;
    std::optional<KernelPlace> m_place;
    QLabel *m_line;
    QToolButton *m_all;
    TuningView *m_view;
    FilteredTable *m_list;
};

} // namespace graphloom
