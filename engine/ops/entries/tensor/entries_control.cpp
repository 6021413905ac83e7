// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/describe/build.h"
#include "engine/ops/describe/stage.h"
#include "engine/ops/entries/entries.h"
#include "engine/ops/kernels/kernels.h"

#include <algorithm>
#include <array>
#include <set>

/// Operators with nested graphs. They are opaque; the types and shapes of their outputs follow from
/// the nested graphs, which inference has processed before.
namespace graphloom::entries {

namespace {

/// Names of the symbols that have a meaning outside a nested graph: those of captured tensors and
/// of the inputs of its node. Other symbols are extents that only the nested graph knows.
class OuterSymbols {
public:
    OuterSymbols(const Call &call, const Graph &nested)
    {
        for (std::size_t i = 0; i < call.inputCount(); ++i)
            if (call.has(i))
                add(call.input(i));
        for (const TensorId captured : nested.captured())
            add(nested.tensor(captured));
    }

    bool know(const Dim &dim) const
    {
        bool known = true;
        visit(dim, [&](const std::string &name) { known = known && m_names.contains(name); });
        return known;
    }

    /// Returns the shape with the extents that have no meaning outside marked as unknown.
    Shape outside(Shape shape) const
    {
        for (Dim &dim : shape)
            if (!know(dim))
                dim = build::unknownExtent();
        return shape;
    }

private:
    template <class Visit> static void visit(const Dim &dim, Visit visitName)
    {
        dim.substitute([&](const std::string &name) {
            visitName(name);
            return std::optional<std::int64_t>();
        });
    }

    void add(const Tensor &tensor)
    {
        const auto insert = [&](const std::string &name) { m_names.insert(name); };
        if (tensor.shape)
            for (const Dim &dim : *tensor.shape)
                visit(dim, insert);
        if (tensor.values)
            for (const Dim &dim : *tensor.values)
                visit(dim, insert);
    }

