// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/format.h"

#include <QCoreApplication>

#include <QStringList>

#include <array>
#include <cmath>
#include <utility>

namespace graphloom {

namespace {

struct FormatText {
    Q_DECLARE_TR_FUNCTIONS(Format)
};

constexpr int longestList = 12; // printed elements of a list
constexpr int longestText = 120;
constexpr int longestExtent = 14;

QString scaled(double value, double step, const std::array<const char *, 6> &units)
{
    std::size_t unit = 0;
    // A value that would round to a full step (1000 K, 1024 KiB) is printed in the next unit.
    while (std::round(std::abs(value)) >= step && unit + 1 < units.size()) {
        value /= step;
        ++unit;
    }
    const int decimals = unit == 0 ? 0 : std::abs(value) < 10 ? 2 : std::abs(value) < 100 ? 1 : 0;
    const QString number = QString::number(value, 'f', decimals);
    return *units[unit] ? number + ' ' + units[unit] : number;
}

template <class T, class Print> QString list(const std::vector<T> &values, Print print)
{
    QStringList parts;
    for (std::size_t i = 0; i < values.size() && i < longestList; ++i)
        parts << print(values[i]);
    if (values.size() > longestList)
        parts << QStringLiteral("… %1 in total").arg(values.size());
    return '[' + parts.join(QStringLiteral(", ")) + ']';
}

QString tensorText(const TensorData &data)
{
    QStringList extents;
    for (const std::int64_t extent : data.extents())
        extents << QString::number(extent);
    QString text = fromUtf8(nameOf(data.type())) + ' ' +
                   (extents.isEmpty() ? QStringLiteral("scalar") : extents.join('x'));
    if (data.type() != DataType::String && data.elements() > 0 && data.elements() <= 4) {
        QStringList values;
        for (std::int64_t i = 0; i < data.elements(); ++i)
            values << QString::number(data.real(i));
        text += QStringLiteral(": ") + values.join(QStringLiteral(", "));
    }
    return text;
}

/// Returns whether the size neither overflows nor depends on an unknown extent.
bool isKnown(const Dim &value)
{
    return !value.isOverflow() && value.text().find("\"?\"") == std::string::npos;
}

} // namespace

QString fromUtf8(std::string_view text)
{
    return QString::fromUtf8(text.data(), qsizetype(text.size()));
}

QString fileNameOf(const std::filesystem::path &path)
{
    return QString::fromStdString(path.filename().string());
}

QString absolutePath(const std::filesystem::path &path)
{
    std::error_code failed;
    const std::filesystem::path absolute = std::filesystem::absolute(path, failed);
    return QString::fromStdString((failed || path.empty() ? path : absolute).string());
}

QString formatCount(double value)
{
    return scaled(value, 1000, {"", "K", "M", "G", "T", "P"});
}

QString formatNodes(std::size_t count)
{
    return count == 1 ? FormatText::tr("1 node") : FormatText::tr("%n nodes", nullptr, int(count));
}

QString formatOperators(std::size_t count)
{
    return count == 1 ? FormatText::tr("1 operator")
                      : FormatText::tr("%n operators", nullptr, int(count));
}

QString formatBytes(double bytes)
{
    return scaled(bytes, 1024, {"B", "KiB", "MiB", "GiB", "TiB", "PiB"});
}

QString formatDim(const Dim &value)
{
    const auto constant = value.constant();
    return !isKnown(value) ? QStringLiteral("?")
           : constant      ? formatCount(double(*constant))
                           : fromUtf8(value.text());
}

QVariant valueOf(const Dim &value)
{
    if (!isKnown(value))
        return {};
    const auto constant = value.constant();
    return constant ? QVariant(qlonglong(*constant)) : QVariant(fromUtf8(value.text()));
}

bool isFewer(const Dim &a, const Dim &b)
{
    return a.constant().value_or(INT64_MAX) < b.constant().value_or(INT64_MAX);
}

QString formatDimBytes(const Dim &bytes)
{
    const auto constant = bytes.constant();
    return !isKnown(bytes) ? QStringLiteral("?")
           : constant      ? formatBytes(double(*constant))
                           : fromUtf8(bytes.text()) + QStringLiteral(" B");
}

QString formatReal(double value)
{
    if (value == std::floor(value) && std::abs(value) < 1e6)
        return QString::number(value, 'f', 0);
    if (std::abs(value) >= 1e6 || std::abs(value) < 1e-3)
        return QString::number(value, 'g', 4);
    const int digits = 3 - int(std::floor(std::log10(std::abs(value))));
    return QString::number(value, 'f', std::max(digits, 0));
}

TimeUnit timeUnitOf(double seconds)
{
    // A time that would be printed as 1000 of a unit is one of the next.
    constexpr double nearlyOne = 0.9995;
    static constexpr std::pair<const char *, double> units[] = {
        {"s", 1}, {"ms", 1e-3}, {"µs", 1e-6}};
    for (const auto &[name, unit] : units)
        if (std::abs(seconds) >= nearlyOne * unit)
            return {QString::fromUtf8(name), unit};
    return {QStringLiteral("ns"), 1e-9};
}

QString formatTime(double seconds)
{
    const TimeUnit unit = timeUnitOf(seconds);
    const double count = seconds / unit.seconds;
    const bool whole = unit.seconds == 1e-9 || std::abs(count) >= 99.95;
    return QString::number(count, 'f', whole ? 0 : std::abs(count) < 9.995 ? 2 : 1) + ' ' +
           unit.name;
}

QString formatPercent(double share)
{
    return QString::number(100 * share, 'f', 1) + QStringLiteral(" %");
}

QString formatShape(const Tensor &tensor)
{
    if (!tensor.shape)
        return QStringLiteral("?");
    if (tensor.shape->empty())
        return QStringLiteral("scalar");
    QStringList extents;
    for (const Dim &extent : *tensor.shape) {
        const QString printed = fromUtf8(extent.text());
        extents << (printed.size() > longestExtent ? QStringLiteral("…") : printed);
    }
    return extents.join('x');
}

QString nameOrNumber(const Tensor &tensor, TensorId id)
{
    return tensor.name.empty() ? QStringLiteral("#%1").arg(id.index) : fromUtf8(tensor.name);
}

QString formatType(const Tensor &tensor)
{
    if (!tensor.otherType.empty())
        return QStringLiteral("not a tensor");
    return fromUtf8(nameOf(tensor.type)) + ' ' +
           (tensor.shape ? fromUtf8(text(*tensor.shape)) : QStringLiteral("?"));
}

std::optional<std::uint64_t> bytesOf(const Tensor &tensor)
{
    if (!tensor.shape)
        return std::nullopt;
    const auto elements = staticElements(*tensor.shape);
    if (!elements)
        return std::nullopt;
    return bytesOf(tensor.type, std::uint64_t(*elements));
}

QString formatAttribute(const AttributeValue &value)
{
    const auto print = [](const auto &v) -> QString {
        using T = std::decay_t<decltype(v)>;
        const auto quoted = [](const std::string &s) { return '"' + fromUtf8(s) + '"'; };
        if constexpr (std::is_same_v<T, std::int64_t> || std::is_same_v<T, float>)
            return QString::number(v);
        else if constexpr (std::is_same_v<T, std::string>)
            return quoted(v);
        else if constexpr (std::is_same_v<T, std::vector<std::int64_t>> ||
                           std::is_same_v<T, std::vector<float>>)
            return list(v, [](auto x) { return QString::number(x); });
        else if constexpr (std::is_same_v<T, std::vector<std::string>>)
            return list(v, quoted);
        else if constexpr (std::is_same_v<T, TensorData>)
            return tensorText(v);
        else if constexpr (std::is_same_v<T, std::vector<TensorData>>)
            return list(v, tensorText);
        else if constexpr (std::is_same_v<T, GraphPointer>)
            return QStringLiteral("graph of %1 nodes").arg(v->nodeCount());
        else if constexpr (std::is_same_v<T, std::vector<GraphPointer>>)
            return list(v, [](const GraphPointer &g) {
                return QStringLiteral("graph of %1 nodes").arg(g->nodeCount());
            });
        else
            return QStringLiteral("%1 bytes, kept unchanged").arg(v.bytes.size());
    };
    return elided(std::visit(print, value), longestText);
}

QString elided(const QString &text, int most)
{
    if (text.size() <= most)
        return text;
    const int tail = (most - 1) / 2;
    return text.left(most - 1 - tail) + QStringLiteral("…") + text.right(tail);
}

} // namespace graphloom
