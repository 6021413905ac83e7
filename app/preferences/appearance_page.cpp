// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/preferences/appearance_page.h"

#include "app/common/format.h"
#include "app/style/icons.h"
#include "app/workbench/workbench.h"

#include <QApplication>
#include <QColorDialog>
#include <QComboBox>
#include <QHBoxLayout>
#include <QPainter>
#include <QSpinBox>
#include <QToolButton>

namespace graphloom {

namespace {

bool isDark()
{
    return QApplication::palette().color(QPalette::Base).lightness() < 128;
}

/// Returns the theme that is shown, as it comes with the program.
std::optional<Theme> usualTheme()
{
    auto theme = loadTheme(isDark() ? QStringLiteral("dark") : QStringLiteral("light"));
    return theme ? std::optional(*std::move(theme)) : std::nullopt;
}

QIcon swatchOf(const QColor &colour)
{
    QPixmap pixmap(28, 14);
    pixmap.fill(colour);
    QPainter painter(&pixmap);
    painter.setPen(QApplication::palette().color(QPalette::Mid));
    painter.drawRect(pixmap.rect().adjusted(0, 0, -1, -1));
    return QIcon(pixmap);
}

} // namespace

AppearancePage::AppearancePage(Workbench &bench)
    : PreferencePage(tr("Appearance"), themedIcon(QStringLiteral("theme"))), m_bench(bench),
      m_theme(new QComboBox), m_points(new QSpinBox)
{
    const Actions &a = bench.actions;
    addHeading(tr("Window"));
    m_theme->setObjectName(QStringLiteral("themeChoice"));
    for (const QAction *action : {a.themeSystem, a.themeDark, a.themeLight})
        m_theme->addItem(action->iconText());
    addRow(tr("&Theme:"), m_theme, tr("Dark or light colours, or those of the desktop"));
    m_points->setObjectName(QStringLiteral("fontPoints"));
    m_points->setRange(Appearance::leastPoints - 1, Appearance::mostPoints);
    m_points->setSpecialValueText(tr("same as desktop"));
    m_points->setSuffix(tr(" pt"));
    addRow(tr("&Font size:"), m_points,
           tr("Size of texts in panels, menus and dialogs; the canvas is zoomed instead"));
    addHeading(tr("Colours of operator classes"));
    for (std::size_t i = 0; i < m_colours.size(); ++i) {
        QString name = fromUtf8(nameOf(OperatorClass(i)));
        name[0] = name[0].toUpper();
        addRow(tr("%1:").arg(name), colourField(i),
               tr("Colour of nodes of this class in the current theme"));
    }
    endRows();
    connect(m_theme, &QComboBox::activated, this, [this](int index) {
        const Actions &actions = m_bench.actions;
        (index == 0   ? actions.themeSystem
         : index == 1 ? actions.themeDark
                      : actions.themeLight)
            ->trigger();
        refresh();
    });
    connect(m_points, &QSpinBox::valueChanged, this, [this](int points) {
        Appearance appearance = appearanceIn(*m_bench.settings);
        appearance.points = points < Appearance::leastPoints ? 0 : points;
        keepAppearance(appearance);
    });
    for (const QAction *action : {a.themeSystem, a.themeDark, a.themeLight, a.nextTheme})
        connect(action, &QAction::triggered, this, &AppearancePage::refresh, Qt::QueuedConnection);
    refresh();
}

QWidget *AppearancePage::colourField(std::size_t operatorClass)
{
    auto *field = new QWidget;
    auto *line = new QHBoxLayout(field);
    line->setContentsMargins(0, 0, 0, 0);
    const auto which = OperatorClass(operatorClass);
    auto *choose = new QToolButton;
    choose->setObjectName(QStringLiteral("classColour%1").arg(operatorClass));
    choose->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    choose->setIconSize({28, 14});
    choose->setText(QStringLiteral("#dddddd"));
    choose->setMinimumWidth(choose->sizeHint().width()); // one column, whatever the figures
    choose->setToolTip(tr("Choose another colour"));
    connect(choose, &QToolButton::clicked, this, [this, which] { chooseColour(which); });
    auto *reset = new QToolButton;
    reset->setObjectName(QStringLiteral("resetColour%1").arg(operatorClass));
    reset->setIcon(themedIcon(QStringLiteral("reset")));
    reset->setAutoRaise(true);
    reset->setToolTip(tr("Reset to the colour of the theme"));
    reset->setAccessibleName(tr("Reset %1").arg(fromUtf8(nameOf(which))));
    connect(reset, &QToolButton::clicked, this, [this, which] { setColour(which, std::nullopt); });
    line->addWidget(choose);
    line->addWidget(reset);
    m_colours[operatorClass] = choose;
    m_resets[operatorClass] = reset;
    return field;
}

void AppearancePage::refresh()
{
    const Actions &a = m_bench.actions;
    m_theme->setCurrentIndex(a.themeDark->isChecked() ? 1 : a.themeLight->isChecked() ? 2 : 0);
    const Appearance appearance = appearanceIn(*m_bench.settings);
    const QSignalBlocker blocker(m_points);
    m_points->setValue(appearance.points > 0 ? appearance.points : m_points->minimum());
    const auto usual = usualTheme();
    for (std::size_t i = 0; usual && i < m_colours.size(); ++i) {
        const auto &own = appearance.classes[isDark()][i];
        const QColor colour = own.value_or(usual->classes[i]);
        m_colours[i]->setIcon(swatchOf(colour));
        m_colours[i]->setText(colour.name());
        m_colours[i]->setAccessibleName(
            tr("%1: %2").arg(fromUtf8(nameOf(OperatorClass(i))), colour.name()));
        m_resets[i]->setEnabled(own.has_value());
    }
}

void AppearancePage::chooseColour(OperatorClass operatorClass)
{
    const auto usual = usualTheme();
    const auto own = appearanceIn(*m_bench.settings).classes[isDark()][std::size_t(operatorClass)];
    auto *dialog =
        new QColorDialog(own.value_or(usual ? usual->of(operatorClass) : QColor()), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Colour of %1").arg(fromUtf8(nameOf(operatorClass))));
    connect(dialog, &QColorDialog::colorSelected, this,
            [this, operatorClass](const QColor &colour) { setColour(operatorClass, colour); });
    dialog->open();
}

void AppearancePage::setColour(OperatorClass operatorClass, const std::optional<QColor> &colour)
{
    Appearance appearance = appearanceIn(*m_bench.settings);
    appearance.classes[isDark()][std::size_t(operatorClass)] = colour;
    keepAppearance(appearance);
}

void AppearancePage::reset()
{
    m_bench.actions.themeSystem->trigger();
    keepAppearance({});
}

void AppearancePage::keepAppearance(const Appearance &appearance)
{
    keep(appearance, *m_bench.settings);
    Q_EMIT appearanceChanged();
    refresh();
}

} // namespace graphloom
