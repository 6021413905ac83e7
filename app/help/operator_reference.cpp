// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/help/operator_reference.h"

#include "app/common/format.h"
#include "engine/ops/derive/mapping_type.h"
#include "engine/ops/reference/reference.h"
#include "engine/ops/upgrade/upgrade.h"

#include <algorithm>

namespace graphloom {

namespace {

constexpr std::string_view pagePrefix = "operators-";

constexpr OperatorClass classes[] = {OperatorClass::Contraction, OperatorClass::Window,
                                     OperatorClass::Elementwise, OperatorClass::Broadcast,
                                     OperatorClass::Movement,    OperatorClass::Opaque};

QString pageOf(OperatorClass operatorClass)
{
    QString name = fromUtf8(nameOf(operatorClass)).toLower();
    return fromUtf8(pagePrefix) + name.replace(' ', '-');
}

QString nameOf(const OperatorFacts &facts)
{
    return QString::fromStdString(qualifiedName(*facts.entry));
}

QString sectionOf(const OperatorFacts &facts)
{
    QStringList remarks{QStringLiteral("operator sets ") +
                            QString::fromStdString(operatorSetsOf(facts)),
                        fromUtf8(nameOf(facts.mapping))};
    if (facts.hasGradient)
        remarks << QStringLiteral("gradient");
    if (!facts.hasKernel)
        remarks << QStringLiteral("not supported");
    QString text =
        QStringLiteral("---\n\n### %1\n\n%2\n\n").arg(nameOf(facts), remarks.join(" · "));
    if (facts.isOpaque())
        text += QStringLiteral("Opaque: %1.\n\n").arg(QString::fromStdString(facts.opaque));
    for (const std::string &formula : facts.formulas)
        text += "    " + QString::fromStdString(formula) + '\n';
    return text + '\n';
}

QString classPage(OperatorClass operatorClass, std::span<const OperatorFacts> operators)
{
    QString text = QStringLiteral("# Operators: %1\n\n[Contents](index.md) · "
                                  "[All operators](operators.md)\n\n")
                       .arg(fromUtf8(nameOf(operatorClass)).toLower());
    for (const OperatorFacts &facts : operators)
        if (facts.operatorClass == operatorClass)
            text += sectionOf(facts);
    return text;
}

QString overview(std::span<const OperatorFacts> operators)
{
    const auto opaque = std::ranges::count_if(operators, &OperatorFacts::isOpaque);
    QString text =
        QStringLiteral(
            "# Operators\n\n[Contents](index.md)\n\n"
            "The operator table has %1 operators. %2 are described by **stages**: loops over axes "
            "with an index map for every tensor. Shapes, costs, mapping types, fusion and kernels "
            "are derived from the stages. %3 are **opaque**: without index maps they are a barrier "
            "to fusion and fission. Each formula is that of a typical call: `x0`, `x1`… are "
            "inputs, `y0`… outputs, `t0`… intermediate results; `+=` and `max=` reduce over the "
            "axes that are missing on the left side, and `acc` is the accumulated value.\n\n"
            "ONNX models with operator sets 1 to %4 are supported; older forms of an operator are "
            "converted to the newest. An operator with **gradient** can be part of a training "
            "graph.\n\n")
            .arg(operators.size())
            .arg(qsizetype(operators.size()) - opaque)
            .arg(opaque)
            .arg(newestOpset);
    for (const OperatorClass operatorClass : classes) {
        QStringList names;
        for (const OperatorFacts &facts : operators)
            if (facts.operatorClass == operatorClass)
                names << nameOf(facts);
        text += QStringLiteral("- [%1](%2.md): %3\n")
                    .arg(fromUtf8(nameOf(operatorClass)), pageOf(operatorClass), names.join(", "));
    }
    text += QStringLiteral(
        "\n## Not supported\n\n"
        "A model with one of these operators, or with an operator that is not in the table, can be "
        "opened, partitioned around the node, and exported with the node unchanged. It cannot be "
        "run: verification fails and names the node.\n\n");
    for (const OperatorFacts &facts : operators)
        if (!facts.hasKernel)
            text += QStringLiteral("- %1: %2\n")
                        .arg(nameOf(facts), QString::fromStdString(facts.opaque));
    return text;
}

} // namespace

QString operatorPage(const QString &name)
{
    if (name == QLatin1String("operators"))
        return overview(operatorFacts());
    for (const OperatorClass operatorClass : classes)
        if (name == pageOf(operatorClass))
            return classPage(operatorClass, operatorFacts());
    return {};
}

QStringList operatorPages()
{
    QStringList names{QStringLiteral("operators")};
    for (const OperatorClass operatorClass : classes)
        names << pageOf(operatorClass);
    return names;
}

} // namespace graphloom
