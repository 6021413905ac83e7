// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/pass/pass.h"

#include <QString>

#include <functional>

class QWidget;

namespace graphloom {

/// Edits one parameter of a pass, with the field of the right kind: its range, unit, and the
/// meaning of 0.
struct ParameterField {
    const Parameter *parameter = nullptr;
    QWidget *editor = nullptr;
    std::function<double()> get;
    std::function<void(double)> set;

    /// Creates the editor. `changed` is called whenever its value changes.
    static ParameterField of(const Parameter &parameter, const std::function<void()> &changed);
    /// Returns the name in words.
    QString label() const;
    /// Returns the help with range, default, and the option of the command line, as tooltips show
    /// it.
    QString help(std::string_view pass) const;
};

} // namespace graphloom