    std::set<std::string> m_names;
};

Value valueOf(const Tensor &tensor)
{
    return {tensor.type, tensor.shape, tensor.otherType};
}

/// Returns the facts that hold for both values.
Value joined(const Value &a, const Value &b)
{
    Value both{a.type == DataType::Undefined ? b.type : a.type, std::nullopt,
               a.otherType == b.otherType ? a.otherType : std::string()};
    if (!a.shape || !b.shape || a.shape->size() != b.shape->size())
        return both;
    both.shape = a.shape;
    for (std::size_t d = 0; d < a.shape->size(); ++d)
        if (!((*a.shape)[d] == (*b.shape)[d]))
            (*both.shape)[d] = build::unknownExtent();
    return both;
}

bool typesDiffer(DataType a, DataType b)
{
    return a != DataType::Undefined && b != DataType::Undefined && a != b;
}

/// Refuses a nested graph that does not have as many inputs and outputs as the node needs.
Result<const Graph *> nestedGraph(const Call &call, std::string_view name, std::size_t inputs,
                                  std::size_t leastOutputs)
{
    const Graph *graph = call.attributes().graph(name);
    if (!graph)
        return call.refuse("lacks the nested graph \"" + std::string(name) + "\"");
    if (graph->inputs().size() != inputs)
        return call.refuse("its graph \"" + std::string(name) + "\" takes " +
                           std::to_string(graph->inputs().size()) + " inputs instead of " +
                           std::to_string(inputs));
    if (graph->outputs().size() < leastOutputs)
        return call.refuse("its graph \"" + std::string(name) + "\" produces " +
                           std::to_string(graph->outputs().size()) + " outputs instead of " +
                           std::to_string(leastOutputs));
    return graph;
}

/// Returns the branch that runs if the condition is known.
std::string_view chosenBranch(const Call &call)
{
    const auto condition = call.integers(0);
    if (!condition || condition->size() != 1)
        return {};
    return condition->front() != 0 ? "then_branch" : "else_branch";
}

Result<Description> branch(const Call &call)
{
    GL_TRY_CONST(then, nestedGraph(call, "then_branch", 0, call.outputCount()));
    GL_TRY_CONST(otherwise, nestedGraph(call, "else_branch", 0, call.outputCount()));
    const std::string_view chosen = chosenBranch(call);
    const Graph *first = chosen == "else_branch" ? *otherwise : *then;
    const Graph *second = chosen == "then_branch" ? *then : *otherwise;
    std::vector<Value> values;
    for (std::size_t k = 0; k < call.outputCount(); ++k) {
        std::vector<Value> either;
        for (const Graph *graph : {first, second}) {
            either.push_back(valueOf(graph->tensor(graph->outputs()[k])));
            if (auto &shape = either.back().shape)
                shape = OuterSymbols(call, *graph).outside(std::move(*shape));
        }
        if (typesDiffer(either[0].type, either[1].type))
            return call.refuse("its branches produce " + std::string(nameOf(either[0].type)) +
                               " and " + std::string(nameOf(either[1].type)) + " for output " +
                               std::to_string(k));
        values.push_back(joined(either[0], either[1]));
    }
    return build::opaque("the nested graph that it runs depends on the data", std::move(values));
}

/// Returns a state at the end of a loop: unchanged without an iteration, or a result of the body.
Result<Value> finalState(const Call &call, const Tensor &initial, const Graph &body,
                         std::size_t output)
{
    const Tensor &given = body.tensor(body.outputs()[output]);
    if (typesDiffer(initial.type, given.type))
        return call.refuse("a state that is " + std::string(nameOf(initial.type)) + " becomes " +
                           std::string(nameOf(given.type)) + " in its body");
    Value inner = valueOf(given);
    if (inner.shape)
        inner.shape = OuterSymbols(call, body).outside(std::move(*inner.shape));
    if (inner.type == DataType::Undefined && inner.otherType.empty())
        inner.type = initial.type, inner.otherType = initial.otherType;
    return joined(valueOf(initial), inner);
}

/// Returns an output of the body for all iterations, stacked along a new dimension.
Value stacked(const Call &call, const Graph &body, std::size_t output, std::size_t axis,
              const Dim &count)
{
    Value value = valueOf(body.tensor(body.outputs()[output]));
    if (!value.shape || axis > value.shape->size()) {
        value.shape = std::nullopt;
        return value;
    }
    value.shape = OuterSymbols(call, body).outside(std::move(*value.shape));
    value.shape->insert(value.shape->begin() + std::ptrdiff_t(axis), count);
    return value;
}

Tensor scalarTensor(DataType type)
{
    Tensor tensor;
    tensor.type = type;
    tensor.shape = Shape{};
    return tensor;
}

/// Inputs of a loop: number of iterations, initial condition, states. Inputs of its body: number of
/// the iteration, condition, states. Outputs of its body: condition, states, elements to stack.
std::vector<Tensor> loopBodyInputs(const Call &call)
{
    std::vector<Tensor> inputs{scalarTensor(DataType::Int64), scalarTensor(DataType::Bool)};
    // Whenever the body runs, its condition is true.
    inputs[1].values = std::make_shared<const std::vector<Dim>>(std::vector<Dim>{1});
    for (std::size_t i = 2; i < call.inputCount(); ++i) {
        Tensor state;
        if (call.has(i))
            state.type = call.input(i).type, state.shape = call.input(i).shape,
            state.otherType = call.input(i).otherType;
        inputs.push_back(std::move(state));
    }
    return inputs;
}

std::vector<CarriedState> loopStates(const Call &call)
{
    std::vector<CarriedState> states;
    for (std::size_t i = 2; i < call.inputCount(); ++i)
        states.push_back({i, i - 1});
    return states;
}

/// Returns the number of iterations if the condition never stops the loop.
Dim iterationsOf(const Call &call, const Graph &body)
{
    const Tensor &condition = body.tensor(body.outputs()[0]);
    const bool goesOn =
        condition.values && condition.values->size() == 1 && (*condition.values)[0] == Dim(1);
    const auto most = call.values(0);
    const auto start = call.has(1) ? call.integers(1) : std::vector<std::int64_t>{1};
    if (!goesOn || !most || most->size() != 1 || !start || start->size() != 1)
        return build::unknownExtent();
    return start->front() == 0 ? Dim(0) : Dim::max((*most)[0], 0);
}

Result<Description> loop(const Call &call)
{
    const std::size_t inputs = std::max<std::size_t>(call.inputCount(), 2), states = inputs - 2;
    GL_TRY_CONST(body, nestedGraph(call, "body", inputs, std::max(call.outputCount(), states) + 1));
    const Dim count = iterationsOf(call, **body);
    std::vector<Value> values;
    for (std::size_t k = 0; k < call.outputCount(); ++k) {
        if (k >= states) {
            values.push_back(stacked(call, **body, k + 1, 0, count));
            continue;
        }
        if (!call.has(k + 2))
            return call.refuse("its state " + std::to_string(k) + " has no initial value");
        GL_TRY_RESULT(state, finalState(call, call.input(k + 2), **body, k + 1));
        values.push_back(std::move(*state));
    }
    return build::opaque("it carries state from iteration to iteration", std::move(values));
}

/// Inputs of a scan: its states, then the scanned sequences. Outputs: the states, then the
/// resulting sequences.
struct Scan {
    std::size_t states = 0, sequences = 0;
    std::vector<std::int64_t> inputAxes, outputAxes;
};

Scan scanOf(const Call &call)
{
    Scan scan;
    const std::int64_t given = call.attributes().integer("num_scan_inputs", 0);
    scan.sequences =
        std::size_t(std::clamp<std::int64_t>(given, 0, std::int64_t(call.inputCount())));
    scan.states = call.inputCount() - scan.sequences;
    scan.inputAxes = call.attributes().integers("scan_input_axes");
    scan.outputAxes = call.attributes().integers("scan_output_axes");
    scan.inputAxes.resize(scan.sequences, 0);
    return scan;
}

std::vector<Tensor> scanBodyInputs(const Call &call)
{
    const Scan scan = scanOf(call);
    std::vector<Tensor> inputs;
    for (std::size_t i = 0; i < call.inputCount(); ++i) {
        Tensor tensor;
        if (call.has(i))
            tensor.type = call.input(i).type, tensor.shape = call.input(i).shape;
        if (tensor.shape && i >= scan.states) {
            const auto axis =
                build::normalizedAxis(call, scan.inputAxes[i - scan.states], tensor.shape->size());
            if (axis)
                tensor.shape->erase(tensor.shape->begin() + *axis);
            else
                tensor.shape = std::nullopt;
        }
        inputs.push_back(std::move(tensor));
    }
    return inputs;
}

std::vector<CarriedState> scanStates(const Call &call)
{
    std::vector<CarriedState> states;
    for (std::size_t i = 0; i < scanOf(call).states; ++i)
        states.push_back({i, i});
    return states;
}

Result<Description> scan(const Call &call)
{
    const Scan parts = scanOf(call);
    if (parts.sequences == 0 ||
        std::int64_t(parts.sequences) != call.attributes().integer("num_scan_inputs", 0))
        return call.refuse("num_scan_inputs does not match its " +
                           std::to_string(call.inputCount()) + " inputs");
    GL_TRY_CONST(body, nestedGraph(call, "body", call.inputCount(),
                                   std::max(call.outputCount(), parts.states)));
    Dim steps = build::unknownExtent();
    for (std::size_t i = parts.states; i < call.inputCount(); ++i) {
        if (!call.has(i))
            return call.refuse("lacks its sequence " + std::to_string(i - parts.states));
        if (!call.input(i).shape)
            continue;
        GL_TRY_CONST(axis,
                     build::normalizedAxis(call, parts.inputAxes[i - parts.states], call.rank(i)));
        const Dim &extent = call.shape(i)[std::size_t(*axis)];
        if (extent.isConstant() && steps.isConstant() && !(extent == steps))
            return call.refuse("its sequences have lengths " + steps.text() + " and " +
                               extent.text());
        if (build::isUnknown(steps) || extent.isConstant())
            steps = extent;
    }
    std::vector<Value> values;
    for (std::size_t k = 0; k < call.outputCount(); ++k) {
        if (k < parts.states) {
            if (!call.has(k))
                return call.refuse("its state " + std::to_string(k) + " has no initial value");
            GL_TRY_RESULT(state, finalState(call, call.input(k), **body, k));
            values.push_back(std::move(*state));
            continue;
        }
        const std::size_t sequence = k - parts.states;
        const auto &element = (*body)->tensor((*body)->outputs()[k]).shape;
        const std::int64_t stated =
            sequence < parts.outputAxes.size() ? parts.outputAxes[sequence] : 0;
        std::size_t axis = 0;
        if (element) {
            GL_TRY_CONST(normalized, build::normalizedAxis(call, stated, element->size() + 1));
            axis = std::size_t(*normalized);
        }
        values.push_back(stacked(call, **body, k, axis, steps));
    }
    return build::opaque("it carries state along a sequence", std::move(values));
}

constexpr std::array controlEntries{
    Operator{.domain = "",
             .name = "If",
             .since = 1,
             .outputs = -1,
             .describe = branch,
             .anyRank = true,
             .valueKernel = kernels::branch,
             .chosenBody = chosenBranch}
        .like("bool[] then_branch={0,1} else_branch={0,1}"),
    Operator{.domain = "",
             .name = "Loop",
             .since = 1,
             .leastInputs = 0,
             .mostInputs = -1,
             .outputs = -1,
             .describe = loop,
             .anyRank = true,
             .valueKernel = kernels::loop,
             .bodyInputs = loopBodyInputs,
             .carried = loopStates}
        .like("int64[] bool[] [2,8] body={3,2}"),
    Operator{.domain = "",
             .name = "Scan",
             .since = 9,
             .leastInputs = 1,
             .mostInputs = -1,
             .outputs = -1,
             .describe = scan,
             .anyRank = true,
             .valueKernel = kernels::scan,
             .bodyInputs = scanBodyInputs,
             .carried = scanStates}
        .like("[2,8] body={1,1} num_scan_inputs=1"),
};

} // namespace

std::span<const Operator> control()
{
    return controlEntries;
}

} // namespace graphloom::entries
