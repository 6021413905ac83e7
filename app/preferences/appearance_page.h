// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/preferences/preference_page.h"
#include "app/style/appearance.h"

#include <array>

class QComboBox;
class QSpinBox;
class QToolButton;

namespace graphloom {

class Workbench;

/// Edits the theme, the size of the font, and the colours of operator classes in the theme that is
/// shown.
class AppearancePage final : public PreferencePage {
    Q_OBJECT

public:
    explicit AppearancePage(Workbench &bench);

    void refresh() override;
    void reset() override;
    /// Sets a colour of the theme that is shown; nothing: that of the theme itself.
    void setColour(OperatorClass operatorClass, const std::optional<QColor> &colour);

Q_SIGNALS:
    /// Emitted when the settings have another appearance.
    void appearanceChanged();

private:
    void keepAppearance(const Appearance &appearance);
    void chooseColour(OperatorClass operatorClass);
    QWidget *colourField(std::size_t operatorClass);

    Workbench &m_bench;
    QComboBox *m_theme;
    QSpinBox *m_points;
    std::array<QToolButton *, 6> m_colours{}, m_resets{};
};

} // namespace graphloom
