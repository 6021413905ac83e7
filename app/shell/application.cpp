// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/application.h"

#include "app/style/style.h"
#include "app/style/wheel_guard.h"

#include <QIcon>
#include <QMetaEnum>
#include <QThread>

#include <ctime>

// Resources of a static library must be initialized explicitly; the macro requires the global
// namespace.
static void loadResources()
{
    Q_INIT_RESOURCE(graphloom);
}

namespace graphloom {

namespace {

std::chrono::nanoseconds now(clockid_t clock)
{
    timespec time{};
    clock_gettime(clock, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

} // namespace

Application::Application(int &argc, char **argv) : QApplication(argc, argv)
{
    loadResources();
    setApplicationName(QStringLiteral("graphloom"));
    setApplicationDisplayName(QStringLiteral("Graphloom"));
    setOrganizationName(QStringLiteral("graphloom"));
    setApplicationVersion(QStringLiteral(GRAPHLOOM_VERSION));
    setDesktopFileName(QStringLiteral("graphloom"));
    setWindowIcon(QIcon(QStringLiteral(":/icons/graphloom.svg")));
    m_systemIsDark = palette().color(QPalette::Window).lightness() < 128;
    setStyle(new Style);
    installEventFilter(new WheelGuard(this));
}

void Application::lookAtSystem()
{
    const QPalette own = palette();
    setPalette(QPalette()); // follow the desktop
    m_systemIsDark = palette().color(QPalette::Window).lightness() < 128;
    setPalette(own);
}

void Application::startTiming()
{
    m_long.clear();
    m_events = 0;
    m_timing = true;
}

bool Application::notify(QObject *receiver, QEvent *event)
{
    if (!m_timing || QThread::currentThread() != thread())
        return QApplication::notify(receiver, event);
    // Nested events are part of the outer event, unless a nested event loop (a menu, a dialog)
    // delivers them.
    const int level = thread()->loopLevel();
    if (m_level == level)
        return QApplication::notify(receiver, event);
    const int outerLevel = std::exchange(m_level, level);
    const auto outerWall = std::exchange(m_nestedWall, {}),
               outerCpu = std::exchange(m_nestedCpu, {});
    // Read before the event, which may delete the receiver.
    const char *className = receiver->metaObject()->className();
    const int type = event->type();
    const QString name = receiver->objectName();
    const auto wall = now(CLOCK_MONOTONIC), cpu = now(CLOCK_THREAD_CPUTIME_ID);
    const bool result = QApplication::notify(receiver, event);
    const auto wholeWall = now(CLOCK_MONOTONIC) - wall,
               wholeCpu = now(CLOCK_THREAD_CPUTIME_ID) - cpu;

    ++m_events;
    EventTime time{wholeWall - m_nestedWall, wholeCpu - m_nestedCpu, {}};
    m_level = outerLevel;
    m_nestedWall = outerWall + (outerLevel >= 0 ? wholeWall : std::chrono::nanoseconds(0));
    m_nestedCpu = outerCpu + (outerLevel >= 0 ? wholeCpu : std::chrono::nanoseconds(0));
    if (time.wall > shortEvent) {
        const char *typeName = QMetaEnum::fromType<QEvent::Type>().valueToKey(type);
        time.what = QStringLiteral("%1%2 %3").arg(
            QLatin1String(className), name.isEmpty() ? QString() : " " + name,
            typeName ? QLatin1String(typeName) : QString::number(type));
        m_long.push_back(std::move(time));
    }
    return result;
}

} // namespace graphloom
