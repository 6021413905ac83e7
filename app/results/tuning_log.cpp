// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/results/tuning_log.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace graphloom {

TuningLog::Sums TuningLog::sumsOf(std::uint32_t block) const
{
    Sums sums;
    std::optional<Sums> whole;
    for (auto place = m_places.lower_bound({block, std::nullopt});
         place != m_places.end() && place->first.block == block; ++place) {
        const Kernel &kernel = m_kernels[place->second];
        if (kernel.startMs <= 0)
            continue;
        const Sums of{kernel.uses * kernel.startMs, kernel.uses * kernel.bestMs};
        if (!kernel.place.nest)
            whole = of;
        else
            sums = {sums.start + of.start, sums.best + of.best};
    }
    if (!whole)
        return sums;
    return {whole->start, whole->best * (sums.start > 0 ? sums.best / sums.start : 1)};
}

void TuningLog::add(TuningTrial trial)
{
    const Sums before = sumsOf(trial.place.block);
    const auto [place, isNew] = m_places.try_emplace(trial.place, m_kernels.size());
    if (isNew)
        m_kernels.push_back({trial.place, trial.uses, 0, 0, {}});
    Kernel &kernel = m_kernels[place->second];
    if (!trial.problem.empty()) {
        ++m_failures;
    } else {
        const auto lower = [&](double &ms) {
            ms = ms > 0 ? std::min(ms, trial.milliseconds) : trial.milliseconds;
        };
        lower(kernel.bestMs);
        if (trial.byDefault)
            lower(kernel.startMs);
        const Sums now = sumsOf(trial.place.block);
        m_sums.start += now.start - before.start;
        m_sums.best += now.best - before.best;
    }
    kernel.trials.push_back(m_trials.size());
    m_trials.push_back({place->second, std::move(trial), kernel.startMs, kernel.bestMs, whole()});
}

double TuningLog::whole() const
{
    return m_sums.start > 0 ? m_sums.best / m_sums.start : 1;
}

std::optional<double> TuningLog::relative(std::size_t trial) const
{
    const Trial &of = m_trials[trial];
    if (!of.what.problem.empty() || of.startMs <= 0)
        return std::nullopt;
    return of.what.milliseconds / of.startMs;
}

std::optional<std::size_t> TuningLog::kernelAt(const KernelPlace &place) const
{
    const auto found = m_places.find(place);
    return found == m_places.end() ? std::nullopt : std::optional(found->second);
}

std::vector<std::size_t> decimated(const std::vector<double> &values, std::size_t most)
{
    std::vector<std::size_t> chosen;
    const std::size_t stretches = std::max<std::size_t>(most / 2, 1);
    if (values.size() <= 2 * stretches) {
        for (std::size_t i = 0; i < values.size(); ++i)
            chosen.push_back(i);
        return chosen;
    }
    for (std::size_t s = 0; s < stretches; ++s) {
        const auto from = values.begin() + std::ptrdiff_t(s * values.size() / stretches);
        const auto to = values.begin() + std::ptrdiff_t((s + 1) * values.size() / stretches);
        std::size_t least = std::size_t(std::min_element(from, to) - values.begin());
        std::size_t greatest = std::size_t(std::max_element(from, to) - values.begin());
        if (least > greatest)
            std::swap(least, greatest);
        chosen.push_back(least);
        if (greatest != least)
            chosen.push_back(greatest);
    }
    return chosen;
}

