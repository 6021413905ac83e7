// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/results/pass_run.h"

#include "app/common/format.h"
#include "app/results/tuning_search.h"

#include <QCoreApplication>

#include <algorithm>

namespace graphloom {

namespace {

struct PassRunText {
    Q_DECLARE_TR_FUNCTIONS(PassRun)
};

} // namespace

QString PassRun::activity() const
{
    if (state == State::Stopping)
        return PassRunText::tr("stopping…");
    return state == State::Held ? nameOf(state) : doing;
}

QString nameOf(PassRun::State state)
{
    switch (state) {
    case PassRun::State::Running:
        return PassRunText::tr("running");
    case PassRun::State::Held:
        return PassRunText::tr("paused");
    case PassRun::State::Stopping:
        return PassRunText::tr("stopping");
    case PassRun::State::Done:
        return PassRunText::tr("done");
    case PassRun::State::Stopped:
        return PassRunText::tr("stopped");
    case PassRun::State::Failed:
        break;
    }
    return PassRunText::tr("failed");
}

QString summaryText(const SummaryEntry &entry)
{
    QStringList words = fromUtf8(entry.key).split('_');
    const auto amount = [&](auto given) -> QString {
        const double value(given);
        if (words.removeAll(QStringLiteral("bytes")) > 0)
            return formatBytes(value);
        if (words.removeAll(QStringLiteral("ms")) > 0)
            return formatReal(value) + QStringLiteral(" ms");
        if (words.removeAll(QStringLiteral("seconds")) > 0)
            return formatReal(value) + QStringLiteral(" s");
        if (words.contains(QStringLiteral("flops")))
            return formatCount(value);
        if (words.contains(QStringLiteral("ratio")))
            return QStringLiteral("× ") + formatReal(value);
        if (words.contains(QStringLiteral("share")))
            return formatPercent(value);
        if constexpr (std::is_integral_v<decltype(given)>)
            return QString::number(given);
        else
            return formatReal(value);
    };
    const auto text = [&](const auto &value) -> QString {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, bool>)
            return value ? PassRunText::tr("yes") : PassRunText::tr("no");
        else if constexpr (std::is_same_v<T, std::string>)
            return fromUtf8(value);
        else
            return amount(value);
    };
    const QString value = std::visit(text, entry.value);
    return words.join(' ') + QStringLiteral(": ") + value;
}

QString replacementText(const Plan &before, const Plan &now)
{
    const QString by = now.history.empty() ? QString() : fromUtf8(now.history.back().pass);
    if (before.fusion && now.fusion && before.fusion != now.fusion)
        return PassRunText::tr("%1 replaced %2 fusion blocks of %3 with %4; intermediate results: "
                               "%5 → %6")
            .arg(by)
            .arg(before.fusion->blocks.size())
            .arg(fromUtf8(before.fusion->partition.method))
            .arg(now.fusion->blocks.size())
            .arg(formatBytes(double(before.fusion->statistics.after.irsBytes)),
                 formatBytes(double(now.fusion->statistics.after.irsBytes)));
    if (before.partition && now.partition && before.partition != now.partition)
        return PassRunText::tr("%1 replaced %2 subgraphs of %3 with %4")
            .arg(by)
            .arg(before.partition->subgraphs.size())
            .arg(fromUtf8(before.partition->method))
            .arg(now.partition->subgraphs.size());
    if (before.memory && now.memory && before.memory != now.memory)
        return PassRunText::tr("%1 replaced a memory plan with a peak of %2 with one of %3")
            .arg(by, formatBytes(double(peakBytesOf(before))),
                 formatBytes(double(peakBytesOf(now))));
    return {};
}

QString valueText(const Parameter &parameter, double value)
{
    switch (parameter.kind) {
    case Parameter::Kind::Toggle:
        return value != 0 ? PassRunText::tr("yes") : PassRunText::tr("no");
    case Parameter::Kind::Choice:
        return fromUtf8(parameter.choices[std::size_t(value)]);
    case Parameter::Kind::Integer:
        return QString::number(std::int64_t(value));
    case Parameter::Kind::Real:
        break;
    }
    return formatReal(value);
}

QString objectiveText(const Objective &objective)
{
    if (objective == Objective())
        return {};
    QStringList parts{fromUtf8(nameOf(objective.mode))};
    if (objective.latencyLimit)
        parts << PassRunText::tr("latency ≤ × %1").arg(formatReal(*objective.latencyLimit));
    if (const auto &limit = objective.memoryLimit)
        parts << (std::holds_alternative<double>(*limit)
                      ? PassRunText::tr("memory ≤ × %1").arg(formatReal(std::get<double>(*limit)))
                      : PassRunText::tr("memory ≤ %1")
                            .arg(formatBytes(double(std::get<std::uint64_t>(*limit)))));
    return parts.join(QStringLiteral(", "));
}

QString PassRun::name() const
{
    return fromUtf8(pass);
}

QString PassRun::settings() const
{
    QStringList parts;
    if (const QString objective = objectiveText(request.objective); !objective.isEmpty())
        parts << objective;
    // All settings of a run from a file are listed if its pass is not available.
    const auto table = request.pass         ? request.pass->parameters()
                       : pass == tuningName ? tuningParameters()
                                            : std::span<const Parameter>();
    for (const auto &[name, value] : request.settings.values()) {
        const auto parameter = std::ranges::find(table, name, &Parameter::name);
        if (table.empty() && !request.pass)
            parts << fromUtf8(name) + ' ' + formatReal(value);
        else if (parameter == table.end()) // a rule
            parts << (value != 0 ? QStringLiteral("+") : QStringLiteral("−")) + fromUtf8(name);
        else if (parameter->initial != value)
            parts << fromUtf8(name) + ' ' + valueText(*parameter, value);
    }
    if (request.edit)
        parts << PassRunText::tr("edited: %1").arg(request.text);
    else if (request.resume)
        parts << (request.resume->only ? PassRunText::tr("Pareto point")
                                       : PassRunText::tr("continued"));
    if (request.seed != 0)
        parts << PassRunText::tr("seed %1").arg(request.seed);
    return parts.join(QStringLiteral(" · "));
}

} // namespace graphloom
