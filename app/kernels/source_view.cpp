// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/kernels/source_view.h"

#include "app/common/format.h"
#include "app/kernels/c_highlighter.h"
#include "app/kernels/machine_code_view.h"
#include "app/style/icons.h"
#include "app/widgets/panel_layout.h"

#include <QApplication>
#include <QClipboard>
#include <QFontDatabase>
#include <QLabel>
#include <QPlainTextEdit>
#include <QScopedValueRollback>
#include <QScrollBar>
#include <QSplitter>
#include <QTextBlock>
#include <QToolButton>
#include <QVBoxLayout>

namespace graphloom {

namespace {

QString titleOf(const PlanRun &run, std::size_t step)
{
    const PlanStep &of = run.steps()[step];
    return of.block ? SourceView::tr("Block %1: %2").arg(*of.block).arg(run.operatorsOf(step))
                    : fromUtf8(of.text);
}

} // namespace

SourceView::SourceView(QWidget *parent) : QWidget(parent)
{
    QVBoxLayout *layout = makeColumn(*this);
    m_title = new QLabel;
    m_title->setTextFormat(Qt::PlainText);
    m_title->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_title->setObjectName(QStringLiteral("sourceTitle"));
    m_machine = new QToolButton;
    m_machine->setIcon(themedIcon(QStringLiteral("machine")));
    m_machine->setText(tr("Machine code"));
    m_machine->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_machine->setCheckable(true);
    m_machine->setAutoRaise(true);
    m_machine->setToolTip(
        tr("Show what the compiler makes of the kernel, with the cycles of its innermost loops. A "
           "line under the cursor is marked on both sides."));
    m_machine->setAccessibleName(m_machine->text());
    m_machine->setObjectName(QStringLiteral("showMachineCode"));
    m_copy = new QToolButton;
    m_copy->setIcon(themedIcon(QStringLiteral("copy")));
    m_copy->setText(tr("Copy code"));
    m_copy->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_copy->setToolTip(tr("Copy the code of the kernel"));
    m_copy->setAccessibleName(tr("Copy code"));
    m_copy->setObjectName(QStringLiteral("copySource"));
    m_copy->setAutoRaise(true);
    auto *bar = new QHBoxLayout;
    bar->setContentsMargins(8, 2, 6, 2);
    bar->addWidget(m_title, 1);
    bar->addWidget(m_machine);
    bar->addWidget(m_copy);
    layout->addLayout(bar);
    m_edit = new QPlainTextEdit;
    m_edit->setReadOnly(true);
    m_edit->setFrameShape(QFrame::NoFrame);
    m_edit->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_edit->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    m_edit->setAccessibleName(tr("Code of the kernel"));
    m_edit->setObjectName(QStringLiteral("source"));
    m_edit->setPlaceholderText(tr("Select a kernel to read its code."));
    m_edit->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_machineCode = new MachineCodeView;
    m_machineCode->hide();
    auto *split = new QSplitter;
    split->addWidget(m_edit);
    split->addWidget(m_machineCode);
    split->setChildrenCollapsible(false);
    layout->addWidget(split, 1);
    m_highlighter = new CHighlighter(m_edit->document());
    m_copy->setEnabled(false);
    connect(m_copy, &QToolButton::clicked, this,
            [this] { QApplication::clipboard()->setText(m_edit->toPlainText()); });
    connect(m_machine, &QToolButton::toggled, this, [this](bool shows) {
        m_machineCode->setVisible(shows);
        showMachineCode();
    });
    connect(m_edit, &QPlainTextEdit::cursorPositionChanged, this, [this] {
        if (!m_moving)
            m_machineCode->markLine(std::uint32_t(m_edit->textCursor().blockNumber() + 1));
    });
    connect(m_machineCode, &MachineCodeView::lineChosen, this, &SourceView::markSourceLine);
}

bool SourceView::showsMachineCode() const
{
    return m_machine->isChecked();
}

void SourceView::setShowsMachineCode(bool shows)
{
    m_machine->setChecked(shows);
}

void SourceView::show(const PlanRunPointer &run, std::size_t step)
{
    const SourceFile *file = run ? run->sourceOf(step) : nullptr;
    m_title->setText(run ? titleOf(*run, step) : QString());
    m_title->setToolTip(m_title->text());
    if (run != m_run) {
        m_known.clear();
        m_worker.abandon();
    }
    const QScopedValueRollback moving(m_moving, true);
    m_symbol = run ? run->steps()[step].symbol : std::string();
    if (run != m_run || file != m_file || !file) {
        m_run = run;
        m_file = file;
        m_edit->setPlainText(file ? fromUtf8(file->content)
                             : run
                                 ? tr("// Interpreted: %1").arg(fromUtf8(run->steps()[step].reason))
                                 : QString());
    }
    m_copy->setEnabled(file);
    m_edit->setExtraSelections({});
    showMachineCode();
    if (!file)
        return;
    // The comment of the nest is above its function, after an empty line.
    QTextBlock line = m_edit->document()->find(fromUtf8(run->steps()[step].symbol)).block();
    while (line.previous().isValid() && !line.previous().text().isEmpty())
        line = line.previous();
    m_edit->setTextCursor(QTextCursor(line));
    m_edit->verticalScrollBar()->setValue(line.firstLineNumber());
}

void SourceView::showMachineCode()
{
    if (!showsMachineCode())
        return;
    if (m_symbol.empty() || !m_run || !m_compiler) {
        m_worker.abandon();
        m_machineCode->showNote(m_run && m_symbol.empty()
                                    ? tr("What is interpreted has no machine code.")
                                    : tr("Select a kernel to see its machine code."));
        return;
    }
    if (const auto known = m_known.find(m_symbol); known != m_known.end()) {
        showCode(known->second);
        return;
    }
    m_machineCode->showNote(tr("Compiling…"));
    m_worker.start(
        [run = m_run, symbol = m_symbol, compile = m_compiler](std::stop_token stop) -> Code {
            auto code = compile(*run, symbol, stop);
            if (!code)
                return tl::unexpected(code.error());
            return std::make_shared<const KernelCode>(*std::move(code));
        },
        [this, symbol = m_symbol](const Code &code) {
            m_known.insert_or_assign(symbol, code);
            showCode(code);
        });
}

void SourceView::showCode(const Code &code)
{
    m_machineCode->show(code, code && m_file && (*code)->file == m_file->name);
}

void SourceView::markSourceLine(std::uint32_t line)
{
    const QScopedValueRollback moving(m_moving, true);
    const QTextBlock block = m_edit->document()->findBlockByNumber(int(line) - 1);
    m_edit->setExtraSelections({lineMark(block, palette())});
    m_edit->setTextCursor(QTextCursor(block));
    m_edit->centerCursor();
}

void SourceView::setTheme(const Theme &theme)
{
    m_machineCode->setTheme(theme);
    m_highlighter->setTheme(theme);
}

} // namespace graphloom
