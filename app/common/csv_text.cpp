// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/csv_text.h"

#include "app/common/formula_text.h"

#include <QLocale>
#include <QRegularExpression>

#include <algorithm>
#include <cmath>

namespace graphloom {

namespace {

/// Returns the shortest text that reads back as the same number.
QString realText(double value)
{
    return std::isfinite(value) ? QString::number(value, 'g', QLocale::FloatingPointShortest)
                                : QString();
}

QString inQuotes(QString text)
{
    return u'"' + text.replace(QLatin1String("\""), QLatin1String("\"\"")) + u'"';
}

} // namespace

bool isInteger(const QVariant &value)
{
    switch (value.typeId()) {
    case QMetaType::Int:
    case QMetaType::UInt:
    case QMetaType::LongLong:
    case QMetaType::ULongLong:
        return true;
    default:
        return false;
    }
}

QString guardedCell(const QString &text)
{
    static const QRegularExpression figure(
        QStringLiteral("^[+-]?(\\d+\\.?\\d*|\\.\\d+|inf|nan)(e[+-]?\\d+)?( ?[\\p{L}%]+)?$"),
        QRegularExpression::CaseInsensitiveOption);
    const bool isFormula = !text.isEmpty() && text[0].unicode() < 0x80 &&
                           startsFormula(char(text[0].unicode())) && !figure.match(text).hasMatch();
    return isFormula ? u'\'' + text : text;
}

QString csvCell(const QVariant &value)
{
    if (!value.isValid())
        return {};
    if (value.typeId() == QMetaType::Double)
        return realText(value.toDouble());
    const QString plain = value.toString(); // includes "true" and "false"
    const QString text = guardedCell(plain);
    if (text.size() == plain.size() && std::ranges::none_of(text, [](QChar c) {
            return c == u'"' || c == u',' || c == u'\n' || c == u'\r';
        }))
        return text;
    return inQuotes(text);
}

} // namespace graphloom
