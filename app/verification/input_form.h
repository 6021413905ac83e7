// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/verification/image_fields.h"

#include <QDialog>

#include <optional>

class QLabel;
class QPushButton;
class QSpinBox;

namespace graphloom {

class InputRow;

/// Asks for the values of a model's inputs, to run the plan on them or to verify it with them. The
/// dialog is not modal and stays open, so that other values can be tried.
class InputForm final : public QDialog {
    Q_OBJECT

public:
    InputForm(const Graph &model, const InputChoices &choices, QWidget *parent = nullptr);

    /// Shows why inputs could not be read or run; an empty text hides it.
    void showProblem(const QString &text);
    /// Allows or forbids to start, while work is going on.
    void setBusy(bool busy);
    const std::vector<InputRow *> &rows() const { return m_rows; }

Q_SIGNALS:
    void runWanted(const graphloom::InputChoices &choices);
    void verificationWanted(const graphloom::InputChoices &choices);

private:
    std::optional<InputChoices> choices();
    void refresh();

    std::vector<InputRow *> m_rows;
    ImageFields *m_image;
    QSpinBox *m_seed;
    QLabel *m_problem;
    QPushButton *m_run, *m_verify;
};

} // namespace graphloom
