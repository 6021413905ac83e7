// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shapes/input_shapes.h"

#include "app/common/format.h"
#include "app/snapshot/graph_facts.h"
#include "engine/onnx/import.h"
#include "engine/ops/derive/infer.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>
#include <exception>

namespace graphloom {

namespace {

struct ShapesText {
    Q_DECLARE_TR_FUNCTIONS(InputShapes)
};

QString nameOf(const Dim &extent)
{
    return fromUtf8(extent.text());
}

} // namespace

std::vector<ModelInput> modelInputsOf(const Graph &file, const Graph &now)
{
    std::map<std::string_view, const Tensor *> open;
    for (const TensorId id : now.inputs())
        open[now.tensor(id).name] = &now.tensor(id);
    std::vector<ModelInput> inputs;
    for (const TensorId id : file.inputs()) {
        const Tensor &tensor = file.tensor(id);
        if (!tensor.shape || !tensor.otherType.empty())
            continue;
        ModelInput input{tensor.name, fromUtf8(nameOf(tensor.type)), *tensor.shape, *tensor.shape};
        if (const auto found = open.find(tensor.name);
            found != open.end() && found->second->shape &&
            found->second->shape->size() == input.stated.size())
            input.now = *found->second->shape;
        inputs.push_back(std::move(input));
    }
    return inputs;
}

std::vector<SymbolValue> symbolsOf(const std::vector<ModelInput> &inputs)
{
    std::vector<SymbolValue> symbols;
    for (const ModelInput &input : inputs)
        for (std::size_t i = 0; i < input.stated.size(); ++i) {
            const Dim &stated = input.stated[i];
            if (!stated.isSymbol() ||
                std::ranges::find(symbols, stated.text(), &SymbolValue::symbol) != symbols.end())
                continue;
            const auto value = input.now[i].constant();
            symbols.push_back({stated.text(), value.value_or(0)});
        }
    return symbols;
}

QString shapeText(const ModelInput &input)
{
    QStringList extents;
    for (std::size_t i = 0; i < input.stated.size(); ++i)
        extents << nameOf(input.stated[i].isSymbol() ? input.stated[i] : input.now[i]);
    return extents.join(QStringLiteral(", "));
}

Result<std::vector<std::int64_t>> readShape(const ModelInput &input, const QString &text)
{
    const auto wrong = [&](const QString &reason) {
        return fail(Error::Kind::Usage, reason.toStdString(), "input " + input.name);
    };
    const QStringList parts =
        text.trimmed().isEmpty() ? QStringList() : text.split(QLatin1Char(','));
    if (std::size_t(parts.size()) != input.stated.size())
        return wrong(ShapesText::tr("expected %1 extents, not %2")
                         .arg(input.stated.size())
                         .arg(parts.size()));
    std::vector<std::int64_t> extents;
    for (std::size_t i = 0; i < input.stated.size(); ++i) {
        const QString part = parts[qsizetype(i)].trimmed();
        bool isNumber = false;
        const std::int64_t extent = part.toLongLong(&isNumber);
        if (part == nameOf(input.stated[i]))
            extents.push_back(0);
        else if (isNumber && extent > 0)
            extents.push_back(extent);
        else
            return wrong(ShapesText::tr("extent %1 must be a number greater than 0 or \"%2\"")
                             .arg(i)
                             .arg(nameOf(input.stated[i])));
    }
    return extents;
}

std::map<std::string, std::vector<std::int64_t>>
requestedShapes(const std::vector<ModelInput> &inputs,
                const std::vector<std::vector<std::int64_t>> &read,
                const std::vector<SymbolValue> &symbols)
{
    std::map<std::string, std::vector<std::int64_t>> shapes;
    for (std::size_t n = 0; n < inputs.size(); ++n) {
        std::vector<std::int64_t> extents = read[n];
        for (std::size_t i = 0; i < extents.size(); ++i) {
            const auto symbol =
                std::ranges::find(symbols, inputs[n].stated[i].text(), &SymbolValue::symbol);
            if (extents[i] == 0 && symbol != symbols.end())
                extents[i] = symbol->value;
        }
        if (std::ranges::any_of(extents, [](std::int64_t extent) { return extent != 0; }))
            shapes[inputs[n].name] = std::move(extents);
    }
    return shapes;
}

Result<ShapeFigures> shapeFiguresOf(const std::filesystem::path &file, ImportOptions options,
                                    std::stop_token stop)
try {
    options.stop = stop;
    GL_TRY_CONST(model, importOnnx(file, options));
    const Graph &graph = model->graph;
    const auto facts = graphFactsOf(graph, opsetsOf(*model), stop);
    if (!facts)
        return fail(Error::Kind::Stopped, "stopped", file.string());
    ShapeFigures figures;
    figures.nodes = graph.nodeCount();
    figures.macs = facts->macs;
    figures.notCounted = facts->opaque + facts->symbolic;
    for (std::uint32_t i = 0; i < graph.tensorBound(); ++i) {
        const TensorId id{i};
        if (!graph.contains(id) || graph.tensor(id).constant)
            continue;
        const auto bytes = bytesOf(graph.tensor(id));
        if (bytes && *bytes > figures.largestBytes) {
            figures.largestBytes = *bytes;
            figures.largest = nameOrNumber(graph.tensor(id), id);
        }
    }
    for (const TensorId id : graph.outputs())
        figures.outputs.push_back(QStringLiteral("%1: %2").arg(nameOrNumber(graph.tensor(id), id),
                                                               formatType(graph.tensor(id))));
    return figures;
} catch (const std::exception &exception) { // such as out of memory, which must not end the session
    return fail(Error::Kind::Fault, exception.what(), file.string());
}

} // namespace graphloom