namespace {

/// Returns the distance of labels on an axis: 1, 2 or 5 times a power of ten, for about four
/// labels.
double niceStep(double range)
{
    const double rough = range / 4, power = std::pow(10, std::floor(std::log10(rough)));
    for (const double factor : {1.0, 2.0, 5.0})
        if (rough <= factor * power)
            return factor * power;
    return 10 * power;
}

QList<QPointF> thinned(const QList<QPointF> &points, std::size_t most)
{
    std::vector<double> values;
    for (const QPointF &point : points)
        values.push_back(point.y());
    QList<QPointF> chosen;
    for (const std::size_t i : decimated(values, most))
        chosen << points[qsizetype(i)];
    return chosen;
}

/// Draws a line that keeps each value until the next one.
QList<QPointF> stepsOf(const QList<QPointF> &points, std::size_t most)
{
    QList<QPointF> corners; // points where the value changes
    for (const QPointF &point : points)
        if (corners.isEmpty() || corners.back().y() != point.y())
            corners << point;
    QList<QPointF> line;
    for (const QPointF &corner : thinned(corners, most / 2)) {
        if (!line.isEmpty())
            line << QPointF(corner.x(), line.back().y());
        line << corner;
    }
    if (!line.isEmpty() && line.back() != points.back())
        line << points.back();
    return line;
}

class SeriesMaker {
public:
    SeriesMaker(const TuningLog &log, std::optional<std::size_t> kernel, const TuningLog &earlier)
        : m_log(log), m_earlier(earlier)
    {
        if (kernel) {
            m_series.trials = log.kernels()[*kernel].trials;
            m_start = log.kernels()[*kernel].startMs;
        } else {
            m_series.trials.resize(log.trials().size());
            for (std::size_t i = 0; i < m_series.trials.size(); ++i)
                m_series.trials[i] = i;
        }
        m_single = kernel.has_value();
    }

    TuningSeries make(std::size_t most)
    {
        setAxis();
        // Half a mark below the border, so that it is fully visible.
        const double edge = m_series.high - 0.04 * (m_series.high - m_series.low);
        QList<QPointF> best, whole, earlier;
        for (std::size_t i = 0; i < m_series.trials.size(); ++i) {
            const TuningLog::Trial &trial = m_log.trials()[m_series.trials[i]];
            const double x = double(i + 1);
            const std::optional<double> y = valueOf(i);
            if (!trial.what.problem.empty())
                m_series.failed << QPointF(x, edge);
            else if (y && *y < edge)
                m_series.measured << QPointF(x, *y);
            else if (y)
                m_series.slower << QPointF(x, edge);
            if (const double start = startOf(trial); trial.bestMs > 0 && start > 0)
                best << QPointF(x, trial.bestMs / start);
            if (!m_single)
                whole << QPointF(x, trial.whole);
        }
        m_series.measured = thinned(m_series.measured, most);
        m_series.slower = thinned(m_series.slower, most);
        m_series.failed = thinned(m_series.failed, most);
        m_series.best = stepsOf(best, most);
        m_series.whole = stepsOf(whole, most);
        if (!m_single)
            for (std::size_t i = 0; i < m_earlier.trials().size(); ++i)
                earlier << QPointF(double(i + 1), m_earlier.trials()[i].whole);
        m_series.earlier = stepsOf(earlier, most);
        return std::move(m_series);
    }

private:
    /// Returns the divisor of times.
    double startOf(const TuningLog::Trial &trial) const { return m_single ? 1 : trial.startMs; }
    std::optional<double> valueOf(std::size_t i) const
    {
        const std::size_t trial = m_series.trials[i];
        if (!m_single)
            return m_log.relative(trial);
        const TuningTrial &what = m_log.trials()[trial].what;
        return what.problem.empty() ? std::optional(what.milliseconds) : std::nullopt;
    }
    /// Sets the range from below the best to above the start; slower trials are clipped at twice
    /// the start.
    void setAxis()
    {
        double least = 0, most = 0;
        for (std::size_t i = 0; i < m_series.trials.size(); ++i)
            if (const auto value = valueOf(i)) {
                least = most > 0 ? std::min(least, *value) : *value;
                most = std::max(most, *value);
            }
        if (most <= 0)
            return;
        if (!m_single && !m_earlier.isEmpty())
            least = std::min(least, m_earlier.whole());
        const double start = m_single ? (m_start > 0 ? m_start : most) : 1;
        const double top = std::clamp(1.1 * most, 1.1 * start, 2 * start);
        m_series.step = niceStep(top - 0.95 * least);
        m_series.low = m_series.step * std::floor(0.95 * least / m_series.step);
        m_series.high = m_series.step * std::ceil(top / m_series.step);
    }

    const TuningLog &m_log, &m_earlier;
    bool m_single = false;
    double m_start = 0;
    TuningSeries m_series;
};

} // namespace

TuningSeries tuningSeriesOf(const TuningLog &log, std::optional<std::size_t> kernel,
                            std::size_t most, const TuningLog &earlier)
{
    return SeriesMaker(log, kernel, earlier).make(most);
}

} // namespace graphloom
