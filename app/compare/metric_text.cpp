// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/compare/metric_text.h"

#include "app/common/format.h"

namespace graphloom {

QString metricAmount(double value, const std::string &unit)
{
    return unit == "bytes"   ? formatBytes(value)
           : unit == "ms"    ? formatReal(value) + QStringLiteral(" ms")
           : value < 1000000 ? QString::number(value, 'f', 0)
                             : formatCount(value);
}

QString metricText(const std::optional<PlanMetric::Side> &side)
{
    if (!side)
        return QStringLiteral("\u2013");
    QString text = metricAmount(side->figure.value, side->figure.unit) + QStringLiteral(" (") +
                   fromUtf8(nameOf(side->figure.provenance));
    if (!side->basis.empty())
        text += QStringLiteral(", ") + fromUtf8(side->basis);
    return text + ')';
}

} // namespace graphloom
