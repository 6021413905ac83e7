// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graph/focus_bar.h"

#include "app/common/format.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QScopedValueRollback>
#include <QSpinBox>
#include <QToolButton>

namespace graphloom {

namespace {

constexpr int longestFocus = 40;

QString titleOf(const Snapshot &snapshot, const Item &item)
{
    if (!snapshot.contains(item))
        return {};
    if (item.isTensor())
        return fromUtf8(snapshot.graph().tensor(item.tensor()).name);
    if (item.isGroup())
        return snapshot.titleOf(item);
    const NodeFacts &facts = snapshot.facts->of(item.node());
    return facts.name.isEmpty() ? facts.op : facts.name;
}

} // namespace

FocusBar::FocusBar(QWidget *parent) : QFrame(parent)
{
    setFrameShape(QFrame::NoFrame);
    setAutoFillBackground(true);
    setAccessibleName(tr("Part of the graph"));
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(12, 4, 8, 4);
    m_text = new QLabel;
    m_text->setObjectName(QStringLiteral("focusText"));
    layout->addWidget(m_text, 1);
    const auto steps = [&](const QString &name, QLabel *&label) {
        label = new QLabel(name);
        auto *box = new QSpinBox;
        box->setRange(0, Focus::mostSteps);
        box->setAccessibleName(tr("Distance: %1").arg(name));
        box->setToolTip(tr("Maximum distance along edges"));
        label->setBuddy(box);
        layout->addWidget(label);
        layout->addWidget(box);
        connect(box, qOverload<int>(&QSpinBox::valueChanged), this, &FocusBar::change);
        return box;
    };
    m_up = steps(tr("up"), m_upLabel);
    m_down = steps(tr("down"), m_downLabel);
    m_all = new QToolButton;
    m_all->setText(tr("Show all (Esc)"));
    m_all->setToolTip(tr("Show all nodes"));
    layout->addWidget(m_all);
    connect(m_all, &QToolButton::clicked, this, &FocusBar::allWanted);
    hide();
}

void FocusBar::show(const DrawingPointer &drawing)
{
    if (!drawing || !drawing->options.focus) {
        m_focus = {};
        hide();
        return;
    }
    m_focus = drawing->options.focus;
    const Snapshot &snapshot = *drawing->snapshot;
    const QString first = elided(titleOf(snapshot, m_focus.around.back()), longestFocus);
    const QString what = !m_focus.between ? m_focus.around.size() == 1
                                                ? tr("around %1").arg(first)
                                                : tr("around %1 items").arg(m_focus.around.size())
                         : drawing->connected
                             ? tr("paths between %1 selected items").arg(m_focus.around.size())
                             : tr("there is no path between the selected items");
    m_text->setText(tr("%1 of %2 shown: %3")
                        .arg(drawing->options.only.size())
                        .arg(formatNodes(snapshot.graph().nodeCount()), what));
    const QScopedValueRollback showing(m_showing, true);
    for (QWidget *widget : {static_cast<QWidget *>(m_up), static_cast<QWidget *>(m_down),
                            static_cast<QWidget *>(m_upLabel), static_cast<QWidget *>(m_downLabel)})
        widget->setVisible(!m_focus.between);
    m_up->setValue(m_focus.up);
    m_down->setValue(m_focus.down);
    QFrame::show();
}

QString FocusBar::text() const
{
    return m_text->text();
}

void FocusBar::change()
{
    if (m_showing)
        return;
    m_focus.up = m_up->value();
    m_focus.down = m_down->value();
    Q_EMIT focusWanted(m_focus);
}

} // namespace graphloom
