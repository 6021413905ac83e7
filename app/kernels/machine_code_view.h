// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/style/theme.h"
#include "engine/base/result.h"
#include "engine/target/kernel_code.h"

#include <QTextEdit>
#include <QWidget>

#include <memory>
#include <vector>

class QLabel;
class QPlainTextEdit;

namespace graphloom {

class AssemblyHighlighter;

/// Shows what a compiler made of a kernel: its instructions, and above each innermost loop how long
/// a turn of it takes in a model of the processor and what bounds it.
class MachineCodeView final : public QWidget {
    Q_OBJECT

public:
    explicit MachineCodeView(QWidget *parent = nullptr);

    /// Shows code, the reason why there is none, or a text as long as it is being made. `isShown`
    /// tells whether lines of the code are those of the source that is shown beside it.
    void show(const Result<std::shared_ptr<const KernelCode>> &code, bool isShown);
    void showNote(const QString &text);
    /// Marks the instructions that a line of the source, from 1, has become, and moves to the first
    /// of them.
    void markLine(std::uint32_t line);
    void setTheme(const Theme &theme);
    QPlainTextEdit &edit() { return *m_edit; }
    QLabel &summary() { return *m_summary; }

Q_SIGNALS:
    /// Emitted with the line of the source that the instruction under the cursor comes from, when
    /// the user has moved the cursor.
    void lineChosen(std::uint32_t line);

private:
    void tellLine();
    void mark(std::uint32_t line);

    QLabel *m_summary;
    QPlainTextEdit *m_edit;
    AssemblyHighlighter *m_highlighter;
    std::vector<std::uint32_t> m_lines; // of the source, by line of the text; 0: none
    bool m_moving = false;              // by this view itself
};

/// Returns a mark of a whole line of a text, in the colours of a palette.
QTextEdit::ExtraSelection lineMark(const QTextBlock &line, const QPalette &palette);

/// Returns a loop as lines of text: "Loop of 40 instructions, 24 multiply-adds of vectors", "12.3
/// cycles a turn, 98 % of the peak", "bounded by the pipes FP0, FP1".
QStringList loopText(const KernelCode::Loop &loop);

} // namespace graphloom
