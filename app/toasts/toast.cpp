// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/toasts/toast.h"

#include "app/common/show_folder.h"
#include "app/style/icons.h"

#include <QAccessible>
#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QEnterEvent>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

namespace graphloom {

namespace {

constexpr int usualPatience = 8000; // milliseconds
constexpr int toastWidth = 360;

} // namespace

Toast::Toast(Content content, QWidget *parent) : QFrame(parent), m_content(std::move(content))
{
    setObjectName(QStringLiteral("toast"));
    setFrameShape(QFrame::StyledPanel);
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Button);
    setFixedWidth(toastWidth);
    setAccessibleName(m_content.text);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(10, 8, 6, 8);
    layout->setSpacing(6);
    layout->addLayout(makeHead());
    layout->addLayout(makeButtons());
    m_patience.setSingleShot(true);
    m_patience.setInterval(usualPatience);
    connect(&m_patience, &QTimer::timeout, this, &Toast::closed);
    connect(qApp, &QApplication::focusChanged, this, &Toast::wait);
    wait();
    QAccessibleEvent alert(this, QAccessible::Alert);
    QAccessible::updateAccessibility(&alert);
}

QToolButton *Toast::button(const char *name, const QString &text, const QString &meaning)
{
    auto *made = new QToolButton;
    made->setObjectName(QLatin1String(name));
    made->setText(text);
    made->setToolTip(meaning);
    made->setAccessibleName(text.isEmpty() ? meaning : text);
    made->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    return made;
}

QLayout *Toast::makeHead()
{
    constexpr int iconSize = 16;
    auto *icon = new QLabel;
    icon->setPixmap(
        themedIcon(m_content.isError ? QStringLiteral("error") : QStringLiteral("export"))
            .pixmap(iconSize, iconSize));
    m_text = new QLabel(m_content.text);
    m_text->setObjectName(QStringLiteral("toastText"));
    m_text->setTextFormat(Qt::PlainText);
    m_text->setWordWrap(true);
    m_text->setToolTip(m_content.file);
    m_close = button("closeToast", {}, tr("Close (Esc)"));
    m_close->setToolButtonStyle(Qt::ToolButtonIconOnly);
    m_close->setIcon(themedIcon(QStringLiteral("close")));
    m_close->setIconSize({14, 14});
    m_close->setAutoRaise(true);
    connect(m_close, &QToolButton::clicked, this, &Toast::closed);
    auto *head = new QHBoxLayout;
    head->setSpacing(8);
    head->addWidget(icon, 0, Qt::AlignTop);
    head->addWidget(m_text, 1);
    head->addWidget(m_close, 0, Qt::AlignTop);
    return head;
}

QLayout *Toast::makeButtons()
{
    m_folder = button("showInFolder", tr("Show in folder"), tr("Open the folder of the file"));
    m_folder->setIcon(themedIcon(QStringLiteral("open")));
    m_path = button("copyPath", tr("Copy path"), tr("Copy the path of the file"));
    m_path->setIcon(themedIcon(QStringLiteral("copy")));
    connect(m_folder, &QToolButton::clicked, this, &Toast::showFolder);
    connect(m_path, &QToolButton::clicked, this, &Toast::copyPath);
    auto *buttons = new QHBoxLayout;
    buttons->setSpacing(6);
    buttons->addWidget(m_folder);
    buttons->addWidget(m_path);
    buttons->addStretch();
    if (m_content.file.isEmpty())
        for (QToolButton *of : {m_folder, m_path})
            of->hide();
    return buttons;
}

void Toast::setPatience(int milliseconds)
{
    m_patience.setInterval(milliseconds);
    wait();
}

bool Toast::isAttended() const
{
    const QWidget *focus = QApplication::focusWidget();
    return m_hovered || (focus && isAncestorOf(focus));
}

/// Starts to wait, from the beginning, unless it is attended or an error.
void Toast::wait()
{
    if (m_content.isError || isAttended())
        m_patience.stop();
    else if (!m_patience.isActive())
        m_patience.start();
}

void Toast::takeFocus()
{
    (m_content.file.isEmpty() ? m_close : m_folder)->setFocus(Qt::ShortcutFocusReason);
}

void Toast::enterEvent(QEnterEvent *event)
{
    m_hovered = true;
    wait();
    QFrame::enterEvent(event);
}

void Toast::leaveEvent(QEvent *event)
{
    m_hovered = false;
    wait();
    QFrame::leaveEvent(event);
}

void Toast::showFolder()
{
    const QString problem = graphloom::showFolder(QFileInfo(m_content.file).absolutePath());
    if (!problem.isEmpty())
        m_text->setText(problem);
}

void Toast::copyPath()
{
    QApplication::clipboard()->setText(
        QDir::toNativeSeparators(QFileInfo(m_content.file).absoluteFilePath()));
    m_path->setText(tr("Path copied"));
}

} // namespace graphloom
