// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/verification/plan_verifier.h"
#include "app/verification/tensor_error_model.h"
#include "app/widgets/filtered_table.h"

class QAction;
class QComboBox;
class QSpinBox;
class QToolButton;

namespace graphloom {

class HintedPanel;

/// Shows whether a plan computes what the original model computes: the result, where an error
/// begins, and a table of the error of each tensor, which follows the selection and sets it. The
/// form above sets the tolerance and the inputs.
class VerificationPanel final : public QWidget {
    Q_OBJECT

public:
    /// Holds the actions with buttons in the form.
    struct Buttons {
        QAction *verify, *colour, *cancel;
    };
    VerificationPanel(Selection &selection, const Buttons &buttons, QWidget *parent = nullptr);

    enum class State { Current, Stale };
    /// Sets the verification to show; null for none. `linked`: see TensorErrorModel.
    void setVerification(const VerificationPointer &verification, State state, bool linked);
    VerifyChoices choices() const;
    void setChoices(const VerifyChoices &choices);
    /// Sets the text to show until there is a verification, and the action that makes one.
    void setHint(const QString &hint, QAction *action);

    bool isEmpty() const;
    QString statisticsText() const;
    TensorErrorModel &model() { return m_model; }
    FilteredTable &list() { return *m_list; }
    QTableView &table() { return m_list->table(); }
    QComboBox &tolerance() { return *m_tolerance; }
    QSpinBox &seed() { return *m_seed; }

Q_SIGNALS:
    void activated(const graphloom::Item &item);
    void menuRequested(const graphloom::Item &item, const QPoint &globalPlace);
    /// Emitted when the node where the error begins is wanted.
    void beginningWanted(graphloom::NodeId id);

private:
    QWidget *makeForm(const Buttons &buttons);
    void showBeginning();

    TensorErrorModel m_model;
    State m_state = State::Current;
    QComboBox *m_tolerance;
    QSpinBox *m_seed;
    QLabel *m_statistics;
    HintedPanel *m_body;
    FilteredTable *m_list;
};

} // namespace graphloom
