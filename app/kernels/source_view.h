// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/common/worker.h"
#include "app/results/plan_run.h"
#include "app/style/theme.h"
#include "engine/target/kernel_code.h"

#include <QWidget>

#include <functional>
#include <map>
#include <memory>
#include <string>

class QLabel;
class QPlainTextEdit;
class QToolButton;

namespace graphloom {

class CHighlighter;
class MachineCodeView;

/// Compiles the function of a step of a run for its device (Target::compiledCode()); called on a
/// thread.
using CodeCompiler = std::function<Result<KernelCode>(const PlanRun &run, const std::string &symbol,
                                                      std::stop_token stop)>;

/// Shows the generated code of a kernel, to read and to copy, and if wanted, beside it, what the
/// compiler made of it.
class SourceView final : public QWidget {
    Q_OBJECT

public:
    explicit SourceView(QWidget *parent = nullptr);

    /// Shows the source file of a step, from the line where the step begins; a null run clears the
    /// view.
    void show(const PlanRunPointer &run, std::size_t step);
    void setTheme(const Theme &theme);
    void setCompiler(CodeCompiler compiler) { m_compiler = std::move(compiler); }
    bool showsMachineCode() const;
    void setShowsMachineCode(bool shows);
    MachineCodeView &machineCode() { return *m_machineCode; }
    QPlainTextEdit &edit() { return *m_edit; }
    QLabel &title() { return *m_title; }

private:
    using Code = Result<std::shared_ptr<const KernelCode>>;

    void showMachineCode();
    void showCode(const Code &code);
    void markSourceLine(std::uint32_t line);

    QLabel *m_title;
    QToolButton *m_machine, *m_copy;
    QPlainTextEdit *m_edit;
    CHighlighter *m_highlighter;
    MachineCodeView *m_machineCode;
    PlanRunPointer m_run;
    const SourceFile *m_file = nullptr; // of m_run
    std::string m_symbol;               // of the step; empty: it has no kernel
    CodeCompiler m_compiler;
    std::map<std::string, Code> m_known; // of m_run, by symbol
    bool m_moving = false;               // the cursor is moved by this view itself
    Worker m_worker;                     // last: its threads end first
};

} // namespace graphloom
