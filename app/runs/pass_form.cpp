// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runs/pass_form.h"

#include "app/common/format.h"
#include "app/rewrite/rule_list.h"
#include "app/style/icons.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QGridLayout>
#include <QLabel>
#include <QToolButton>

#include <cassert>
#include <cmath>

namespace graphloom {

namespace {

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

QString helpOf(const Parameter &parameter)
{
    QString text = fromUtf8(parameter.help);
    switch (parameter.kind) {
    case Parameter::Kind::Real:
    case Parameter::Kind::Integer:
        text += PassForm::tr("\n%1 to %2, default: %3")
                    .arg(formatReal(parameter.least), formatReal(parameter.most),
                         formatReal(parameter.initial));
        break;
    case Parameter::Kind::Toggle:
        text +=
            parameter.initial != 0 ? PassForm::tr("\nDefault: on") : PassForm::tr("\nDefault: off");
        break;
    case Parameter::Kind::Choice:
        text += PassForm::tr("\nDefault: %1")
                    .arg(fromUtf8(parameter.choices[std::size_t(parameter.initial)]));
        break;
    }
    return text;
}

} // namespace

PassForm::PassForm(std::shared_ptr<const Pass> pass, QWidget *parent)
    : QWidget(parent), m_pass(std::move(pass))
{
    auto *grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setVerticalSpacing(6);
    grid->setColumnStretch(1, 1);
    int row = 0;
    for (const Parameter &parameter : m_pass->parameters()) {
        Field field = makeField(parameter);
        const QString name = fromUtf8(parameter.name), help = helpOf(parameter);
        auto *label = new QLabel(name);
        label->setBuddy(field.editor);
        field.editor->setObjectName(name);
        field.editor->setAccessibleName(name);
        field.editor->setAccessibleDescription(help);
        auto *back = new QToolButton;
        back->setIcon(themedIcon(QStringLiteral("reset")));
        back->setAutoRaise(true);
        back->setIconSize(QSize(14, 14));
        back->setToolTip(tr("Reset to the default"));
        back->setAccessibleName(tr("Reset %1").arg(name));
        const auto update = [back, field] {
            back->setEnabled(field.get() != field.parameter->initial);
        };
        update();
        connect(this, &PassForm::changed, back, update);
        connect(back, &QToolButton::clicked, this,
                [field] { field.set(field.parameter->initial); });
        for (QWidget *widget : {static_cast<QWidget *>(label), field.editor}) {
            widget->setToolTip(help);
            widget->setWhatsThis(help);
        }
        grid->addWidget(label, row, 0);
        grid->addWidget(field.editor, row, 1);
        grid->addWidget(back, row, 2);
        m_fields.push_back(std::move(field));
        ++row;
    }
    if (m_pass->rules().empty())
        return;
    m_rules = new RuleList(m_pass->rules());
    connect(&m_rules->model(), &RuleModel::switched, this, &PassForm::changed);
    grid->addWidget(m_rules, row, 0, 1, 3);
}

PassForm::Field PassForm::makeField(const Parameter &parameter)
{
    switch (parameter.kind) {
    case Parameter::Kind::Real: {
        auto *box = new QDoubleSpinBox;
        box->setLocale(QLocale::c()); // as --set reads it
        box->setDecimals(decimalsFor(parameter));
        box->setRange(parameter.least, parameter.most);
        box->setSingleStep(stepOf(parameter));
        box->setValue(parameter.initial);
        connect(box, &QDoubleSpinBox::valueChanged, this, &PassForm::changed);
        return {&parameter, box, [box] { return box->value(); },
                [box](double value) { box->setValue(value); }};
    }
    case Parameter::Kind::Integer: {
        // QSpinBox cannot hold integers beyond 32 bits.
        auto *box = new QDoubleSpinBox;
        box->setLocale(QLocale::c());
        box->setDecimals(0);
        box->setRange(parameter.least, parameter.most);
        box->setValue(parameter.initial);
        connect(box, &QDoubleSpinBox::valueChanged, this, &PassForm::changed);
        return {&parameter, box, [box] { return box->value(); },
                [box](double value) { box->setValue(value); }};
    }
    case Parameter::Kind::Toggle: {
        auto *box = new QCheckBox;
        box->setChecked(parameter.initial != 0);
        connect(box, &QCheckBox::toggled, this, &PassForm::changed);
        return {&parameter, box, [box] { return box->isChecked() ? 1.0 : 0.0; },
                [box](double value) { box->setChecked(value != 0); }};
    }
    case Parameter::Kind::Choice: {
        auto *box = new QComboBox;
        for (const std::string_view choice : parameter.choices)
            box->addItem(fromUtf8(choice));
        box->setCurrentIndex(int(parameter.initial));
        connect(box, &QComboBox::currentIndexChanged, this, &PassForm::changed);
        return {&parameter, box, [box] { return double(box->currentIndex()); },
                [box](double value) { box->setCurrentIndex(int(value)); }};
    }
    }
    assert(false && "a parameter has one of four kinds");
    return {};
}

Settings PassForm::settings() const
{
    Settings settings(m_pass->parameters(), m_pass->rules());
    for (const Field &field : m_fields) {
        // The fields keep their values in range.
        [[maybe_unused]] const auto set = settings.set(field.parameter->name, field.get());
        assert(set && "a field holds a value out of its parameter's range");
    }
    if (m_rules)
        m_rules->model().addTo(settings);
    return settings;
}

void PassForm::setValue(std::string_view parameter, double value)
{
    for (const Field &field : m_fields)
        if (field.parameter->name == parameter)
            field.set(value);
}

void PassForm::reset()
{
    for (const Field &field : m_fields)
        field.set(field.parameter->initial);
    if (m_rules)
        m_rules->model().reset();
}

std::vector<std::pair<std::string, double>> PassForm::values() const
{
    return settings().values();
}

} // namespace graphloom
