// SPDX-License-Identifier: Apache-2.0
#include "engine/autodiff/loss.h"

#include "engine/autodiff/dependence.h"
#include "engine/ops/derive/analysis.h"
#include "engine/ops/derive/mapping_type.h"
#include "engine/rewrite/terms/builder.h"

#include <algorithm>

namespace graphloom {

namespace {

using Kind = TrainingOptions::Loss;

class LossMaker {
public:
    LossMaker(GraphEditor &editor, TensorNames &names, const Opsets &opsets)
        : m_editor(editor), m_names(names), m_opsets(opsets)
    {
    }

    Result<Loss> run(Kind wanted, const std::stop_token &stop);

private:
    const Graph &graph() const { return m_editor.graph(); }
    const Tensor &prediction() const { return graph().tensor(m_loss.prediction); }
    const Shape &shape() const { return *prediction().shape; }

    Result<void> choose(Kind wanted);
    bool givesClasses() const;
    bool comesOfProduct() const;
    void addCrossEntropy();
    void addSquaredError();

    TensorId input(const std::string &name, DataType type, Shape extents);
    TensorId call(const std::string &op, std::vector<TensorId> inputs,
                  std::vector<Attribute> attributes, const std::string &name, DataType type,
                  Shape extents);
    TensorId flattened(TensorId tensor, Shape extents);
    double countOf(const Shape &extents) const
    {
        return double(staticElements(extents).value_or(1));
    }

