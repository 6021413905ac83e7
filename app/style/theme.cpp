// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/style/theme.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <cmath>

namespace graphloom {

namespace {

/// Looks up colours and remembers the first missing one.
class Reader {
public:
    Reader(const QJsonObject &root, std::string where) : m_root(root), m_where(std::move(where)) {}

    QColor colour(const char *section, const char *name)
    {
        return parse(m_root[QLatin1String(section)][QLatin1String(name)],
                     std::string(section) + '.' + name);
    }
    std::vector<QColor> list(const char *section)
    {
        std::vector<QColor> colours;
        for (const auto &value : m_root[QLatin1String(section)].toArray())
            colours.push_back(parse(value, section));
        if (colours.empty())
            note(section);
        return colours;
    }
    Result<Theme> result(Theme theme) const
    {
        if (!m_defect.empty())
            return fail(Error::Kind::Fault, "\"" + m_defect + "\" is not a colour", m_where);
        return theme;
    }

private:
    QColor parse(const QJsonValue &value, const std::string &name)
    {
        const QColor colour(value.toString());
        if (!colour.isValid())
            note(name);
        return colour;
    }
    void note(const std::string &name)
    {
        if (m_defect.empty())
            m_defect = name;
    }

    QJsonObject m_root;
    std::string m_where, m_defect;
};

QPalette paletteOf(Reader &reader, const QColor &border, bool dark)
{
    const QColor window = reader.colour("palette", "window"),
                 base = reader.colour("palette", "base");
    const QColor text = reader.colour("palette", "text"), dim = reader.colour("palette", "dim");
    const QColor button = reader.colour("palette", "button");
    const QColor accent = reader.colour("palette", "accent");
    const QColor disabled = reader.colour("palette", "disabled");
    QPalette palette;
    palette.setColor(QPalette::Window, window);
    palette.setColor(QPalette::WindowText, text);
    palette.setColor(QPalette::Base, base);
    palette.setColor(QPalette::AlternateBase, reader.colour("palette", "alternateBase"));
    palette.setColor(QPalette::ToolTipBase, button);
    palette.setColor(QPalette::ToolTipText, text);
    palette.setColor(QPalette::PlaceholderText, dim);
    palette.setColor(QPalette::Text, text);
    palette.setColor(QPalette::Button, button);
    palette.setColor(QPalette::ButtonText, text);
    palette.setColor(QPalette::BrightText, reader.colour("palette", "error"));
    palette.setColor(QPalette::Highlight, accent);
    palette.setColor(QPalette::HighlightedText, reader.colour("palette", "accentText"));
    palette.setColor(QPalette::Link, reader.colour("palette", "link"));
    palette.setColor(QPalette::LinkVisited, reader.colour("palette", "link"));
    palette.setColor(QPalette::Light, dark ? button.lighter(130) : button);
    palette.setColor(QPalette::Midlight, button);
    palette.setColor(QPalette::Mid, border);
    palette.setColor(QPalette::Dark, border);
    palette.setColor(QPalette::Shadow, dark ? QColor(0, 0, 0, 160) : QColor(0, 0, 0, 60));
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        palette.setColor(QPalette::Disabled, role, disabled);
    palette.setColor(QPalette::Disabled, QPalette::Highlight, border);
    // The selection is shared by all views, so it keeps its colour without the focus.
    palette.setColor(QPalette::Inactive, QPalette::Highlight, accent);
    return palette;
}

/// Mixes `share` of `b` with the rest of `a`.
QColor mixed(const QColor &a, const QColor &b, float share)
{
    const auto mix = [share](float x, float y) { return x + (y - x) * share; };
    return QColor::fromRgbF(mix(a.redF(), b.redF()), mix(a.greenF(), b.greenF()),
                            mix(a.blueF(), b.blueF()));
}

/// Returns the relative luminance of WCAG.
double luminanceOf(const QColor &colour)
{
    const auto linear = [](double c) {
        return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) +
           0.0722 * linear(colour.blueF());
}

/// Returns a colour between those of a list, from 0 (the first) to 1.
QColor between(const std::vector<QColor> &colours, double part)
{
    const double place = std::clamp(part, 0.0, 1.0) * double(colours.size() - 1);
    const auto below = std::min(std::size_t(place), colours.size() - 1);
    const auto above = std::min(below + 1, colours.size() - 1);
    return mixed(colours[below], colours[above], float(place - double(below)));
}

} // namespace

QColor Theme::groundOf(MappingType mapping) const
{
    return mixed(canvas.background, of(mapping), dark ? 0.2F : 0.14F);
}

QColor Theme::fillOf(MappingType mapping) const
{
    return mixed(canvas.background, of(mapping), dark ? 0.45F : 0.4F);
}

QColor Theme::heatOf(double part) const
{
    return between(heat, part);
}

QColor Theme::balanceOf(double part) const
{
    return between(balance, part);
}

QColor textOn(const QColor &ground)
{
    // The threshold is where WCAG contrasts with black and white are equal.
    return luminanceOf(ground) > 0.179 ? Qt::black : Qt::white;
}

bool isReadable(const QColor &text, const QColor &ground)
{
    const auto [darker, lighter] = std::minmax({luminanceOf(text), luminanceOf(ground)});
    return (lighter + 0.05) / (darker + 0.05) >= 4.5;
}

Result<Theme> loadTheme(const QString &name)
{
    const QString path = QStringLiteral(":/themes/%1.json").arg(name);
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return fail(Error::Kind::Usage,
                    "unknown theme \"" + name.toStdString() + "\"; available: dark, light");
    const QJsonObject root = QJsonDocument::fromJson(file.readAll()).object();
    Reader reader(root, path.toStdString());
    Theme theme;
    theme.dark = root[QLatin1String("dark")].toBool();
    theme.border = reader.colour("palette", "border");
    theme.error = reader.colour("palette", "error");
    theme.warning = reader.colour("palette", "warning");
    theme.success = reader.colour("palette", "success");
    theme.palette = paletteOf(reader, theme.border, theme.dark);
    const auto canvas = [&](const char *colour) { return reader.colour("canvas", colour); };
    theme.canvas = {canvas("background"), canvas("edge"),      canvas("edgeIn"),
                    canvas("edgeOut"),    canvas("nodeText"),  canvas("nodeDim"),
                    canvas("nodeBorder"), canvas("terminal"),  canvas("selection"),
                    canvas("match"),      canvas("groupText"), canvas("groupBorder"),
                    canvas("collapsed")};
    for (std::size_t i = 0; i < theme.classes.size(); ++i)
        theme.classes[i] = reader.colour("classes", std::string(nameOf(OperatorClass(i))).c_str());
    for (std::size_t i = 0; i < theme.mappings.size(); ++i)
        theme.mappings[i] = reader.colour("mappings", std::string(nameOf(MappingType(i))).c_str());
    theme.groups = reader.list("groups");
    theme.series = reader.list("series");
    static constexpr std::array tensors{"activation", "input",  "output", "gradient",
                                        "update",     "weight", "others"};
    static_assert(tensors.size() == std::tuple_size_v<decltype(theme.tensors)>);
    for (std::size_t i = 0; i < tensors.size(); ++i)
        theme.tensors[i] = reader.colour("tensors", tensors[i]);
    theme.heat = reader.list("heat");
    theme.balance = reader.list("balance");
    theme.categories = reader.list("categories");
    return reader.result(std::move(theme));
}

} // namespace graphloom
