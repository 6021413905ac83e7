// SPDX-License-Identifier: Apache-2.0
#include "engine/interpreter/interpreter.h"

#include "engine/interpreter/graph_run.h"
#include "engine/interpreter/interpretation.h"
#include "engine/interpreter/stages/stage_runner.h"
#include "engine/interpreter/stages/stage_values.h"
#include "engine/ops/describe/value_type.h"

#include <algorithm>
#include <tbb/task_arena.h>

namespace graphloom {

namespace {

/// Tells whether a value has the type of a serialized TypeProto, as far as that is known.
bool isOf(const DataValue &value, const std::string &type)
{
    if (const auto element = valuetype::elementOfTensor(type))
        return value.tensor() && value.tensor()->type() == *element;
    const auto sequence = valuetype::elementOfSequence(type);
    const auto optional = valuetype::elementOfOptional(type);
    if (!sequence && !optional)
        return true;
    return value.kind() == (sequence ? DataValue::Kind::Sequence : DataValue::Kind::Optional) &&
           std::ranges::all_of(value.elements(), [&](const DataValue &element) {
               return isOf(element, sequence ? *sequence : *optional);
           });
}

/// Tells whether the tensor has the declared type and shape.
bool fits(const Tensor &declared, const TensorData &data)
{
    if (declared.type != DataType::Undefined && declared.type != data.type())
        return false;
    if (!declared.shape)
        return true;
    return std::ranges::equal(*declared.shape, data.extents(),
                              [](const Dim &dim, std::int64_t extent) {
                                  return !dim.isConstant() || dim == Dim(extent);
                              });
}

std::string describe(const DataValue &value)
{
    const TensorData *data = value.tensor();
    if (!data)
        return std::string(nameOf(value.kind()));
    return std::string(nameOf(data->type())) + " of shape " +
           text(Shape(data->extents().begin(), data->extents().end()));
}

/// Checks the number, the types and the shapes of the given inputs.
Result<void> checkInputs(const Graph &graph, const std::vector<DataValue> &inputs)
{
    if (inputs.size() != graph.inputs().size())
        return fail(Error::Kind::Usage, "the graph has " + std::to_string(graph.inputs().size()) +
                                            " inputs, but " + std::to_string(inputs.size()) +
                                            " were given");
    for (std::size_t i = 0; i < inputs.size(); ++i)
        GL_TRY(checkInput(graph.tensor(graph.inputs()[i]), inputs[i]));
    return {};
}

} // namespace

Result<void> checkInput(const Tensor &declared, const DataValue &value)
{
    const std::string where = "input \"" + declared.name + "\"";
    const TensorData *data = value.tensor();
    if (!declared.otherType.empty())
        return isOf(value, declared.otherType)
                   ? Result<void>()
                   : fail(Error::Kind::Usage,
                          "expected a value of the declared type, got " + describe(value), where);
    if (!data || !fits(declared, *data))
        return fail(Error::Kind::Usage,
                    "expected " + std::string(nameOf(declared.type)) + " of shape " +
                        (declared.shape ? text(*declared.shape) : "?") + ", got " + describe(value),
                    where);
    return {};
}

struct Interpretation::Run {
    Run(const Graph &given, const Opsets &givenOpsets, const InterpreterOptions &givenOptions)
        : graph(given), opsets(givenOpsets), options(givenOptions),
          steps(options.stop), session{opsets, options,
                                       options.maxBytes != 0 ? options.maxBytes : machineMemory(),
                                       steps},
          arena(options.threads != 0 ? int(options.threads) : tbb::task_arena::automatic),
          run(graph, session, false)
    {
    }

    const Graph graph;
    const Opsets opsets;
    const InterpreterOptions options;
    Steps steps;
    RunSession session;
    tbb::task_arena arena;
    GraphRun run;
};

Interpretation::Interpretation(std::unique_ptr<Run> run) : m_run(std::move(run)) {}
Interpretation::Interpretation(Interpretation &&) noexcept = default;
Interpretation &Interpretation::operator=(Interpretation &&) noexcept = default;
Interpretation::~Interpretation() = default;

Result<Interpretation> Interpretation::of(const Graph &graph, const Opsets &opsets,
                                          const std::vector<DataValue> &inputs,
                                          const InterpreterOptions &options)
{
    GL_TRY(checkInputs(graph, inputs));
    auto run = std::make_unique<Run>(graph, opsets, options);
    run->run.begin(inputs, {});
    return Interpretation(std::move(run));
}

bool Interpretation::isAtEnd() const
{
    return m_run->run.isAtEnd();
}

NodeId Interpretation::next() const
{
    return m_run->run.next();
}

Result<void> Interpretation::step()
{
    return m_run->arena.execute([&] { return m_run->run.step(); });
}

Result<std::vector<DataValue>> Interpretation::outputs()
{
    return m_run->run.end();
}

Result<std::vector<DataValue>> interpretValues(const Graph &graph, const Opsets &opsets,
                                               const std::vector<DataValue> &inputs,
                                               const InterpreterOptions &options)
{
    GL_TRY_RESULT(run, Interpretation::of(graph, opsets, inputs, options));
    if (options.stop.stop_requested())
        return stopped();
    while (!run->isAtEnd())
        GL_TRY(run->step());
    return run->outputs();
}

Result<std::vector<TensorData>> interpret(const Graph &graph, const Opsets &opsets,
                                          const std::vector<TensorData> &inputs,
                                          const InterpreterOptions &options)
{
    GL_TRY_CONST(values, interpretValues(graph, opsets, {inputs.begin(), inputs.end()}, options));
    std::vector<TensorData> tensors;
    for (std::size_t i = 0; i < values->size(); ++i) {
        if (!(*values)[i].tensor())
            return fail(Error::Kind::Model,
                        "expected a tensor, got " + std::string(nameOf((*values)[i].kind())) +
                            "; only tensors can be compared",
                        "output \"" + graph.tensor(graph.outputs()[i]).name + "\"");
        tensors.push_back(*(*values)[i].tensor());
    }
    return tensors;
}

} // namespace graphloom
