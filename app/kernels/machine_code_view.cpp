// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/kernels/machine_code_view.h"

#include "app/common/format.h"
#include "app/widgets/panel_layout.h"

#include <QFontDatabase>
#include <QLabel>
#include <QPlainTextEdit>
#include <QScopedValueRollback>
#include <QSyntaxHighlighter>
#include <QTextBlock>
#include <QVBoxLayout>

#include <algorithm>

namespace graphloom {

namespace {

constexpr QLatin1StringView comment("; ");

} // namespace

/// Highlights assembly as MachineCodeView writes it: an address, a mnemonic and operands, or a
/// comment.
class AssemblyHighlighter final : public QSyntaxHighlighter {
public:
    using QSyntaxHighlighter::QSyntaxHighlighter;

    void setTheme(const Theme &theme)
    {
        m_comment = theme.warning;
        m_address = theme.palette.color(QPalette::PlaceholderText);
        m_mnemonic = theme.palette.color(QPalette::Link);
        rehighlight();
    }

protected:
    void highlightBlock(const QString &line) override
    {
        if (line.startsWith(comment)) {
            setFormat(0, int(line.size()), m_comment);
            return;
        }
        const auto address = line.indexOf(':') + 1;
        setFormat(0, int(address), m_address);
        auto begin = address;
        while (begin < line.size() && line[begin].isSpace())
            ++begin;
        auto end = begin;
        while (end < line.size() && !line[end].isSpace())
            ++end;
        setFormat(int(begin), int(end - begin), m_mnemonic);
    }

private:
    QColor m_comment, m_address, m_mnemonic;
};

QTextEdit::ExtraSelection lineMark(const QTextBlock &line, const QPalette &palette)
{
    constexpr int faint = 70;
    QColor ground = palette.color(QPalette::Highlight);
    ground.setAlpha(faint);
    QTextEdit::ExtraSelection mark;
    mark.cursor = QTextCursor(line);
    mark.format.setBackground(ground);
    mark.format.setProperty(QTextFormat::FullWidthSelection, true);
    return mark;
}

QStringList loopText(const KernelCode::Loop &loop)
{
    const auto instructions = int(loop.last - loop.first + 1);
    QString what = MachineCodeView::tr("Loop of %n instruction(s)", nullptr, instructions);
    if (loop.multiplyAdds > 0)
        what += MachineCodeView::tr(", %n multiply-add(s) of vectors", nullptr, loop.multiplyAdds);
    if (loop.spills > 0)
        what += MachineCodeView::tr(", %n spill(s)", nullptr, loop.spills);
    QStringList lines{what};
    if (loop.cycles <= 0)
        return lines;
    lines << MachineCodeView::tr("%1 cycles a turn").arg(formatReal(loop.cycles));
    if (loop.peakShare > 0)
        lines.back() += MachineCodeView::tr(", %1 % of the peak")
                            .arg(QString::number(100 * loop.peakShare, 'f', 0));
    lines << MachineCodeView::tr("bounded by %1").arg(fromUtf8(loop.limit));
    return lines;
}

MachineCodeView::MachineCodeView(QWidget *parent) : QWidget(parent)
{
    QVBoxLayout *layout = makeColumn(*this);
    m_summary = new QLabel;
    m_summary->setTextFormat(Qt::PlainText);
    m_summary->setWordWrap(true);
    m_summary->setContentsMargins(8, 2, 8, 2);
    m_summary->setMinimumWidth(1);
    m_summary->setForegroundRole(QPalette::PlaceholderText);
    m_summary->setObjectName(QStringLiteral("codeSummary"));
    m_edit = new QPlainTextEdit;
    m_edit->setReadOnly(true);
    m_edit->setFrameShape(QFrame::NoFrame);
    m_edit->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_edit->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    m_edit->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_edit->setAccessibleName(tr("Machine code of the kernel"));
    m_edit->setObjectName(QStringLiteral("machineCode"));
    layout->addWidget(m_edit, 1);
    layout->addWidget(m_summary);
    m_highlighter = new AssemblyHighlighter(m_edit->document());
    connect(m_edit, &QPlainTextEdit::cursorPositionChanged, this, &MachineCodeView::tellLine);
    showNote({});
}

void MachineCodeView::showNote(const QString &text)
{
    const QScopedValueRollback moving(m_moving, true);
    m_lines.clear();
    m_edit->clear();
    m_edit->setPlaceholderText(text);
    m_edit->setExtraSelections({});
    m_summary->clear();
    m_summary->hide();
}

void MachineCodeView::show(const Result<std::shared_ptr<const KernelCode>> &code, bool isShown)
{
    if (!code) {
        showNote(fromUtf8(code.error().text()));
        return;
    }
    const QScopedValueRollback moving(m_moving, true);
    const KernelCode &of = **code;
    m_lines.clear();
    QString text;
    const auto put = [&](const QString &line, std::uint32_t source) {
        text += line + QLatin1Char('\n');
        m_lines.push_back(isShown ? source : 0);
    };
    const std::uint64_t base = of.instructions.empty() ? 0 : of.instructions.front().address;
    constexpr int hexadecimal = 16, digits = 4, mnemonicWidth = 13;
    auto loop = of.loops.begin();
    int firstLoop = -1;
    for (std::size_t i = 0; i < of.instructions.size(); ++i) {
        const KernelCode::Instruction &instruction = of.instructions[i];
        if (loop != of.loops.end() && loop->first == i) {
            if (firstLoop < 0)
                firstLoop = int(m_lines.size());
            for (const QString &line : loopText(*loop))
                put(comment + line, instruction.line);
            ++loop;
        }
        // LLVM explains some instructions behind them.
        QString written = fromUtf8(instruction.text);
        if (const auto explanation = written.indexOf(QStringLiteral(" # ")); explanation > 0)
            written.truncate(explanation);
        const QStringList parts = written.split(QLatin1Char('\t'));
        QString line = QString::number(instruction.address - base, hexadecimal)
                           .rightJustified(digits, QLatin1Char(' ')) +
                       QStringLiteral(": ") + parts.front();
        if (parts.size() > 1)
            line = line.leftJustified(line.size() - parts.front().size() + mnemonicWidth) +
                   parts.mid(1).join(QLatin1Char(' '));
        put(line, instruction.line);
    }
    m_edit->setPlainText(text.chopped(text.isEmpty() ? 0 : 1));
    m_edit->setExtraSelections({});
    QString summary = tr("%n instruction(s)", nullptr, int(of.instructions.size()));
    summary += tr(", compiled by %1.").arg(fromUtf8(of.compiler));
    summary +=
        QLatin1Char(' ') +
        (of.problem.empty()
             ? tr("Cycles are modelled by %1, without misses of caches.").arg(fromUtf8(of.model))
             : tr("Cycles are not estimated: %1").arg(fromUtf8(of.problem)));
    m_summary->setText(summary);
    m_summary->show();
    // What takes time is the loop that is shown first.
    if (firstLoop >= 0) {
        m_edit->setTextCursor(QTextCursor(m_edit->document()->findBlockByNumber(firstLoop)));
        m_edit->centerCursor();
    }
}

void MachineCodeView::mark(std::uint32_t line)
{
    QList<QTextEdit::ExtraSelection> marks;
    for (std::size_t i = 0; line != 0 && i < m_lines.size(); ++i)
        if (m_lines[i] == line)
            marks.push_back(lineMark(m_edit->document()->findBlockByNumber(int(i)), palette()));
    m_edit->setExtraSelections(marks);
}

void MachineCodeView::markLine(std::uint32_t line)
{
    mark(line);
    const auto first = std::ranges::find(m_lines, line);
    if (line == 0 || first == m_lines.end())
        return;
    const QScopedValueRollback moving(m_moving, true);
    m_edit->setTextCursor(
        QTextCursor(m_edit->document()->findBlockByNumber(int(first - m_lines.begin()))));
    m_edit->centerCursor();
}

void MachineCodeView::tellLine()
{
    if (m_moving)
        return;
    const auto at = std::size_t(m_edit->textCursor().blockNumber());
    if (at >= m_lines.size() || m_lines[at] == 0)
        return;
    mark(m_lines[at]);
    Q_EMIT lineChosen(m_lines[at]);
}

void MachineCodeView::setTheme(const Theme &theme)
{
    m_highlighter->setTheme(theme);
}

} // namespace graphloom
