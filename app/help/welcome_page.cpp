// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/help/welcome_page.h"

#include "app/style/icons.h"

#include <QAction>
#include <QFileInfo>
#include <QIcon>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace graphloom {

namespace {

constexpr int mostRecent = 6, columnWidth = 440;

} // namespace

WelcomePage::WelcomePage(QAction *open, QAction *recover, QWidget *parent) : QWidget(parent)
{
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    auto *outer = new QHBoxLayout(this);
    auto *column = new QWidget;
    column->setFixedWidth(columnWidth);
    outer->addStretch();
    outer->addWidget(column);
    outer->addStretch();
    auto *layout = new QVBoxLayout(column);
    layout->setSpacing(10);
    layout->addStretch(2);

    auto *icon = new QLabel;
    icon->setPixmap(QIcon(QStringLiteral(":/icons/graphloom.svg")).pixmap(72, 72));
    icon->setAlignment(Qt::AlignCenter);
    layout->addWidget(icon);
    auto *title = new QLabel(QStringLiteral("Graphloom"));
    QFont large = title->font();
    large.setPointSizeF(large.pointSizeF() * 1.9);
    large.setBold(true);
    title->setFont(large);
    title->setAlignment(Qt::AlignCenter);
    layout->addWidget(title);
    auto *hint = new QLabel(tr("Open an ONNX model to see its graph, optimize it and export it. "
                               "You can also drop a file on this window."));
    hint->setWordWrap(true);
    hint->setAlignment(Qt::AlignCenter);
    hint->setForegroundRole(QPalette::PlaceholderText);
    hint->setObjectName(QStringLiteral("hint"));
    layout->addWidget(hint);
    layout->addSpacing(8);
    auto *button = new QPushButton(open->icon(), open->text());
    button->setDefault(true);
    button->setToolTip(open->toolTip());
    connect(button, &QPushButton::clicked, open, &QAction::trigger);
    layout->addWidget(button, 0, Qt::AlignHCenter);
    m_sample = new QPushButton(themedIcon(QStringLiteral("graph")), tr("Open the &sample"));
    m_sample->setToolTip(tr("MobileNet v2, included with Graphloom"));
    m_sample->setObjectName(QStringLiteral("sampleButton"));
    connect(m_sample, &QPushButton::clicked, this, &WelcomePage::sampleWanted);
    layout->addWidget(m_sample, 0, Qt::AlignHCenter);
    auto *left = new QPushButton(recover->icon(), recover->text());
    left->setToolTip(recover->toolTip());
    left->setObjectName(QStringLiteral("recoverButton"));
    left->setVisible(recover->isEnabled());
    connect(left, &QPushButton::clicked, recover, &QAction::trigger);
    connect(recover, &QAction::enabledChanged, left, &QPushButton::setVisible);
    layout->addWidget(left, 0, Qt::AlignHCenter);
    layout->addSpacing(16);

    m_recentTitle = new QLabel(tr("Recent files"));
    m_recentTitle->setForegroundRole(QPalette::PlaceholderText);
    layout->addWidget(m_recentTitle);
    m_recent = new QVBoxLayout;
    m_recent->setSpacing(2);
    layout->addLayout(m_recent);
    layout->addStretch(3);
    setRecent({});
}

void WelcomePage::setRecent(const QStringList &paths)
{
    while (QLayoutItem *item = m_recent->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    m_recentTitle->setVisible(!paths.isEmpty());
    for (const QString &path : paths.mid(0, mostRecent)) {
        const QFileInfo info(path);
        const QString folder =
            fontMetrics().elidedText(info.path(), Qt::ElideMiddle, columnWidth / 2);
        auto *button = new QPushButton(themedIcon(QStringLiteral("recent")),
                                       QStringLiteral("%1    %2")
                                           .arg(info.fileName(), folder)
                                           .replace('&', QStringLiteral("&&")));
        button->setToolTip(path);
        connect(button, &QPushButton::clicked, this, [this, path] { Q_EMIT chosen(path); });
        m_recent->addWidget(button);
    }
}

} // namespace graphloom
