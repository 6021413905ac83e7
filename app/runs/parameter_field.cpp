// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runs/parameter_field.h"

#include "app/common/format.h"

#include <QCheckBox>
#include <QComboBox>
#include <QCoreApplication>
#include <QDoubleSpinBox>

#include <cassert>
#include <cmath>

namespace graphloom {

namespace {

struct FieldText {
    Q_DECLARE_TR_FUNCTIONS(ParameterField)
};

/// Returns a step for a real parameter: a twentieth of its initial value, or of its range if that
/// is zero, as a power of ten.
double stepOf(const Parameter &parameter)
{
    const double size =
        parameter.initial != 0 ? std::abs(parameter.initial) : parameter.most - parameter.least;
    return std::pow(10, std::floor(std::log10(std::max(1e-9, size) / 20)) + 1) / 2;
}

/// Returns enough decimals for the initial value and for a step.
int decimalsFor(const Parameter &parameter)
{
    if (parameter.kind == Parameter::Kind::Integer)
        return 0;
    int decimals = std::max(0, int(std::ceil(-std::log10(stepOf(parameter)))));
    constexpr int most = 9;
    const auto isExact = [&] {
        const double scaled = parameter.initial * std::pow(10, decimals);
        return std::abs(scaled - std::round(scaled)) < 1e-6 * std::max(1.0, std::abs(scaled));
    };
    while (decimals < most && !isExact())
        ++decimals;
    return decimals;
}

/// Creates the field of a number. QSpinBox could not hold integers beyond 32 bits.
ParameterField numberField(const Parameter &parameter, const std::function<void()> &changed)
{
    auto *box = new QDoubleSpinBox;
    box->setLocale(QLocale::c()); // as --set reads it
    box->setDecimals(decimalsFor(parameter));
    box->setRange(parameter.least, parameter.most);
    if (parameter.kind == Parameter::Kind::Real)
        box->setSingleStep(stepOf(parameter));
    if (!parameter.unit.empty())
        box->setSuffix(QStringLiteral(" ") + fromUtf8(parameter.unit));
    if (!parameter.zero.empty() && parameter.least == 0)
        box->setSpecialValueText(fromUtf8(parameter.zero));
    box->setMinimumWidth(80); // its longest number would ask for more than a narrow panel has
    box->setValue(parameter.initial);
    QObject::connect(box, &QDoubleSpinBox::valueChanged, box, changed);
    return {&parameter, box, [box] { return box->value(); },
            [box](double value) { box->setValue(value); }};
}

ParameterField toggleField(const Parameter &parameter, const std::function<void()> &changed)
{
    auto *box = new QCheckBox;
    box->setChecked(parameter.initial != 0);
    QObject::connect(box, &QCheckBox::toggled, box, changed);
    return {&parameter, box, [box] { return box->isChecked() ? 1.0 : 0.0; },
            [box](double value) { box->setChecked(value != 0); }};
}

ParameterField choiceField(const Parameter &parameter, const std::function<void()> &changed)
{
    auto *box = new QComboBox;
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box->setMinimumContentsLength(5); // for a narrow panel
    for (std::size_t i = 0; i < parameter.choices.size(); ++i)
        box->addItem(fromUtf8(choiceLabel(parameter, i)));
    box->setCurrentIndex(int(parameter.initial));
    QObject::connect(box, &QComboBox::currentIndexChanged, box, changed);
    return {&parameter, box, [box] { return double(box->currentIndex()); },
            [box](double value) { box->setCurrentIndex(int(value)); }};
}

/// Returns the number, which is exact for integers.
QString numberOf(const Parameter &parameter, double value)
{
    return parameter.kind == Parameter::Kind::Integer ? QString::number(value, 'f', 0)
                                                      : formatReal(value);
}

/// Returns the number with its unit.
QString withUnit(const Parameter &parameter, double value)
{
    const QString number = numberOf(parameter, value);
    return parameter.unit.empty() ? number
                                  : number + QStringLiteral(" ") + fromUtf8(parameter.unit);
}

} // namespace

ParameterField ParameterField::of(const Parameter &parameter, const std::function<void()> &changed)
{
    switch (parameter.kind) {
    case Parameter::Kind::Real:
    case Parameter::Kind::Integer:
        return numberField(parameter, changed);
    case Parameter::Kind::Toggle:
        return toggleField(parameter, changed);
    case Parameter::Kind::Choice:
        return choiceField(parameter, changed);
    }
    assert(false && "a parameter has one of four kinds");
    return {};
}

QString ParameterField::label() const
{
    return fromUtf8(parameter->label.empty() ? parameter->name : parameter->label);
}

QString ParameterField::help(std::string_view pass) const
{
    QString text = fromUtf8(parameter->help);
    switch (parameter->kind) {
    case Parameter::Kind::Real:
    case Parameter::Kind::Integer:
        text +=
            FieldText::tr("\n%1 to %2, default: %3")
                .arg(numberOf(*parameter, parameter->least), withUnit(*parameter, parameter->most),
                     withUnit(*parameter, parameter->initial));
        break;
    case Parameter::Kind::Toggle:
        text += parameter->initial != 0 ? FieldText::tr("\nDefault: on")
                                        : FieldText::tr("\nDefault: off");
        break;
    case Parameter::Kind::Choice:
        text += FieldText::tr("\nDefault: %1")
                    .arg(fromUtf8(choiceLabel(*parameter, std::size_t(parameter->initial))));
        break;
    }
    return text +
           FieldText::tr("\nOption: --set %1.%2").arg(fromUtf8(pass), fromUtf8(parameter->name));
}

} // namespace graphloom
