// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/nodes/free_types.h"

#include <onnx/defs/schema.h>

#include <algorithm>
#include <map>
#include <set>

namespace graphloom {

namespace {

using Parameters = std::vector<onnx::OpSchema::FormalParameter>;

/// Returns the formal parameter of an input or output; the last one may be repeated. Null if there
/// is none, or if each repetition has a type of its own.
const onnx::OpSchema::FormalParameter *parameterOf(const Parameters &parameters, std::size_t number)
{
    if (parameters.empty())
        return nullptr;
    const auto &of = parameters[std::min(number, parameters.size() - 1)];
    const bool repeats = of.GetOption() == onnx::OpSchema::Variadic;
    if (number >= parameters.size() && !repeats)
        return nullptr;
    return repeats && !of.GetIsHomogeneous() ? nullptr : &of;
}

std::string tensorOf(DataType type)
{
    return "tensor(" + std::string(nameOf(type)) + ")";
}

} // namespace

bool FreeTypes::any() const
{
    const auto isTrue = [](bool free) { return free; };
    return std::ranges::any_of(inputs, isTrue) || std::ranges::any_of(outputs, isTrue);
}

FreeTypes freeTypes(const Graph &graph, const Node &node, std::int64_t opset, DataType from,
                    DataType to)
{
    FreeTypes free{std::vector(node.inputs.size(), false), std::vector(node.outputs.size(), false)};
    const onnx::OpSchema *schema = onnx::OpSchemaRegistry::Schema(node.op, int(opset), node.domain);
    if (!schema || !node.captures.empty())
        return free;
    // The type variables that may change; a tensor of another type makes one stay.
    std::set<std::string> inputs, staying;
    const auto look = [&](const std::vector<TensorId> &tensors, const Parameters &parameters,
                          bool areInputs) {
        for (std::size_t i = 0; i < tensors.size(); ++i) {
            const auto *parameter = parameterOf(parameters, i);
            if (!tensors[i].valid() || !parameter)
                continue;
            if (areInputs)
                inputs.insert(parameter->GetTypeStr());
            if (graph.tensor(tensors[i]).type != from)
                staying.insert(parameter->GetTypeStr());
        }
    };
    look(node.inputs, schema->inputs(), true);
    look(node.outputs, schema->outputs(), false);
    std::map<std::string, bool> allowed;
    for (const auto &variable : schema->typeConstraintParams())
        allowed[variable.type_param_str] =
            std::ranges::find(variable.allowed_type_strs, tensorOf(to)) !=
            variable.allowed_type_strs.end();
    const auto mark = [&](const std::vector<TensorId> &tensors, const Parameters &parameters,
                          std::vector<bool> &marks) {
        for (std::size_t i = 0; i < tensors.size(); ++i) {
            const auto *parameter = parameterOf(parameters, i);
            if (!tensors[i].valid() || !parameter)
                continue;
            const std::string &variable = parameter->GetTypeStr();
            marks[i] = inputs.contains(variable) && !staying.contains(variable) &&
                       allowed.contains(variable) && allowed.at(variable);
        }
    };
    mark(node.inputs, schema->inputs(), free.inputs);
    mark(node.outputs, schema->outputs(), free.outputs);
    return free;
}

} // namespace graphloom
