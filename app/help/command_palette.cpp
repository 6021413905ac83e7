// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/help/command_palette.h"

#include "app/style/icons.h"

#include <QAction>
#include <QApplication>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include <algorithm>

namespace graphloom {

namespace {

constexpr int paletteWidth = 560, paletteHeight = 380;
constexpr int shortcutRole = Qt::UserRole;

/// Draws the name on the left and the shortcut on the right.
class CommandDelegate final : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter *painter, const QStyleOptionViewItem &option,
               const QModelIndex &index) const override
    {
        QStyledItemDelegate::paint(painter, option, index);
        const bool selected = option.state & QStyle::State_Selected;
        painter->setPen(
            option.palette.color(selected ? QPalette::HighlightedText : QPalette::PlaceholderText));
        painter->drawText(option.rect.adjusted(0, 0, -10, 0), Qt::AlignRight | Qt::AlignVCenter,
                          index.data(shortcutRole).toString());
    }
    QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &) const override
    {
        return {200, option.fontMetrics.height() + 12};
    }
};

QString nameOf(const QAction &action)
{
    QString text = action.text();
    text.remove('&');
    text.remove(QStringLiteral("…"));
    return action.isCheckable()
               ? CommandPalette::tr("%1 (%2)").arg(text, action.isChecked()
                                                             ? CommandPalette::tr("on")
                                                             : CommandPalette::tr("off"))
               : text;
}

} // namespace

CommandPalette::CommandPalette(QWidget *parent) : QFrame(parent)
{
    setFrameShape(QFrame::StyledPanel);
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Button);
    setObjectName(QStringLiteral("commandPalette"));
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 8, 8, 8);
    m_edit = new QLineEdit;
    m_edit->setPlaceholderText(tr("Type the name of a command"));
    m_edit->setAccessibleName(tr("Command"));
    m_edit->addAction(themedIcon(QStringLiteral("palette")), QLineEdit::LeadingPosition);
    m_list = new QListWidget;
    m_list->setItemDelegate(new CommandDelegate(m_list));
    m_list->setUniformItemSizes(true);
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setFocusPolicy(Qt::NoFocus);
    m_list->setAccessibleName(tr("Commands"));
    layout->addWidget(m_edit);
    layout->addWidget(m_list);
    m_edit->installEventFilter(this);
    connect(m_edit, &QLineEdit::textChanged, this, &CommandPalette::refresh);
    connect(m_list, &QListWidget::itemClicked, this, &CommandPalette::runCurrent);
    hide();
}

void CommandPalette::setActions(std::vector<QAction *> actions)
{
    m_actions = std::move(actions);
}

void CommandPalette::open(int top)
{
    m_before = QApplication::focusWidget();
    const int width = std::min(paletteWidth, parentWidget()->width() - 40);
    setGeometry((parentWidget()->width() - width) / 2, top, width,
                std::min(paletteHeight, parentWidget()->height() - top - 36));
    m_edit->clear();
    refresh();
    show();
    raise();
    m_edit->setFocus(Qt::PopupFocusReason);
}

int CommandPalette::score(const QString &typed, const QString &text)
{
    int score = 0, from = 0;
    bool consecutive = false;
    for (const QChar letter : typed.toLower()) {
        if (letter.isSpace()) {
            consecutive = false;
            continue;
        }
        const int at = int(text.indexOf(letter, from, Qt::CaseInsensitive));
        if (at < 0)
            return -1;
        const bool wordStart = at == 0 || !text[at - 1].isLetterOrNumber();
        consecutive = consecutive && at == from;
        score += wordStart ? 8 : consecutive ? 5 : 1;
        consecutive = true;
        from = at + 1;
    }
    return score;
}

void CommandPalette::refresh()
{
    std::vector<std::pair<int, QAction *>> ranked;
    for (QAction *action : m_actions)
        if (const int rank = score(m_edit->text(), nameOf(*action)); rank >= 0)
            ranked.emplace_back(rank + (action->isEnabled() ? 1000 : 0), action);
    std::stable_sort(ranked.begin(), ranked.end(),
                     [](const auto &a, const auto &b) { return a.first > b.first; });
    // An empty icon aligns commands without one.
    QPixmap nothing(m_list->iconSize().isValid() ? m_list->iconSize() : QSize(24, 24));
    nothing.fill(Qt::transparent);
    const QIcon blank(nothing);
    m_list->clear();
    m_shown.clear();
    for (const auto &[rank, action] : ranked) {
        auto *item = new QListWidgetItem(action->icon().isNull() ? blank : action->icon(),
                                         nameOf(*action), m_list);
        item->setData(shortcutRole, action->shortcut().toString(QKeySequence::NativeText));
        item->setToolTip(action->toolTip());
        if (!action->isEnabled())
            item->setFlags(Qt::NoItemFlags);
        m_shown.push_back(action);
    }
    m_list->setCurrentRow(m_shown.empty() ? -1 : 0);
}

void CommandPalette::runCurrent()
{
    const int row = m_list->currentRow();
    if (row < 0 || !m_shown[std::size_t(row)]->isEnabled())
        return;
    QAction *action = m_shown[std::size_t(row)];
    dismiss(); // first, as the action may set the focus
    action->trigger();
}

void CommandPalette::dismiss()
{
    hide();
    if (m_before)
        m_before->setFocus();
}

bool CommandPalette::eventFilter(QObject *watched, QEvent *event)
{
    if (watched != m_edit)
        return QFrame::eventFilter(watched, event);
    if (event->type() == QEvent::FocusOut && isVisible() &&
        static_cast<QFocusEvent *>(event)->reason() == Qt::MouseFocusReason) {
        hide();
        return false;
    }
    if (event->type() != QEvent::KeyPress)
        return QFrame::eventFilter(watched, event);
    switch (static_cast<QKeyEvent *>(event)->key()) {
    case Qt::Key_Up:
    case Qt::Key_Down:
    case Qt::Key_PageUp:
    case Qt::Key_PageDown:
        QApplication::sendEvent(m_list, event);
        return true;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        runCurrent();
        return true;
    case Qt::Key_Escape:
        dismiss();
        return true;
    default:
        return false;
    }
}

} // namespace graphloom
