// SPDX-License-Identifier: Apache-2.0
#include "plugins/dnnfusion/rules/algebra/operators.h"

#include "engine/ops/derive/analysis.h"
#include "engine/ops/derive/linear.h"
#include "engine/ops/derive/mapping_type.h"
#include "engine/ops/describe/stage_facts.h"
#include "engine/ops/reference/example.h"

#include <algorithm>
#include <functional>
#include <set>

namespace graphloom::dnnfusion {

namespace {

std::string qualified(const Operator &entry)
{
    return entry.domain.empty() ? std::string(entry.name)
                                : std::string(entry.domain) + "." + std::string(entry.name);
}

/// Calls visit(entry, example, its description) for every operator of ai.onnx. The first form of an
/// operator represents it, but rules apply to all its forms.
void forEachExample(
    const std::function<void(const Operator &, const ExampleCall &, const Description &)> &visit)
{
    std::set<std::string_view> seen;
    for (const Operator &entry : operatorTable()) {
        if (!entry.domain.empty() || !seen.insert(entry.name).second)
            continue;
        const auto example = ExampleCall::of(entry);
        if (!example)
            continue;
        if (const auto description = describe(example->call()))
            visit(entry, *example, *description);
    }
}

Instance instanceOf(const ExampleCall &example, const std::vector<std::string> &names)
{
    Instance instance;
    for (std::size_t i = 0; i < example.inputs().size() && i < names.size(); ++i) {
        const Tensor &input = example.inputs()[i];
        Instance::Variable variable{names[i], *input.shape};
        if (isIntegral(input.type) && i > 0) {
            variable.type = input.type;
            if (input.constant)
                variable.constant = *input.constant;
        }
        instance.variables.push_back(std::move(variable));
    }
    const auto &attributes = example.node().attributes;
    instance.attributes.push_back({"call", {attributes.begin(), attributes.end()}});
    return instance;
}

bool isReciprocal(const Expr &body)
{
    return body->fn == Fn::Div && body.argument(0)->fn == Fn::Real && body.argument(0)->real == 1 &&
           body.argument(1)->fn == Fn::Load;
}

/// Returns the operator of an example whose description has a property, or "".
template <class Holds> std::string findOperator(Holds holds)
{
    std::string name;
    forEachExample([&](const Operator &entry, const ExampleCall &, const Description &description) {
        if (name.empty() && holds(entry, description))
            name = qualified(entry);
    });
    return name;
}

struct BinaryOperator {
    Fn fn;
    std::string name;
    bool fixed; // takes exactly two inputs
};

const std::vector<BinaryOperator> &binaryOperators()
{
    static const std::vector<BinaryOperator> all = [] {
        std::vector<BinaryOperator> found;
        forEachExample(
            [&](const Operator &entry, const ExampleCall &example, const Description &description) {
                const auto call = elementwiseOf(description);
                const auto fn = call ? call->function() : std::nullopt;
                // Operations compute in the type of their inputs, unlike comparisons.
                if (!fn || description.values[0].type != example.inputs()[0].type)
                    return;
                const bool fixed = entry.mostInputs == 2;
                const auto known = std::ranges::find(found, *fn, &BinaryOperator::fn);
                if (known == found.end())
                    found.push_back({*fn, qualified(entry), fixed});
                else if (fixed && !known->fixed)
                    *known = {*fn, qualified(entry), fixed};
            });
        // A shift has its direction as an attribute, so its rules are separate (table.cpp).
        std::erase_if(found, [](const BinaryOperator &op) {
            return op.fn == Fn::ShiftLeft || op.fn == Fn::ShiftRight || op.fn == Fn::Mod ||
                   op.fn == Fn::Fmod;
        });
        return found;
    }();
    return all;
}

} // namespace

const std::vector<UnaryOperator> &unaryOperators()
{
    static const std::vector<UnaryOperator> all = [] {
        std::vector<UnaryOperator> found;
        forEachExample([&](const Operator &entry, const ExampleCall &example,
                           const Description &description) {
            const auto call = elementwiseOf(description);
            if (!call || entry.leastInputs != 1 || entry.mostInputs < 0 || call->inputs[0] != 0 ||
                call->broadcast[0] || description.values[0].type != example.inputs()[0].type ||
                isMovement(description) || call->body->fn == Fn::Cast)
                return;
            for (std::size_t r = 1; r < call->inputs.size(); ++r)
                if (!call->broadcast[r])
                    return;
            found.push_back(
                {qualified(entry), example.inputs().size(), example.inputs()[0].type, *call});
        });
        return found;
    }();
    return all;
}

std::string operatorOf(Fn fn)
{
    const auto found = std::ranges::find(binaryOperators(), fn, &BinaryOperator::fn);
    return found != binaryOperators().end() ? found->name : "";
}

const std::vector<Fn> &binaryFunctions()
{
    static const std::vector<Fn> all = [] {
        std::vector<Fn> functions;
        for (const BinaryOperator &op : binaryOperators())
            functions.push_back(op.fn);
        return functions;
    }();
    return all;
}

std::string unaryOperatorOf(Fn fn)
{
    for (const UnaryOperator &op : unaryOperators())
        if (op.function.body->fn == fn && op.inputs == 1 &&
            op.function.body.argument(0)->fn == Fn::Load)
            return op.name;
    return {};
}

std::string reciprocalOperator()
{
    for (const UnaryOperator &op : unaryOperators())
        if (isReciprocal(op.function.body))
            return op.name;
    return {};
}

std::string reductionOf(Fn fn)
{
    static const std::vector<std::pair<Fn, std::string>> all = [] {
        std::vector<std::pair<Fn, std::string>> found;
        for (const Fn f : {Fn::Add, Fn::Mul, Fn::Max, Fn::Min})
            found.emplace_back(
                f, findOperator([&](const Operator &entry, const Description &description) {
                    return entry.mostInputs == 2 && // its axes can be chosen
                           graphloom::reductionOf(description) == f;
                }));
        return found;
    }();
    const auto found = std::ranges::find(all, fn, &std::pair<Fn, std::string>::first);
    return found != all.end() ? found->second : "";
}

std::string meanOperator()
{
    static const std::string name =
        findOperator([](const Operator &entry, const Description &description) {
            // Its axes can be chosen, unlike those of GlobalAveragePool.
            return isMean(description) && entry.mostInputs == 2;
        });
    return name;
}

const std::vector<MovementOperator> &movementOperators()
{
    static const std::vector<MovementOperator> all = [] {
        std::vector<MovementOperator> found;
        forEachExample(
            [&](const Operator &entry, const ExampleCall &example, const Description &description) {
                if (!isMovement(description) || entry.mostInputs < 0 || example.inputs().empty() ||
                    example.inputs()[0].type != DataType::Float ||
                    std::ranges::any_of(example.inputs(), [](const Tensor &input) {
                        return input.type == DataType::Undefined; // omitted
                    }))
                    return;
                // Skip operators that pass their input on unchanged.
                if (description.stages[0].body->fn == Fn::Load && example.inputs().size() == 1 &&
                    example.node().attributes.size() == 0 &&
                    mappingType(description, 0, 0) == MappingType::OneToOne)
                    return;
                std::vector<std::string> names{"x"};
                for (std::size_t i = 1; i < example.inputs().size(); ++i)
                    names.push_back("p" + std::to_string(i));
                const auto before = staticElements(*example.inputs()[0].shape);
                const auto after = staticElements(*description.values[0].shape);
                if (!before || !after)
                    return;
                using Effect = MovementOperator::Effect;
                found.push_back({qualified(entry), example.inputs().size(),
                                 *after < *before   ? Effect::Fewer
                                 : *after > *before ? Effect::More
                                                    : Effect::Same,
                                 instanceOf(example, names), *description.values[0].shape});
            });
        return found;
    }();
    return all;
}

const std::vector<BilinearOperator> &bilinearOperators()
{
    static const std::vector<BilinearOperator> all = [] {
        std::vector<BilinearOperator> found;
        forEachExample([&](const Operator &entry, const ExampleCall &example, const Description &) {
            if (entry.leastInputs != 2 || entry.mostInputs < 0)
                return;
            // Drop the optional bias.
            Node node = example.node();
            node.inputs.resize(2);
            std::vector<const Tensor *> inputs{&example.inputs()[0], &example.inputs()[1]};
            const Call call(node, std::move(inputs), example.call().opset());
            const auto description = describe(call);
            if (description && isLinearIn(*description, 0) && isLinearIn(*description, 1) &&
                sumsProducts(description->stages.front())) {
                Instance instance = instanceOf(example, {"x", "w"});
                found.push_back({qualified(entry), std::move(instance)});
            }
        });
        return found;
    }();
    return all;
}

std::vector<std::string> poolingOperators(Fn fn)
{
    std::vector<std::string> names;
    forEachExample([&](const Operator &entry, const ExampleCall &, const Description &description) {
        if (description.isOpaque() || description.stages.size() != 1 || entry.mostInputs != 1)
            return;
        const Stage &stage = description.stages.front();
        const Combine combine = fn == Fn::Max ? Combine::Max : Combine::Min;
        if (stage.combine == combine && stage.body->fn == Fn::Load && stage.finish.empty() &&
            !graphloom::reductionOf(description))
            names.push_back(qualified(entry));
    });
    return names;
}

std::vector<std::string> linearPoolingOperators()
{
    std::vector<std::string> names;
    forEachExample([&](const Operator &entry, const ExampleCall &, const Description &description) {
        if (entry.mostInputs == 1 && isLinearIn(description, 0) && !isMovement(description) &&
            description.stages.front().combine == Combine::Sum)
            names.push_back(qualified(entry));
    });
    return names;
}

unsigned elementTypesOf(Fn fn)
{
    switch (fn) {
    case Fn::And:
    case Fn::Or:
    case Fn::Xor:
        return Bools;
    case Fn::BitAnd:
    case Fn::BitOr:
    case Fn::BitXor:
    case Fn::ShiftLeft:
    case Fn::ShiftRight:
        return Integers;
    case Fn::Add:
    case Fn::Sub:
    case Fn::Mul:
    case Fn::Min:
    case Fn::Max:
        return Numbers;
    default:
        return Reals;
    }
}

std::string textOf(Fn fn, const std::string &a, const std::string &b)
{
    switch (fn) {
    case Fn::Add:
        return a + " + " + b;
    case Fn::Sub:
        return a + " - " + b;
    case Fn::Mul:
        return a + " * " + b;
    case Fn::Div:
        return a + " / " + b;
    default:
        return operatorOf(fn) + "(" + a + ", " + b + ")";
    }
}

} // namespace graphloom::dnnfusion
