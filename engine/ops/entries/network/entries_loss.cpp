// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/describe/body.h"
#include "engine/ops/describe/build.h"
#include "engine/ops/entries/entries.h"
#include "engine/ops/gradient/adjoint_builder.h"

#include <array>
#include <limits>

namespace graphloom::entries {

namespace {

using Kind = Axis::Kind;
constexpr double infinity = std::numeric_limits<double>::infinity();

/// Checks the logarithms of probabilities by class, the true classes and the weights of classes:
/// x[n,c,d…], target[n,d…], weight[c].
Result<void> checkClasses(const Call &call)
{
    const Shape &x = call.shape(0), &target = call.shape(1);
    bool fits = x.size() >= 2 && target.size() + 1 == x.size() && !contradict(x[0], target[0]);
    for (std::size_t d = 2; fits && d < x.size(); ++d)
        fits = !contradict(x[d], target[d - 1]);
    if (!fits || !isIntegral(call.type(1)))
        return call.refuse("its input of shape " + text(x) + " and target of shape " +
                           text(target) + " do not match");
    if (call.has(2) && (call.rank(2) != 1 || contradict(call.shape(2)[0], x[1])))
        return call.refuse("its weights of shape " + text(call.shape(2)) + " do not match the " +
                           x[1].text() + " classes of its input");
    const std::string reduction = call.attributes().text("reduction", "mean");
    if (reduction != "none" && reduction != "sum" && reduction != "mean")
        return call.refuse("reduction \"" + reduction + "\" is not none, sum or mean");
    return {};
}

/// Adds the stages that compute value 0 from the logarithms of probabilities. A class out of range
/// gives NaN, unless it is the ignored one.
void addLoss(Description &description, const Call &call, const Operand &logarithms)
{
    const Shape &x = call.shape(0);
    const DataType type = call.type(0);
    const std::string reduction = call.attributes().text("reduction", "mean");
    const bool reduces = reduction != "none";
    const double none = std::numeric_limits<double>::quiet_NaN();
    Stage positions; // reads the target, and the weight of its class if there are weights
    IndexMap position, chosen;
    const auto names = build::spaceAxes(x);
    for (std::size_t d = 0; d < x.size(); ++d) {
        Index index = d == 1 ? Index::constant(0) : Index::axis(int(positions.axes.size()));
        if (d == 1)
            index.lookup = 0;
        chosen.push_back(index);
        if (d == 1)
            continue;
        position.push_back(std::move(index));
        positions.axes.push_back({names[d].name, x[d], reduces ? Kind::Reduce : Kind::Space});
    }
    positions.reads = {build::readInput(1, position)};
    Expr weight = Expr::real(1, type);
    if (call.has(2)) {
        positions.reads.push_back(build::readInput(2, {chosen[1]}, none));
        weight = Expr::load(1, call.type(2));
    }
    const bool ignores = call.attributes().contains("ignore_index");
    const auto unlessIgnored = [&](const Expr &value) {
        const Expr ignored =
            Expr::binary(Fn::Equal, Expr::load(0, call.type(1)),
                         Expr::integer(call.attributes().integer("ignore_index", 0), call.type(1)));
        return ignores ? Expr::select(ignored, 0.0, value) : value;
    };
    Stage loss = positions;
    loss.name = "loss";
    const Expr logarithm = Expr::load(int(loss.reads.size()), type);
    loss.reads.push_back({logarithms, std::move(chosen), Read::Outside::Value, none});
    loss.combine = reduces ? Combine::Sum : Combine::None;
    loss.body = unlessIgnored(call.has(2) ? -logarithm * weight : -logarithm);
    if (!reduces)
        loss.write = build::identityMap(loss.axes.size());
    if (reduction != "mean") {
        description.stages.push_back(std::move(loss));
        return;
    }
    loss.value = int(description.values.size());
    description.values.push_back({type, std::nullopt, {}});
    Stage total = std::move(positions);
    total.name = "weights";
    total.value = loss.value + 1;
    total.combine = Combine::Sum;
    total.body = unlessIgnored(weight);
    description.values.push_back({type, std::nullopt, {}});
    Stage mean;
    mean.name = "mean";
    mean.reads = {build::readValue(loss.value, {}), build::readValue(total.value, {})};
    mean.body = Expr::load(0, type) / Expr::load(1, type);
    description.stages.push_back(std::move(loss));
    description.stages.push_back(std::move(total));
    description.stages.push_back(std::move(mean));
}

Result<Description> negativeLogLikelihood(const Call &call)
{
    GL_TRY(checkClasses(call));
    Description description;
    description.values.push_back({call.type(0), std::nullopt, {}});
    addLoss(description, call, {Operand::Kind::Input, 0});
    return description;
}

/// Computes the same loss from log(softmax(x)) over the classes, which is the second output.
Result<Description> softmaxCrossEntropy(const Call &call)
{
    GL_TRY(checkClasses(call));
    const Shape &x = call.shape(0);
    const DataType type = call.type(0);
    enum { loss, logarithms, most, sum };
    Description description;
    for (int value = loss; value <= sum; ++value)
        description.values.push_back({type, std::nullopt, {}});
    const auto all = build::spaceAxes(x);
    Stage gather; // over the classes, which come last
    IndexMap element(x.size()), kept;
    for (std::size_t d = 0; d < x.size(); ++d) {
        if (d == 1)
            continue;
        element[d] = Index::axis(int(gather.axes.size()));
        kept.push_back(element[d]);
        gather.axes.push_back(all[d]);
    }
    element[1] = Index::axis(int(gather.axes.size()));
    gather.axes.push_back({all[1].name, x[1], Kind::Reduce});
    gather.reads = {build::readInput(0, element)};
    gather.write = kept;
    gather.name = "max";
    gather.value = most;
    gather.combine = Combine::Max;
    gather.initial = -infinity;
    gather.body = Expr::load(0, type);
    gather.cancels = true;
    description.stages.push_back(gather);
    gather.cancels = false;
    gather.name = "sum";
    gather.value = sum;
    gather.combine = Combine::Sum;
    gather.initial = 0;
    gather.reads.push_back(build::readValue(most, kept));
    gather.body = Expr::unary(Fn::Exp, Expr::load(0, type) - Expr::load(1, type));
    description.stages.push_back(std::move(gather));
    Stage scale;
    scale.name = "logarithms";
    scale.axes = all;
    scale.write = build::identityMap(x.size());
    IndexMap position;
    for (std::size_t d = 0; d < x.size(); ++d)
        if (d != 1)
            position.push_back(Index::axis(int(d)));
    scale.reads = {build::readInput(0, build::identityMap(x.size())),
                   build::readValue(most, position), build::readValue(sum, position)};
    scale.value = logarithms;
    scale.body =
        Expr::load(0, type) - Expr::load(1, type) - Expr::unary(Fn::Log, Expr::load(2, type));
    description.stages.push_back(std::move(scale));
    addLoss(description, call, {Operand::Kind::Value, logarithms});
    return description;
}

/// Adds the gradient of each position by the logarithm of its class: its share of the total
/// weight, times the gradient of the loss.
int addShares(AdjointBuilder &builder, const std::vector<Axis> &positions)
{
    const Call &call = builder.call();
    const DataType type = call.type(0);
    const std::string reduction = call.attributes().text("reduction", "mean");
    const bool reduces = reduction != "none";
    const IndexMap here = build::identityMap(positions.size());
    Stage stage;
    stage.name = "shares";
    stage.axes = positions;
    stage.write = here;
    stage.reads = {{builder.gradientOf(0), reduces ? IndexMap() : here, Read::Outside::Never, 0},
                   build::readInput(1, here)};
    Expr share = Expr::load(0, type);
    if (call.has(2)) {
        Index lookup = Index::constant(0);
        lookup.lookup = 1;
        share = share * Expr::load(int(stage.reads.size()), call.type(2));
        stage.reads.push_back(build::readInput(2, {lookup}, 0));
    }
    if (reduction == "mean") { // the last stage divides by the sum of the weights
        const Operand total = builder.description().stages.back().reads[1].operand;
        share = share / Expr::load(int(stage.reads.size()), type);
        stage.reads.push_back({builder.forward(total), {}, Read::Outside::Never, 0});
    }
    if (call.attributes().contains("ignore_index")) {
        const Expr ignored =
            Expr::binary(Fn::Equal, Expr::load(1, call.type(1)),
                         Expr::integer(call.attributes().integer("ignore_index", 0), call.type(1)));
        share = Expr::select(ignored, 0.0, share);
    }
    stage.body = share;
    Shape shape;
    for (const Axis &axis : positions)
        shape.push_back(axis.extent);
    stage.value = builder.addValue(type, std::move(shape));
    const int value = stage.value;
    builder.add(std::move(stage));
    return value;
}

/// dx = share * (probability - 1 for the true class, 0 for all others).
Result<bool> softmaxCrossEntropyGradient(AdjointBuilder &builder)
{
    const Call &call = builder.call();
    if (builder.input() != 0 || !builder.isGiven(0) || builder.isGiven(1))
        return false;
    const Shape &x = call.shape(0);
    const DataType type = call.type(0);
    Stage stage;
    stage.axes = build::spaceAxes(x);
    stage.write = build::identityMap(x.size());
    std::vector<Axis> positions = stage.axes;
    positions.erase(positions.begin() + 1);
    IndexMap position = stage.write;
    position.erase(position.begin() + 1);
    const Operand shares{Operand::Kind::Value, addShares(builder, positions)};
    stage.reads = {{builder.forward(1), stage.write, Read::Outside::Never, 0},
                   {shares, position, Read::Outside::Never, 0},
                   build::readInput(1, position)};
    const Expr target = Expr::cast(Expr::load(2, call.type(1)), DataType::Int64);
    const Expr wrapped = Expr::select(Expr::binary(Fn::Less, target, Expr::integer(0)),
                                      target + known(x[1]), target);
    const Expr right = Expr::select(Expr::binary(Fn::Equal, Expr::axis(1), wrapped),
                                    Expr::real(1, type), Expr::real(0, type));
    stage.body = Expr::load(1, type) * (Expr::unary(Fn::Exp, Expr::load(0, type)) - right);
    builder.add(std::move(stage));
    return true;
}

constexpr std::array lossEntries{
    Operator{"", "NegativeLogLikelihoodLoss", 12, 2, 3, 1, negativeLogLikelihood}.like(
        "[2,8] int64[2]"),
    Operator{"", "SoftmaxCrossEntropyLoss", 12, 2, 3, 2, softmaxCrossEntropy}
        .like("[2,8] int64[2]")
        .withGradient(softmaxCrossEntropyGradient),
};

} // namespace

std::span<const Operator> losses()
{
    return lossEntries;
}

} // namespace graphloom::entries
