// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/properties/tensor_properties.h"

#include "app/common/format.h"

#include <QCoreApplication>

namespace graphloom {

namespace {

struct TensorPropertyText {
    Q_DECLARE_TR_FUNCTIONS(Properties)
};

QString bytesText(const Tensor &tensor)
{
    const auto bytes = bytesOf(tensor);
    return bytes ? QStringLiteral(" · ") + formatBytes(double(*bytes)) : QString();
}

} // namespace

QString tensorText(const Graph &graph, TensorId id)
{
    const Tensor &tensor = graph.tensor(id);
    QString text = formatType(tensor) + bytesText(tensor);
    if (tensor.constant)
        text += tensor.constant->isSplat() ? TensorPropertyText::tr(" · uniform constant")
                                           : TensorPropertyText::tr(" · constant");
    else if (graph.isInput(id))
        text += TensorPropertyText::tr(" · graph input");
    else if (graph.isExternal(id))
        text += TensorPropertyText::tr(" · captured");
    if (graph.isOutput(id))
        text += TensorPropertyText::tr(" · graph output");
    return text;
}

void addTensors(PropertySection &section, const Graph &graph, const std::vector<TensorId> &tensors)
{
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        if (!tensors[i].valid()) {
            section.properties.push_back({QString::number(i), TensorPropertyText::tr("omitted")});
            continue;
        }
        section.properties.push_back(
            {QString::number(i), nameOrNumber(graph.tensor(tensors[i]), tensors[i]) + '\n' +
                                     tensorText(graph, tensors[i])});
    }
}

} // namespace graphloom
