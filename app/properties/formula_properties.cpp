// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/properties/formula_properties.h"

#include "app/common/format.h"
#include "engine/ops/describe/stage.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>

namespace graphloom {

namespace {

struct FormulaPropertyText {
    Q_DECLARE_TR_FUNCTIONS(Properties)
};

} // namespace

PropertySection mappingSection(const Graph &graph, const Node &node, const Description &description)
{
    PropertySection section{FormulaPropertyText::tr("Mapping type"), {}};
    std::vector<bool> constant;
    for (const TensorId input : node.inputs)
        constant.push_back(input.valid() && graph.tensor(input).constant);
    section.properties.push_back(
        {FormulaPropertyText::tr("overall"), fromUtf8(nameOf(mappingType(description, constant)))});
    if (node.inputs.size() * std::size_t(description.outputs) <= 1)
        return section;
    for (int i = 0; i < int(node.inputs.size()); ++i)
        for (int o = 0; o < description.outputs; ++o) {
            if (!node.inputs[std::size_t(i)].valid())
                continue;
            const auto mapping = mappingType(description, i, o);
            section.properties.push_back(
                {FormulaPropertyText::tr("input %1 → output %2").arg(i).arg(o),
                 mapping ? fromUtf8(nameOf(*mapping))
                         : FormulaPropertyText::tr("reads only the shape")});
        }
    return section;
}

PropertySection formulaSection(const Graph &graph, const Node &node, const Description &description)
{
    PropertySection section{FormulaPropertyText::tr("Index maps"), {}};
    // Short names keep formulas readable: inputs a, b, c…, output y.
    constexpr std::size_t letters = 'x' - 'a';
    std::vector<std::string> inputs, values;
    for (std::size_t i = 0; i < node.inputs.size(); ++i)
        inputs.push_back(i < letters ? std::string(1, char('a' + i)) : "a" + std::to_string(i));
    for (int v = 0; v < int(description.values.size()); ++v)
        values.push_back(v < description.outputs
                             ? (description.outputs == 1 ? "y" : "y" + std::to_string(v))
                             : "t" + std::to_string(v - description.outputs));
    for (const Stage &stage : description.stages) {
        section.properties.push_back(
            {stage.name.empty() ? FormulaPropertyText::tr("formula") : fromUtf8(stage.name),
             fromUtf8(formulaOf(stage, inputs, values)), true});
        QStringList axes;
        for (const Axis &axis : stage.axes)
            axes << QStringLiteral("%1%2 < %3")
                        .arg(axis.kind == Axis::Kind::Reduce ? QStringLiteral("Σ ") : QString(),
                             fromUtf8(axis.name), fromUtf8(axis.extent.text()))
                        .replace(' ', QChar::Nbsp); // so that lines only break between axes
        if (!axes.isEmpty())
            section.properties.push_back(
                {FormulaPropertyText::tr("axes"), axes.join(QStringLiteral(", ")), true});
    }
    QStringList legend;
    for (std::size_t i = 0; i < std::min(node.inputs.size(), letters); ++i)
        if (node.inputs[i].valid())
            legend << fromUtf8(inputs[i]) + QStringLiteral(" = ") +
                          nameOrNumber(graph.tensor(node.inputs[i]), node.inputs[i]);
    if (!legend.isEmpty())
        section.properties.push_back({FormulaPropertyText::tr("where"), legend.join('\n'), true});
    return section;
}

} // namespace graphloom
