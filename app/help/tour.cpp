// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/help/tour.h"

#include "app/help/coach_mark.h"

namespace graphloom {

namespace {

constexpr int placeInterval = 200; // milliseconds

} // namespace

Tour::Tour(QWidget &window, std::vector<Step> steps) : m_window(window), m_steps(std::move(steps))
{
    m_clock.setInterval(placeInterval);
    connect(&m_clock, &QTimer::timeout, this, &Tour::place);
}

Tour::~Tour() = default;

void Tour::start(int step)
{
    if (!m_mark) {
        m_mark = new CoachMark(&m_window);
        connect(m_mark, &CoachMark::skipped, this, [this] { show(m_step + 1); });
        connect(m_mark, &CoachMark::ended, this, &Tour::end);
        m_clock.start();
    }
    show(step);
}

void Tour::show(int step)
{
    if (step >= int(m_steps.size())) {
        end();
        return;
    }
    m_step = step;
    const Step &now = m_steps[std::size_t(step)];
    m_during = std::make_unique<QObject>();
    if (now.listen)
        now.listen(*m_during, [this, step] {
            // Not during the signal that reports it.
            QTimer::singleShot(0, m_during.get(), [this, step] { show(step + 1); });
        });
    m_mark->setText(now.title, now.text, tr("%1 of %2").arg(step + 1).arg(m_steps.size()));
    m_mark->setLast(!now.listen);
    place();
}

void Tour::place()
{
    m_mark->pointAt(m_steps[std::size_t(m_step)].part());
}

void Tour::end()
{
    if (!m_mark)
        return;
    m_clock.stop();
    m_during.reset();
    m_mark->hide();
    m_mark->deleteLater(); // the call may come from one of its buttons
    m_mark = nullptr;
    Q_EMIT ended();
}

} // namespace graphloom
