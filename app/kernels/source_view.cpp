// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/kernels/source_view.h"

#include "app/common/format.h"
#include "app/kernels/c_highlighter.h"
#include "app/style/icons.h"
#include "app/widgets/panel_layout.h"

#include <QApplication>
#include <QClipboard>
#include <QFontDatabase>
#include <QLabel>
#include <QPlainTextEdit>
#include <QScrollBar>
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
    layout->addWidget(m_edit, 1);
    m_highlighter = new CHighlighter(m_edit->document());
    m_copy->setEnabled(false);
    connect(m_copy, &QToolButton::clicked, this,
            [this] { QApplication::clipboard()->setText(m_edit->toPlainText()); });
}

void SourceView::show(const PlanRunPointer &run, std::size_t step)
{
    const SourceFile *file = run ? run->sourceOf(step) : nullptr;
    m_title->setText(run ? titleOf(*run, step) : QString());
    m_title->setToolTip(m_title->text());
    if (run != m_run || file != m_file || !file) {
        m_run = run;
        m_file = file;
        m_edit->setPlainText(file ? fromUtf8(file->content)
                             : run
                                 ? tr("// Interpreted: %1").arg(fromUtf8(run->steps()[step].reason))
                                 : QString());
    }
    m_copy->setEnabled(file);
    if (!file)
        return;
    // The comment of the nest is above its function, after an empty line.
    QTextBlock line = m_edit->document()->find(fromUtf8(run->steps()[step].symbol)).block();
    while (line.previous().isValid() && !line.previous().text().isEmpty())
        line = line.previous();
    m_edit->setTextCursor(QTextCursor(line));
    m_edit->verticalScrollBar()->setValue(line.firstLineNumber());
}

void SourceView::setTheme(const Theme &theme)
{
    m_highlighter->setTheme(theme);
}

} // namespace graphloom
