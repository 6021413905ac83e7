// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/results/plan_run.h"
#include "app/style/theme.h"

#include <QWidget>

class QLabel;
class QPlainTextEdit;
class QToolButton;

namespace graphloom {

class CHighlighter;

/// Shows the generated code of a kernel, to read and to copy.
class SourceView final : public QWidget {
    Q_OBJECT

public:
    explicit SourceView(QWidget *parent = nullptr);

    /// Shows the source file of a step, from the line where the step begins; a null run clears the
    /// view.
    void show(const PlanRunPointer &run, std::size_t step);
    void setTheme(const Theme &theme);
    QPlainTextEdit &edit() { return *m_edit; }
    QLabel &title() { return *m_title; }

private:
    QLabel *m_title;
    QToolButton *m_copy;
    QPlainTextEdit *m_edit;
    CHighlighter *m_highlighter;
    PlanRunPointer m_run;
    const SourceFile *m_file = nullptr; // of m_run
};

} // namespace graphloom
