// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/query/query_edit.h"

#include "app/style/icons.h"

#include <QAbstractItemView>
#include <QCompleter>
#include <QKeyEvent>
#include <QStringListModel>
#include <QToolButton>
#include <QWhatsThis>

#include <algorithm>

namespace graphloom {

namespace {

constexpr int mostChoices = 200;

bool isBorder(QChar c)
{
    return c.isSpace() || c == '(' || c == ')';
}

} // namespace

QueryEdit::QueryEdit(QWidget *parent)
    : QLineEdit(parent), m_completer(new QCompleter(this)), m_choices(new QStringListModel(this))
{
    setClearButtonEnabled(true);
    addAction(themedIcon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    setToolTip(Query::help());
    setWhatsThis(Query::help());
    m_completer->setModel(m_choices);
    m_completer->setWidget(this);
    m_completer->setCompletionMode(QCompleter::UnfilteredPopupCompletion);
    m_completer->setCaseSensitivity(Qt::CaseInsensitive);
    connect(m_completer, qOverload<const QString &>(&QCompleter::activated), this,
            &QueryEdit::insert);
    connect(this, &QLineEdit::textChanged, this, &QueryEdit::parse);
    connect(this, &QLineEdit::textEdited, this, &QueryEdit::complete);
}

QString QueryEdit::problem() const
{
    const auto &problem = m_query.problem();
    if (!problem)
        return {};
    return tr("%1 (at “%2”)").arg(problem->message, text().mid(problem->place, problem->length));
}

QToolButton *QueryEdit::helpButton(QWidget *parent) const
{
    auto *button = new QToolButton(parent);
    button->setText(QStringLiteral("?"));
    button->setAutoRaise(true);
    button->setToolTip(tr("Search syntax"));
    button->setAccessibleName(button->toolTip());
    connect(button, &QToolButton::clicked, button, [button] {
        QWhatsThis::showText(button->mapToGlobal(QPoint(0, button->height())), Query::help(),
                             button);
    });
    return button;
}

void QueryEdit::parse()
{
    const QString before = problem();
    m_query = Query(text(), m_own);
    if (problem() != before)
        Q_EMIT problemChanged(problem());
}

void QueryEdit::setOwnData(OwnTablePointer own)
{
    m_own = std::move(own);
    parse();
}

qsizetype QueryEdit::tokenStart() const
{
    qsizetype start = cursorPosition();
    while (start > 0 && !isBorder(text()[start - 1]))
        --start;
    if (start < text().size() && text()[start] == '-')
        ++start;
    return std::min<qsizetype>(start, cursorPosition());
}

QStringList QueryEdit::completions() const
{
    const QString typed = text().mid(tokenStart(), cursorPosition() - tokenStart());
    const qsizetype colon = typed.indexOf(':');
    QStringList choices;
    if (colon < 0) {
        if (typed.isEmpty())
            return {};
        for (const Query::Key &key : Query::keys(m_own.get()))
            if (key.key.startsWith(typed, Qt::CaseInsensitive))
                choices << key.key + (key.number ? QStringLiteral(">") : QStringLiteral(":"));
        return choices;
    }
    const QString key = typed.left(colon).toLower();
    const QString value = typed.mid(colon + 1);
    if (m_snapshot)
        for (const QString &known : Query::valuesOf(key, *m_snapshot)) {
            if (choices.size() >= mostChoices)
                break;
            if (known.contains(value, Qt::CaseInsensitive) && known != value)
                choices << key + ':' + (known.contains(' ') ? '"' + known + '"' : known);
        }
    return choices;
}

void QueryEdit::complete()
{
    const QStringList choices = completions();
    if (choices.isEmpty()) {
        m_completer->popup()->hide();
        return;
    }
    m_choices->setStringList(choices);
    m_completer->complete();
    // Enter goes to the next match unless a completion was chosen.
    m_completer->popup()->setCurrentIndex({});
}

void QueryEdit::insert(const QString &completion)
{
    const qsizetype start = tokenStart();
    const QString after = text().mid(cursorPosition());
    const bool open = completion.endsWith(':') || completion.endsWith('>');
    const QString added = completion + (open || after.startsWith(' ') ? "" : " ");
    setText(text().left(start) + added + after);
    setCursorPosition(int(start + added.size()));
    if (completion.endsWith(':'))
        complete();
}

void QueryEdit::keyPressEvent(QKeyEvent *event)
{
    // Down shows the possible completions.
    if (event->key() == Qt::Key_Down && event->modifiers() == Qt::NoModifier &&
        !m_completer->popup()->isVisible()) {
        complete();
        if (m_completer->popup()->isVisible())
            return;
    }
    QLineEdit::keyPressEvent(event);
}

void QueryEdit::focusOutEvent(QFocusEvent *event)
{
    if (event->reason() != Qt::PopupFocusReason)
        m_completer->popup()->hide();
    QLineEdit::focusOutEvent(event);
}

} // namespace graphloom
