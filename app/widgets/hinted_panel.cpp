// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/widgets/hinted_panel.h"

#include <QAction>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

namespace graphloom {

QLabel *statisticsLabel()
{
    auto *label = new QLabel;
    label->setTextFormat(Qt::RichText);
    label->setWordWrap(true); // a long text must not widen the panel
    label->setContentsMargins(8, 5, 8, 5);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    label->setObjectName(QStringLiteral("statistics"));
    return label;
}

HintedPanel::HintedPanel(QWidget *parent) : QStackedWidget(parent)
{
    auto *page = new QWidget;
    m_layout = new QVBoxLayout(page);
    m_layout->setContentsMargins(16, 16, 16, 16);
    m_layout->setSpacing(10);
    m_label = new QLabel;
    m_label->setAlignment(Qt::AlignCenter);
    m_label->setWordWrap(true);
    m_label->setForegroundRole(QPalette::PlaceholderText);
    m_label->setObjectName(QStringLiteral("hint"));
    m_layout->addStretch();
    m_layout->addWidget(m_label);
    m_layout->addStretch();
    addWidget(page);
}

void HintedPanel::setHint(const QString &hint, QAction *action)
{
    m_label->setText(hint);
    delete m_button;
    m_button = nullptr;
    if (!action)
        return;
    auto *button = new QToolButton;
    button->setDefaultAction(action);
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_layout->insertWidget(2, button, 0, Qt::AlignHCenter);
    m_button = button;
}

void HintedPanel::setContent(QWidget *content)
{
    addWidget(content);
}

void HintedPanel::setEmpty(bool empty)
{
    setCurrentIndex(empty ? 0 : 1);
}

} // namespace graphloom