    GraphEditor &m_editor;
    TensorNames &m_names;
    const Opsets &m_opsets;
    std::vector<bool> m_data; // dataOf() before anything is added
    Loss m_loss;
};

Result<Loss> LossMaker::run(Kind wanted, const std::stop_token &stop)
{
    if (graph().outputs().empty())
        return fail(Error::Kind::Model,
                    "the model has no output from which a loss could be computed");
    m_loss.prediction = graph().outputs()[0];
    const Tensor &output = prediction();
    if (!isFloatingPoint(output.type) || !output.shape || !isStatic(*output.shape))
        return fail(
            Error::Kind::Model,
            "a loss needs a floating-point tensor with a known shape; this one has " +
                (output.shape ? "shape " + text(*output.shape) : std::string("an unknown shape")) +
                "; set the input shapes first (Model > Input shapes, or --input and --batch-size)",
            "output \"" + output.name + "\"");
    if (graph().producer(m_loss.prediction) == NodeId{})
        return fail(Error::Kind::Model, "is not computed by any node",
                    "output \"" + output.name + "\"");
    GL_TRY_RESULT(data, dataOf(graph(), m_opsets, stop));
    m_data = *std::move(data);
    GL_TRY(choose(wanted));
    if (m_loss.kind == Kind::CrossEntropy)
        addCrossEntropy();
    else
        addSquaredError();
    const DataType type = prediction().type;
    const TensorId scale =
        m_editor.addTensor(Tensor::of(m_names.take("loss.scale"), scalarData(m_loss.scale, type)));
    m_loss.loss = call("Mul", {m_loss.sum, scale}, {}, "loss", type, {});
    return m_loss;
}

Result<void> LossMaker::choose(Kind wanted)
{
    const bool possible = shape().size() >= 2;
    m_loss.kind = wanted != Kind::Automatic    ? wanted
                  : possible && givesClasses() ? Kind::CrossEntropy
                                               : Kind::SquaredError;
    if (m_loss.kind == Kind::CrossEntropy && !possible)
        return fail(Error::Kind::Usage,
                    "output \"" + prediction().name + "\" of shape " + text(shape()) +
                        " has no class dimension; choose the loss squared-error",
                    "--loss cross-entropy");
    return {};
}

bool LossMaker::givesClasses() const
{
    switch (shape().size()) {
    case 2:
    case 4:
        return shape()[1] != Dim(1);
    case 3:
        return comesOfProduct();
    default:
        return false;
    }
}

/// Looks back through calls that move or scale elements or add a bias for a sum of products.
bool LossMaker::comesOfProduct() const
{
    TensorId at = m_loss.prediction;
    while (graph().producer(at).valid()) {
        const NodeId id = graph().producer(at);
        const Node &node = graph().node(id);
        const auto description = describe(graph(), id, m_opsets);
        if (!description || description->isOpaque())
            return false;
        std::vector<bool> constants;
        std::size_t computed = 0, others = 0;
        for (std::size_t k = 0; k < node.inputs.size(); ++k) {
            const TensorId read = node.inputs[k];
            constants.push_back(!read.valid() || !m_data[read.index]);
            if (constants.back())
                continue;
            computed = k;
            ++others;
        }
        if (others != 1)
            return false;
        if (classOf(*description, constants) == OperatorClass::Contraction)
            return true;
        if (!isAffine(*description, int(computed)))
            return false;
        at = node.inputs[computed];
    }
    return false;
}

TensorId LossMaker::input(const std::string &name, DataType type, Shape extents)
{
    Tensor tensor;
    tensor.name = m_names.take(name);
    tensor.type = type;
    tensor.shape = std::move(extents);
    const TensorId id = m_editor.addTensor(std::move(tensor));
    std::vector<TensorId> inputs(graph().inputs().begin(), graph().inputs().end());
    inputs.push_back(id);
    m_editor.setInputs(std::move(inputs));
    return id;
}

TensorId LossMaker::call(const std::string &op, std::vector<TensorId> inputs,
                         std::vector<Attribute> attributes, const std::string &name, DataType type,
                         Shape extents)
{
    Tensor tensor;
    tensor.name = m_names.take(name);
    tensor.type = type;
    tensor.shape = std::move(extents);
    Node node;
    node.op = op;
    node.name = tensor.name;
    node.inputs = std::move(inputs);
    node.outputs = {m_editor.addTensor(std::move(tensor))};
    node.attributes = Attributes(std::move(attributes));
    const TensorId output = node.outputs[0];
    m_editor.addNode(std::move(node));
    return output;
}

TensorId LossMaker::flattened(TensorId tensor, Shape extents)
{
    const Tensor &from = graph().tensor(tensor);
    // The first extent is inferred, so that the Reshape also works for a part of the batch.
    std::vector<std::int64_t> target{-1};
    for (std::size_t d = 1; d < extents.size(); ++d)
        target.push_back(extents[d].value());
    const std::string name = from.name + ".flat";
    const DataType type = from.type;
    const TensorId shapeTensor = m_editor.addTensor(
        Tensor::of(m_names.take(name + ".shape"), TensorData::fromInt64s(target)));
    return call("Reshape", {tensor, shapeTensor}, {}, name, type, std::move(extents));
}

void LossMaker::addCrossEntropy()
{
    Shape positions = shape();
    const bool classesLast = positions.size() == 3;
    const Dim classes = positions[classesLast ? 2 : 1];
    positions.erase(positions.begin() + (classesLast ? 2 : 1));
    const double count = countOf(positions);
    m_loss.scale = count > 0 ? 1 / count : 0;
    m_loss.labels = input("labels", DataType::Int64, positions);
    TensorId scores = m_loss.prediction, labels = m_loss.labels;
    if (classesLast) {
        scores = flattened(scores, {elementsOf(positions), classes});
        labels = flattened(labels, {elementsOf(positions)});
    }
    m_loss.sum = call("SoftmaxCrossEntropyLoss", {scores, labels},
                      {{"reduction", std::string("sum")}}, "loss.sum", prediction().type, {});
}

void LossMaker::addSquaredError()
{
    const double count = countOf(shape());
    m_loss.scale = count > 0 ? 1 / count : 0;
    const DataType type = prediction().type;
    m_loss.labels = input("target", type, shape());
    const TensorId error =
        call("Sub", {m_loss.prediction, m_loss.labels}, {}, "loss.error", type, shape());
    m_loss.sum =
        call("ReduceSumSquare", {error}, {{"keepdims", std::int64_t{0}}}, "loss.sum", type, {});
}

} // namespace

Result<Loss> addLoss(GraphEditor &editor, TrainingOptions::Loss wanted, TensorNames &names,
                     const Opsets &opsets, const std::stop_token &stop)
{
    return LossMaker(editor, names, opsets).run(wanted, stop);
}

} // namespace graphloom
