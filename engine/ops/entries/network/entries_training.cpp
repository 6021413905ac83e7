// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/describe/body.h"
#include "engine/ops/describe/build.h"
#include "engine/ops/describe/stage.h"
#include "engine/ops/entries/entries.h"

#include <array>

/// Optimizers as defined by ai.onnx.preview.training. Inputs: learning rate, number of updates so
/// far, then the tensors to optimize, their gradients and their states; outputs: the new tensors,
/// then their new states. Gradient descent, which has no state, follows com.microsoft.
namespace graphloom::entries {

namespace {

constexpr std::string_view trainingDomain = "ai.onnx.preview.training";

/// The operands of one update, in the type of the tensor that it changes.
struct Update {
    Expr rate, count; // learning rate, updates so far
    Expr value, gradient;
    std::vector<Expr> states;
};

/// The new states, and the new value in terms of the new states.
struct Rule {
    std::vector<Expr> states;
    std::function<Expr(const std::vector<Expr> &states)> value;
};

/// Describes an optimizer with `states` states for each tensor.
Result<Description> optimizer(const Call &call, std::size_t states,
                              const std::function<Rule(const Update &)> &rule)
{
    const std::size_t parts = 2 + states; // tensor, gradient, states
    if (call.inputCount() < 2 + parts || (call.inputCount() - 2) % parts != 0)
        return call.refuse("its " + std::to_string(call.inputCount()) +
                           " inputs must be a rate, a count and " + std::to_string(parts) +
                           " for each tensor");
    const std::size_t count = (call.inputCount() - 2) / parts;
    if (call.outputCount() > count * (1 + states))
        return call.refuse("produces " + std::to_string(count * (1 + states)) +
                           " outputs, but has " + std::to_string(call.outputCount()));
    Description description;
    for (std::size_t output = 0; output < count * (1 + states); ++output)
        description.values.push_back({call.type(2 + output % count), std::nullopt, {}});
    for (std::size_t i = 0; i < count; ++i) {
        const Shape &shape = call.shape(2 + i);
        const DataType type = call.type(2 + i);
        Stage stage;
        stage.axes = build::spaceAxes(shape);
        const IndexMap here = build::identityMap(shape.size());
        stage.write = here;
        for (const int number : {0, 1})
            stage.reads.push_back(build::readInput(
                number, IndexMap(call.rank(std::size_t(number)), Index::constant(0))));
        Update update{Expr::cast(Expr::load(0, call.type(0)), type),
                      Expr::cast(Expr::load(1, call.type(1)), type),
                      {},
                      {},
                      {}};
        for (std::size_t part = 0; part < parts; ++part) {
            const std::size_t input = 2 + part * count + i;
            bool fits = call.rank(input) == shape.size() && call.type(input) == type;
            for (std::size_t d = 0; fits && d < shape.size(); ++d)
                fits = (call.shape(input)[d] - shape[d]).constant().value_or(0) == 0;
            if (!fits)
                return call.refuse("its input " + std::to_string(input) + " of shape " +
                                   text(call.shape(input)) + " does not match a tensor of shape " +
                                   text(shape));
            const Expr load = Expr::load(int(stage.reads.size()), type);
            stage.reads.push_back(build::readInput(int(input), here));
            if (part == 0)
                update.value = load;
            else if (part == 1)
                update.gradient = load;
            else
                update.states.push_back(load);
        }
        const Rule made = rule(update);
        std::vector<Expr> renewed;
        Stage last = stage;
        for (std::size_t s = 0; s < states; ++s) {
            const auto value = int(count + s * count + i);
            Stage state = stage;
            state.name = "state " + std::to_string(s);
            state.value = value;
            state.body = made.states[s];
            description.stages.push_back(std::move(state));
            renewed.push_back(Expr::load(int(last.reads.size()), type));
            last.reads.push_back(build::readValue(value, here));
        }
        last.name = "update";
        last.value = int(i);
        last.body = made.value(renewed);
        description.stages.push_back(std::move(last));
    }
    return description;
}

/// Returns the gradient of the loss plus the squared norm of the tensor.
Expr regularized(const Call &call, const Update &update)
{
    return update.gradient + update.value * double(call.attributes().real("norm_coefficient", 0));
}

Result<Description> adagrad(const Call &call)
{
    const double decay = call.attributes().real("decay_factor", 0);
    const double epsilon = call.attributes().real("epsilon", 1e-6f);
    return optimizer(call, 1, [&](const Update &u) {
        const Expr gradient = regularized(call, u);
        const Expr rate = u.rate / (u.count * decay + 1.0);
        return Rule{{u.states[0] + gradient * gradient}, [=](const std::vector<Expr> &states) {
                        return u.value - rate * gradient / (squareRoot(states[0]) + epsilon);
                    }};
    });
}

Result<Description> adam(const Call &call)
{
    const Attributes &a = call.attributes();
    const double alpha = a.real("alpha", 0.9f), beta = a.real("beta", 0.999f);
    const double epsilon = a.real("epsilon", 1e-6f), after = a.real("norm_coefficient_post", 0);
    return optimizer(call, 2, [&](const Update &u) {
        const DataType type = u.value.type();
        const Expr gradient = regularized(call, u), one = Expr::real(1, type);
        const auto power = [&](double base) {
            return Expr::binary(Fn::Pow, Expr::real(base, type), u.count);
        };
        const Expr corrected = u.rate * squareRoot(one - power(beta)) / (one - power(alpha));
        const Expr rate =
            Expr::select(Expr::binary(Fn::Less, Expr::real(0, type), u.count), corrected, u.rate);
        return Rule{{u.states[0] * alpha + gradient * (1 - alpha),
                     u.states[1] * beta + gradient * gradient * (1 - beta)},
                    [=](const std::vector<Expr> &states) {
                        return (u.value - rate * states[0] / (squareRoot(states[1]) + epsilon)) *
                               (1 - after);
                    }};
    });
}

Result<Description> momentum(const Call &call)
{
    const std::string mode = call.attributes().text("mode", "standard");
    if (mode != "standard" && mode != "nesterov")
        return call.refuse("mode \"" + mode + "\" is not standard or nesterov");
    const double alpha = call.attributes().real("alpha", 0),
                 beta = call.attributes().real("beta", 0);
    return optimizer(call, 1, [&](const Update &u) {
        const DataType type = u.value.type();
        const Expr gradient = regularized(call, u);
        // The first update takes the gradient unchanged.
        const Expr share = Expr::select(Expr::binary(Fn::Less, Expr::real(0, type), u.count),
                                        Expr::real(beta, type), Expr::real(1, type));
        return Rule{{u.states[0] * alpha + share * gradient}, [=](const std::vector<Expr> &states) {
                        return u.value - u.rate * (mode == "nesterov" ? gradient + states[0] * alpha
                                                                      : states[0]);
                    }};
    });
}

/// Returns whether an input is in the last of `parts` groups: tensors, gradients, states.
template <std::size_t parts> bool isInLastGroup(const Node &node, std::size_t input)
{
    return node.inputs.size() > 2 && input >= 2 + (node.inputs.size() - 2) / parts * (parts - 1);
}

/// Inputs: learning rate, tensor, gradient; outputs: the new tensor, and the step that led to it.
Result<Description> gradientDescent(const Call &call)
{
    if (contradict(elementsOf(call.shape(0)), 1))
        return call.refuse("its learning rate of shape " + text(call.shape(0)) +
                           " must be a single number");
    if (call.type(1) != call.type(2) || call.shape(1) != call.shape(2))
        return call.refuse("its gradient of shape " + text(call.shape(2)) +
                           " does not match a tensor of shape " + text(call.shape(1)));
    const DataType type = call.type(1);
    const Shape &shape = call.shape(1);
    const IndexMap here = build::identityMap(shape.size());
    Stage update;
    update.name = "update";
    update.axes = build::spaceAxes(shape);
    update.write = here;
    update.reads = {build::readInput(0, IndexMap(call.rank(0), Index::constant(0))),
                    build::readInput(1, here), build::readInput(2, here)};
    const Expr step = -Expr::cast(Expr::load(0, call.type(0)), type) * Expr::load(2, type);
    update.body = Expr::load(1, type) + step;
    Description description = build::single(type, update);
    if (call.outputCount() > 1) {
        description.values.push_back({type, std::nullopt, {}});
        update.name = "step";
        update.value = 1;
        update.body = step;
        description.stages.push_back(std::move(update));
    }
    return description;
}

constexpr std::array trainingEntries{
    Operator{"com.microsoft", "SGDOptimizer", 1, 3, 3, 2, gradientDescent}.like("[] [2,8] [2,8]"),
    Operator{trainingDomain, "Adagrad", 1, 5, -1, -1, adagrad}
        .like("[] int64[] [2,8] [2,8] [2,8] ->2")
        .withSquares(isInLastGroup<3>),
    Operator{trainingDomain, "Adam", 1, 6, -1, -1, adam}
        .like("[] int64[] [2,8] [2,8] [2,8] [2,8] ->3")
        .withSquares(isInLastGroup<4>),
    Operator{trainingDomain, "Momentum", 1, 5, -1, -1, momentum}.like(
        "[] int64[] [2,8] [2,8] [2,8] alpha=0.9 beta=1.0 mode=standard norm_coefficient=0.0 ->2"),
};

} // namespace

std::span<const Operator> training()
{
    return trainingEntries;
}

} // namespace graphloom::entries
