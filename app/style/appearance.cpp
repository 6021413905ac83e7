// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/style/appearance.h"

#include "app/common/format.h"

#include <QApplication>
#include <QSettings>

namespace graphloom {

namespace {

const QString pointsKey = QStringLiteral("appearance/points");

QString classKey(bool dark, std::size_t operatorClass)
{
    return QStringLiteral("appearance/%1/%2")
        .arg(dark ? QStringLiteral("dark") : QStringLiteral("light"),
             fromUtf8(nameOf(OperatorClass(operatorClass))));
}

} // namespace

Appearance appearanceIn(const QSettings &settings)
{
    Appearance appearance;
    const int points = settings.value(pointsKey).toInt();
    if (points >= Appearance::leastPoints && points <= Appearance::mostPoints)
        appearance.points = points;
    for (const bool dark : {false, true})
        for (std::size_t i = 0; i < appearance.classes[dark].size(); ++i) {
            const QColor colour(settings.value(classKey(dark, i)).toString());
            if (colour.isValid())
                appearance.classes[dark][i] = colour;
        }
    return appearance;
}

void keep(const Appearance &appearance, QSettings &settings)
{
    const auto keepOrRemove = [&](const QString &key, bool kept, const QVariant &value) {
        if (kept)
            settings.setValue(key, value);
        else
            settings.remove(key);
    };
    keepOrRemove(pointsKey, appearance.points > 0, appearance.points);
    for (const bool dark : {false, true})
        for (std::size_t i = 0; i < appearance.classes[dark].size(); ++i) {
            const auto &colour = appearance.classes[dark][i];
            keepOrRemove(classKey(dark, i), colour.has_value(), colour.value_or(QColor()).name());
        }
}

void apply(const Appearance &appearance, Theme &theme)
{
    for (std::size_t i = 0; i < theme.classes.size(); ++i)
        theme.classes[i] = appearance.classes[theme.dark][i].value_or(theme.classes[i]);
}

void applyFont(const Appearance &appearance)
{
    static const QFont usual = QApplication::font(); // before it is changed
    QFont font = usual;
    if (appearance.points > 0)
        font.setPointSize(appearance.points);
    if (font != QApplication::font())
        QApplication::setFont(font);
}

} // namespace graphloom
