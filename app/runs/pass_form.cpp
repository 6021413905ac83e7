// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runs/pass_form.h"

#include "app/common/format.h"
#include "app/rewrite/rule_list.h"
#include "app/style/icons.h"

#include <QGridLayout>
#include <QLabel>
#include <QResizeEvent>
#include <QToolButton>

#include <algorithm>
#include <cassert>

namespace graphloom {

namespace {

QVBoxLayout *plainColumn(int spacing = 6)
{
    auto *column = new QVBoxLayout;
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(spacing);
    return column;
}

QGridLayout *fieldGrid()
{
    auto *grid = new QGridLayout;
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setVerticalSpacing(6);
    grid->setColumnStretch(1, 1);
    return grid;
}

QLabel *groupTitle(const QString &text)
{
    auto *title = new QLabel(text);
    QFont font = title->font();
    font.setBold(true);
    title->setFont(font);
    return title;
}

/// Returns the titles of the groups, in the order of the parameters.
std::vector<std::string_view> groupsOf(const Pass &pass)
{
    std::vector<std::string_view> groups;
    for (const Parameter &parameter : pass.parameters())
        if (!parameter.group.empty() && std::ranges::find(groups, parameter.group) == groups.end())
            groups.push_back(parameter.group);
    return groups;
}

} // namespace

PassForm::PassForm(std::shared_ptr<const Pass> pass, QWidget *parent)
    : QWidget(parent), m_pass(std::move(pass)), m_goal(plainColumn()), m_run(plainColumn()),
      m_more(new QToolButton), m_advanced(new QWidget)
{
    auto *column = plainColumn(8);
    setLayout(column);
    column->addLayout(m_goal);
    auto *grid = fieldGrid();
    for (const Parameter &parameter : m_pass->parameters())
        if (parameter.group.empty())
            addField(*grid, parameter);
    column->addLayout(grid);

    m_more->setText(tr("Advanced"));
    m_more->setObjectName(QStringLiteral("advanced"));
    m_more->setToolTip(tr("Advanced parameters, the seed, and switches for rewrite rules"));
    m_more->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_more->setAutoRaise(true);
    m_more->setCheckable(true);
    connect(m_more, &QToolButton::toggled, this, [this](bool shown) {
        setAdvancedShown(shown);
        Q_EMIT advancedToggled(shown);
    });
    column->addWidget(m_more, 0, Qt::AlignLeft);
    column->addWidget(addAdvanced());
    setAdvancedShown(false);
}

QWidget *PassForm::addAdvanced()
{
    auto *column = plainColumn();
    m_advanced->setLayout(column);
    for (const std::string_view group : groupsOf(*m_pass))
        addGroup(*column, group);
    column->addWidget(groupTitle(tr("Run")));
    column->addLayout(m_run);
    if (m_pass->rules().empty())
        return m_advanced;
    column->addWidget(groupTitle(tr("Rewrite rules")));
    m_rules = new RuleList(m_pass->rules());
    connect(&m_rules->model(), &RuleModel::switched, this, &PassForm::changed);
    column->addWidget(m_rules);
    return m_advanced;
}

void PassForm::addGroup(QVBoxLayout &column, std::string_view group)
{
    column.addWidget(groupTitle(fromUtf8(group)));
    auto *grid = fieldGrid();
    for (const Parameter &parameter : m_pass->parameters())
        if (parameter.group == group)
            addField(*grid, parameter);
    column.addLayout(grid);
    column.addSpacing(6);
}

void PassForm::addField(QGridLayout &grid, const Parameter &parameter)
{
    const ParameterField field = ParameterField::of(parameter, [this] { Q_EMIT changed(); });
    const QString name = field.label(), help = field.help(m_pass->name());
    auto *label = new QLabel(name);
    label->setBuddy(field.editor);
    field.editor->setObjectName(fromUtf8(parameter.name));
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
    connect(back, &QToolButton::clicked, this, [field] { field.set(field.parameter->initial); });
    for (QWidget *widget : {static_cast<QWidget *>(label), field.editor}) {
        widget->setToolTip(help);
        widget->setWhatsThis(help);
    }
    const int row = grid.rowCount();
    grid.addWidget(label, row, 0);
    grid.addWidget(field.editor, row, 1);
    grid.addWidget(back, row, 2);
    m_fields.push_back(field);
}

void PassForm::adopt(QWidget &goal, QWidget &run)
{
    m_goal->addWidget(&goal);
    m_run->addWidget(&run);
    run.show(); // leaving another form has hidden it
    alignLabels();
}

/// Gives all labels the width of the longest one, as they are in several layouts. In a narrow form
/// labels are wrapped, so that there is room for the fields.
void PassForm::alignLabels()
{
    constexpr double most = 0.38; // of the form
    QList<QLabel *> labels;
    int width = 0;
    for (QLabel *label : findChildren<QLabel *>())
        if (label->buddy()) {
            width = std::max(width, label->fontMetrics().horizontalAdvance(label->text()) + 2);
            labels << label;
        }
    width = std::min(width, int(most * this->width()));
    m_labelWidth = width;
    for (QLabel *label : labels) {
        label->setWordWrap(true);
        label->setFixedWidth(width);
        label->setMinimumHeight(label->heightForWidth(width)); // of all of its lines
    }
}

/// Labels have the width that the form gives them: they do not keep it from becoming narrower.
QSize PassForm::minimumSizeHint() const
{
    const QSize size = QWidget::minimumSizeHint();
    const int narrow = fontMetrics().averageCharWidth() * 10; // a word of most labels
    return {size.width() - std::max(0, m_labelWidth - narrow), size.height()};
}

void PassForm::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        alignLabels();
}

void PassForm::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    if (event->size().width() != event->oldSize().width())
        alignLabels();
}

void PassForm::setAdvancedShown(bool shown)
{
    m_more->setChecked(shown);
    m_more->setArrowType(shown ? Qt::DownArrow : Qt::RightArrow);
    m_advanced->setVisible(shown);
}

bool PassForm::isAdvancedShown() const
{
    return m_more->isChecked();
}

Settings PassForm::settings() const
{
    Settings settings(m_pass->parameters(), m_pass->rules());
    for (const ParameterField &field : m_fields) {
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
    for (const ParameterField &field : m_fields)
        if (field.parameter->name == parameter)
            field.set(value);
}

void PassForm::reset()
{
    for (const ParameterField &field : m_fields)
        field.set(field.parameter->initial);
    if (m_rules)
        m_rules->model().reset();
}

std::vector<std::pair<std::string, double>> PassForm::values() const
{
    return settings().values();
}

} // namespace graphloom
