// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/tensors/content/summary_model.h"

#include "app/tensors/content/value_model.h"
#include "engine/tensors/element_text.h"

#include <algorithm>

namespace graphloom {

namespace {

constexpr std::int64_t mostValues = 16;
constexpr std::size_t mostListed = 12;
constexpr int longestValue = 200;

QString valueText(const TensorData &data, std::int64_t position)
{
    const QString text = elided(fromUtf8(elementText(data, position)), longestValue);
    return data.type() == DataType::String ? '"' + text + '"' : text;
}

/// Returns a count and its share: "12 (3.1 %)".
QString shareText(std::int64_t count, const TensorStatistics &statistics)
{
    return count == 0 ? QStringLiteral("0")
                      : QStringLiteral("%1 (%2)").arg(
                            QString::number(count),
                            formatPercent(double(count) / double(statistics.elements)));
}

/// Returns an element with its place: "0.5 at [0, 3]".
QString boundText(const TensorData &data, std::int64_t position)
{
    const QString value = valueText(data, position);
    const TensorSlice whole(data.extents());
    return whole.rank() == 0
               ? value
               : SummaryModel::tr("%1 at %2").arg(value, indicesText(whole, position));
}

QString distinctText(const TensorStatistics &statistics, const TensorData &data)
{
    if (!statistics.distinct)
        return SummaryModel::tr("more than %1").arg(mostDistinctValues);
    QString text = QString::number(*statistics.distinct);
    if (statistics.values.empty())
        return text;
    QStringList values;
    for (std::size_t i = 0; i < std::min(mostListed, statistics.values.size()); ++i) {
        const DistinctValue &value = statistics.values[i];
        QString one = valueText(data, value.position);
        if (value.count > 1)
            one += QStringLiteral(" ×%1").arg(value.count);
        values << one;
    }
    if (statistics.values.size() > mostListed)
        values << QStringLiteral("…");
    return text + QStringLiteral(": ") + values.join(QStringLiteral(", "));
}

} // namespace

std::vector<TensorFact> factsOf(const InspectedTensor &tensor)
{
    std::vector<TensorFact> facts;
    const auto add = [&facts](const QString &name, const QString &value) {
        if (!value.isEmpty())
            facts.push_back({name, value});
    };
    if (tensor.data && tensor.data->elements() > 0 && tensor.data->elements() <= mostValues) {
        QStringList values;
        for (std::int64_t i = 0; i < tensor.data->elements(); ++i)
            values << valueText(*tensor.data, i);
        add(values.size() == 1 ? SummaryModel::tr("value") : SummaryModel::tr("values"),
            values.join(QStringLiteral(", ")));
    }
    add(SummaryModel::tr("name"), tensor.name);
    add(SummaryModel::tr("role"), tensor.role);
    add(SummaryModel::tr("type"), tensor.type);
    add(SummaryModel::tr("shape"), tensor.shape);
    if (tensor.data)
        add(SummaryModel::tr("elements"), QString::number(tensor.data->elements()));
    add(SummaryModel::tr("bytes"), tensor.bytes);
    add(SummaryModel::tr("data"), tensor.origin);
    add(SummaryModel::tr("inferred values"), tensor.inferred);
    return facts;
}

std::vector<TensorFact> factsOf(const TensorStatistics &statistics, const TensorData &data)
{
    std::vector<TensorFact> facts;
    if (statistics.leastAt) {
        facts.push_back({SummaryModel::tr("minimum"), boundText(data, *statistics.leastAt)});
        facts.push_back({SummaryModel::tr("maximum"), boundText(data, *statistics.greatestAt)});
        facts.push_back({SummaryModel::tr("mean"), formatReal(statistics.mean)});
        facts.push_back({SummaryModel::tr("standard deviation"), formatReal(statistics.deviation)});
    }
    facts.push_back({SummaryModel::tr("zeros"), shareText(statistics.zeros, statistics)});
    facts.push_back({SummaryModel::tr("negative"), shareText(statistics.negatives, statistics)});
    if (!isIntegral(data.type())) {
        facts.push_back({SummaryModel::tr("NaN"), shareText(statistics.nans, statistics)});
        facts.push_back(
            {SummaryModel::tr("infinite"), shareText(statistics.infinities(), statistics)});
    }
    facts.push_back({SummaryModel::tr("distinct values"), distinctText(statistics, data)});
    return facts;
}

SummaryModel::SummaryModel(QObject *parent) : RowsModel(parent)
{
    setColumns({{tr("Property"), QStringLiteral("fact"), of(&TensorFact::name)},
                {tr("Value"), QStringLiteral("value"), of(&TensorFact::value)}});
}

QString SummaryModel::valueOf(const QString &name) const
{
    const auto fact = std::ranges::find(m_facts, name, &TensorFact::name);
    return fact == m_facts.end() ? QString() : fact->value;
}

} // namespace graphloom
