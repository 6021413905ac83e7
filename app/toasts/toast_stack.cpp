// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/toasts/toast_stack.h"

#include "app/common/format.h"

#include <QApplication>
#include <QFileInfo>
#include <QKeyEvent>

#include <algorithm>

namespace graphloom {

namespace {

constexpr int toastMargin = 12;       // to the corner
constexpr int toastSpacing = 6;       // between two
constexpr std::size_t mostToasts = 4; // the oldest makes room
constexpr int longestToastName = 40;  // of a file: long words are not wrapped, but cut off

} // namespace

ToastStack::ToastStack(QWidget &host, std::function<QRect()> place)
    : QObject(&host), m_host(host), m_place(std::move(place))
{
    qApp->installEventFilter(this);
    connect(qApp, &QApplication::focusChanged, this,
            [this](QWidget *, QWidget *now) { noteFocus(now); });
}

ToastStack::~ToastStack() = default;

void ToastStack::showFile(const QString &text, const QString &file)
{
    const QFileInfo info(file);
    const QString fitting =
        QString(text).replace(info.fileName(), elided(info.fileName(), longestToastName));
    show({info.isFile() ? tr("%1 (%2)").arg(fitting, formatBytes(double(info.size()))) : fitting,
          file});
}

void ToastStack::showError(const QString &text)
{
    show({text, {}, true});
}

void ToastStack::show(Toast::Content content)
{
    if (m_toasts.size() >= mostToasts) {
        const auto leaving =
            std::ranges::find_if(m_toasts, [](const Toast *toast) { return !toast->isAttended(); });
        if (leaving != m_toasts.end())
            close(**leaving);
    }
    auto *toast = new Toast(std::move(content), &m_host);
    connect(toast, &Toast::closed, this, [this, toast] { close(*toast); });
    m_toasts.push_back(toast);
    place();
    toast->show();
    if (m_toasts.size() == 1)
        Q_EMIT emptyChanged();
}

/// Deletes the toast later, as it may be calling. The focus goes back to where it was.
void ToastStack::close(Toast &toast)
{
    const QPointer<QWidget> before = isInToast(QApplication::focusWidget()) ? m_before : nullptr;
    std::erase(m_toasts, &toast);
    toast.disconnect(this);
    toast.hide();
    toast.deleteLater();
    if (before)
        before->setFocus();
    place();
    if (m_toasts.empty())
        Q_EMIT emptyChanged();
}

void ToastStack::takeFocus()
{
    if (!m_toasts.empty())
        m_toasts.back()->takeFocus();
}

void ToastStack::place()
{
    const QRect room = m_place();
    int bottom = room.bottom() - toastMargin;
    for (auto toast = m_toasts.rbegin(); toast != m_toasts.rend(); ++toast) {
        QWidget &of = **toast;
        of.ensurePolished();
        const int width = of.maximumWidth();
        const int height =
            of.hasHeightForWidth() ? of.heightForWidth(width) : of.sizeHint().height();
        of.setGeometry(room.right() - toastMargin - width, bottom - height, width, height);
        of.raise();
        bottom -= height + toastSpacing;
    }
}

bool ToastStack::isInToast(const QWidget *widget) const
{
    return widget && std::ranges::any_of(m_toasts, [widget](const Toast *toast) {
               return toast == widget || toast->isAncestorOf(widget);
           });
}

void ToastStack::noteFocus(QWidget *now)
{
    if (now && !isInToast(now))
        m_before = now;
}

bool ToastStack::takesEscape(const QWidget &to) const
{
    if (isInToast(&to))
        return true;
    return (&to == &m_host || m_host.isAncestorOf(&to)) &&
           !to.testAttribute(Qt::WA_InputMethodEnabled);
}

/// Sees the keys of the whole program, as views of the host take Escape, too.
bool ToastStack::eventFilter(QObject *watched, QEvent *event)
{
    if (m_toasts.empty())
        return false;
    const auto *widget = qobject_cast<const QWidget *>(watched);
    switch (event->type()) {
    case QEvent::Resize:
        if (widget == &m_host)
            QTimer::singleShot(0, this, &ToastStack::place); // after its layout
        return false;
    case QEvent::ShortcutOverride:
    case QEvent::KeyPress:
        // Not on its way from a widget that left it to its parents.
        if (!widget || widget != QApplication::focusWidget() ||
            static_cast<QKeyEvent *>(event)->key() != Qt::Key_Escape || !takesEscape(*widget))
            return false;
        if (event->type() == QEvent::ShortcutOverride)
            event->accept(); // commands of the window have the same key
        else
            close(*m_toasts.back());
        return true;
    default:
        return false;
    }
}

} // namespace graphloom
