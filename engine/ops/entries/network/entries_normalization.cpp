// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/describe/body.h"
#include "engine/ops/describe/build.h"
#include "engine/ops/describe/index_edit.h"
#include "engine/ops/entries/entries.h"
#include "engine/ops/gradient/adjoint_builder.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>

namespace graphloom::entries {

namespace {

using Kind = Axis::Kind;
constexpr double lowestReal = -std::numeric_limits<double>::infinity();

/// Stages of operators that normalize along some dimensions of input 0: reductions over those
/// dimensions into intermediate values that keep them with extent 1, then an elementwise stage.
class Normalization {
public:
    Normalization(const Call &call, std::vector<int> axes)
        : m_call(call), m_axes(std::move(axes)), m_type(call.type(0))
    {
        m_description.values.push_back({m_type, std::nullopt, {}});
    }

    /// Adds an output in front of the intermediate values.
    void addOutput(DataType type) { m_description.values.push_back({type, std::nullopt, {}}); }

    /// Adds a reduction of body(x, loads of earlier reductions) into a new intermediate value.
    using Body = std::function<Expr(const Expr &x, const std::vector<Expr> &reduced)>;
    int reduce(std::string name, Combine combine, double initial, const Body &body,
               const std::function<Expr(const Expr &)> &finish = {})
    {
        const int value = int(m_description.values.size());
        m_description.values.push_back({m_type, std::nullopt, {}});
        Stage stage = loops(true);
        stage.name = std::move(name);
        stage.value = value;
        stage.combine = combine;
        stage.initial = initial;
        stage.body = body(x(), loadReduced(stage));
        if (finish)
            stage.finish = finish(Expr::accumulator(m_type));
        m_description.stages.push_back(std::move(stage));
        m_reduced.push_back(value);
        return value;
    }

    /// Adds the elementwise stage. Its body gets the loads of the parameters, which are further
    /// reads.
    using Final = std::function<Expr(const Expr &x, const std::vector<Expr> &reduced,
                                     const std::vector<Expr> &parameters)>;
    Description finish(std::string name, const std::vector<std::pair<int, IndexMap>> &parameters,
                       const Final &body)
    {
        Stage stage = loops(false);
        stage.name = std::move(name);
        const auto reduced = loadReduced(stage);
        std::vector<Expr> loads;
        for (const auto &[input, map] : parameters) {
            loads.push_back(Expr::load(int(stage.reads.size()), m_call.type(std::size_t(input))));
            stage.reads.push_back(build::readInput(input, map));
        }
        stage.body = body(x(), reduced, loads);
        m_description.stages.push_back(std::move(stage));
        return std::move(m_description);
    }

    Description &description() { return m_description; }
    Expr x() const { return Expr::load(0, m_type); }
    /// Returns the number of elements of one reduction as an expression of x's type.
    Expr count() const
    {
        Dim points = 1;
        for (const int d : m_axes)
            points *= m_call.shape(0)[std::size_t(d)];
        return Expr::cast(Expr::table({points}, Expr::integer(0)), m_type);
    }
    bool isReduced(int d) const { return std::ranges::find(m_axes, d) != m_axes.end(); }

private:
    /// Returns the loops over the shape of x; reductions come last, as stages require.
    Stage loops(bool reducing) const
    {
        const Shape &shape = m_call.shape(0);
        const auto names = build::spaceAxes(shape);
        Stage stage;
        m_axisOf.assign(shape.size(), 0);
        for (const bool second : {false, true})
            for (int d = 0; d < int(shape.size()); ++d) {
                if ((reducing && isReduced(d)) != second)
                    continue;
                m_axisOf[std::size_t(d)] = int(stage.axes.size());
                stage.axes.push_back({names[std::size_t(d)].name, shape[std::size_t(d)],
                                      second ? Kind::Reduce : Kind::Space});
            }
        IndexMap map;
        for (int d = 0; d < int(shape.size()); ++d) {
            map.push_back(Index::axis(m_axisOf[std::size_t(d)]));
            stage.write.push_back(reducing && isReduced(d) ? Index::constant(0)
                                                           : Index::axis(m_axisOf[std::size_t(d)]));
        }
        stage.reads = {build::readInput(0, std::move(map))};
        return stage;
    }

    std::vector<Expr> loadReduced(Stage &stage) const
    {
        std::vector<Expr> loads;
        for (const int value : m_reduced) {
            IndexMap map;
            for (int d = 0; d < int(m_call.rank(0)); ++d)
                map.push_back(isReduced(d) ? Index::constant(0)
                                           : Index::axis(m_axisOf[std::size_t(d)]));
            loads.push_back(Expr::load(int(stage.reads.size()), m_type));
            stage.reads.push_back(build::readValue(value, std::move(map)));
        }
        return loads;
    }

    const Call &m_call;
    std::vector<int> m_axes;
    DataType m_type;
    Description m_description;
    std::vector<int> m_reduced;
    mutable std::vector<int> m_axisOf;
};

template <bool logarithm> Result<Description> softmax(const Call &call)
{
    GL_TRY_CONST(axis,
                 build::normalizedAxis(call, call.attributes().integer("axis", -1), call.rank(0)));
    Normalization steps(call, {*axis});
    steps.reduce("max", Combine::Max, lowestReal, [](const Expr &x, const auto &) { return x; });
    steps.description().stages.back().cancels = true;
    steps.reduce("sum", Combine::Sum, 0,
                 [](const Expr &x, const auto &reduced) { return exp(x - reduced[0]); });
    return steps.finish("scale", {}, [](const Expr &x, const auto &reduced, const auto &) {
        if (logarithm)
            return x - reduced[0] - Expr::unary(Fn::Log, reduced[1]);
        return exp(x - reduced[0]) / reduced[1];
    });
}

/// Adds a sum over some dimensions of x, which the result keeps with extent 1.
int reducedSum(AdjointBuilder &builder, const char *name, const std::vector<int> &axes,
               std::vector<Read> reads, const Expr &body)
{
    const Shape &shape = builder.call().shape(0);
    Shape kept = shape;
    const auto names = build::spaceAxes(shape);
    std::vector<Index> moved(shape.size(), Index::constant(0));
    Stage stage;
    stage.name = name;
    stage.write.resize(shape.size(), Index::constant(0));
    for (const bool reduced : {false, true})
        for (std::size_t d = 0; d < shape.size(); ++d) {
            if ((std::ranges::find(axes, int(d)) != axes.end()) != reduced)
                continue;
            moved[d] = Index::axis(int(stage.axes.size()));
            if (reduced)
                kept[d] = 1;
            else
                stage.write[d] = moved[d];
            stage.axes.push_back({names[d].name, shape[d], reduced ? Kind::Reduce : Kind::Space});
        }
    for (Read &read : reads)
        for (Index &index : read.map)
            index = *composed(index, moved);
    stage.reads = std::move(reads);
    stage.combine = Combine::Sum;
    stage.body = body;
    stage.value = builder.addValue(body.type(), std::move(kept));
    const int value = stage.value;
    builder.add(std::move(stage));
    return value;
}

/// Returns a read, over the dimensions of x, of a value that has some of them with extent 1.
Read readKept(const Operand &operand, const std::vector<int> &axes, std::size_t rank)
{
    IndexMap map = build::identityMap(rank);
    for (const int d : axes)
        map[std::size_t(d)] = Index::constant(0);
    return {operand, std::move(map), Read::Outside::Never, 0};
}

void addElementwise(AdjointBuilder &builder, std::vector<Read> reads, Expr body)
{
    const Shape &shape = builder.call().shape(0);
    Stage stage;
    stage.axes = build::spaceAxes(shape);
    stage.write = build::identityMap(shape.size());
    stage.reads = std::move(reads);
    stage.body = std::move(body);
    builder.add(std::move(stage));
}

/// Softmax: dx = y * (dy - sum of dy * y); its logarithm: dx = dy - exp(y) * sum of dy.
template <bool logarithm> Result<bool> softmaxGradient(AdjointBuilder &builder)
{
    const Call &call = builder.call();
    const auto axis =
        build::normalizedAxis(call, call.attributes().integer("axis", -1), call.rank(0));
    if (!axis || !builder.isGiven(0))
        return false;
    const std::size_t rank = call.rank(0);
    const DataType type = call.type(0);
    const IndexMap here = build::identityMap(rank);
    std::vector<Read> reads{{builder.gradientOf(0), here, Read::Outside::Never, 0},
                            {builder.forward(0), here, Read::Outside::Never, 0}};
    const Expr dy = Expr::load(0, type), y = Expr::load(1, type), sum = Expr::load(2, type);
    const int value = reducedSum(builder, "sum", {*axis}, reads, logarithm ? dy : dy * y);
    reads.push_back(readKept({Operand::Kind::Value, value}, {*axis}, rank));
    addElementwise(builder, std::move(reads), logarithm ? dy - exp(y) * sum : y * (dy - sum));
    return true;
}

/// 1 at the first maximum along the axis, else 0.
Result<Description> hardmax(const Call &call)
{
    GL_TRY_CONST(axis,
                 build::normalizedAxis(call, call.attributes().integer("axis", -1), call.rank(0)));
    Normalization steps(call, {*axis});
    steps.reduce("argmax", Combine::ArgMax, 0, [](const Expr &x, const auto &) { return x; });
    steps.description().values[1].type = DataType::Int64;
    return steps.finish("pick", {}, [&](const Expr &, const auto &reduced, const auto &) {
        const Expr where = Expr::load(reduced[0]->index, DataType::Int64);
        return Expr::select(Expr::binary(Fn::Equal, Expr::axis(*axis), where),
                            Expr::real(1, call.type(0)), Expr::real(0, call.type(0)));
    });
}

/// Adds the stages for mean and variance (biased) of x.
void addMoments(Normalization &steps)
{
    const Expr count = steps.count();
    const auto divided = [&](const Expr &sum) { return sum / count; };
    steps.reduce(
        "mean", Combine::Sum, 0, [](const Expr &x, const auto &) { return x; }, divided);
    steps.reduce(
        "variance", Combine::Sum, 0,
        [](const Expr &x, const auto &reduced) {
            const Expr difference = x - reduced[0];
            return difference * difference;
        },
        divided);
}

Expr normalized(const Expr &x, const Expr &mean, const Expr &variance, double epsilon)
{
    return (x - mean) / Expr::unary(Fn::Sqrt, variance + epsilon);
}

std::vector<int> axesFrom(std::size_t first, std::size_t rank)
{
    std::vector<int> axes;
    for (std::size_t d = first; d < rank; ++d)
        axes.push_back(int(d));
    return axes;
}

using Parameters = std::initializer_list<std::size_t>;

Result<void> checkParameters(const Call &call, const Dim &channels, Parameters parameters)
{
    for (const std::size_t p : parameters)
        if (call.rank(p) != 1 || (call.shape(p)[0] - channels).constant().value_or(0) != 0)
            return call.refuse("its parameter of shape " + text(call.shape(p)) +
                               " does not match the " + channels.text() + " channels of its input");
    return {};
}

Result<void> checkChannels(const Call &call, Parameters parameters)
{
    if (call.rank(0) < 2)
        return call.refuse("its input must have channels, but has shape " + text(call.shape(0)));
    return checkParameters(call, call.shape(0)[1], parameters);
}

/// Inference uses the stored statistics. Training computes them over the batch, so that the batch
/// and the positions become reduction axes, and returns the running statistics.
Result<Description> batchNormalization(const Call &call)
{
    if (call.rank(0) < 1)
        return call.refuse("its input must have a batch dimension");
    // An input of rank 1 has a single channel.
    const bool hasChannels = call.rank(0) >= 2;
    const Dim channels = hasChannels ? call.shape(0)[1] : Dim(1);
    GL_TRY(checkParameters(call, channels, {1, 2, 3, 4}));
    const double epsilon = call.attributes().real("epsilon", 1e-5f);
    const IndexMap perChannel{hasChannels ? Index::axis(1) : Index::constant(0)};
    if (call.attributes().integer("training_mode", 0) == 0) {
        Normalization steps(call, {});
        return steps.finish("",
                            {{1, perChannel}, {2, perChannel}, {3, perChannel}, {4, perChannel}},
                            [&](const Expr &x, const auto &, const auto &p) {
                                return normalized(x, p[2], p[3], epsilon) * p[0] + p[1];
                            });
    }
    std::vector<int> axes{0};
    const auto positions = axesFrom(2, call.rank(0));
    axes.insert(axes.end(), positions.begin(), positions.end());
    Normalization steps(call, axes);
    for (std::size_t output = 1; output < call.outputCount(); ++output)
        steps.addOutput(call.type(output + 2));
    addMoments(steps);
    Description description =
        steps.finish("scale", {{1, perChannel}, {2, perChannel}},
                     [&](const Expr &x, const auto &reduced, const auto &p) {
                         return normalized(x, reduced[0], reduced[1], epsilon) * p[0] + p[1];
                     });
    const double momentum = call.attributes().real("momentum", 0.9f);
    const int moments = int(call.outputCount());
    for (int output = 1; output < moments; ++output) {
        Stage running;
        running.name = output == 1 ? "running mean" : "running variance";
        running.axes = {{"c", channels, Kind::Space}};
        IndexMap map(call.rank(0), Index::constant(0));
        if (hasChannels)
            map[1] = Index::axis(0);
        running.reads = {build::readInput(output + 2, {Index::axis(0)}),
                         build::readValue(moments + output - 1, std::move(map))};
        running.value = output;
        running.write = {Index::axis(0)};
        running.body =
            Expr::load(0, call.type(3)) * momentum + Expr::load(1, call.type(0)) * (1 - momentum);
        description.stages.push_back(std::move(running));
    }
    return description;
}

/// The gradient where x is normalized by its own moments along some dimensions, with
/// g = dy * scale, c = x - mean and v the inverse deviation:
///     dx = v * (g - mean of g - c * v^2 * mean of (g * c))
struct OwnMoments {
    std::vector<int> axes;
    IndexMap parameters; // of scale and shift
    Operand mean, spread;
    bool isInverse = false; // spread is the inverse deviation, not the variance
};

Expr inverseDeviation(const OwnMoments &moments, const Expr &spread, double epsilon)
{
    return moments.isInverse
               ? spread
               : Expr::real(1, spread.type()) / Expr::unary(Fn::Sqrt, spread + epsilon);
}

Result<bool> gradientThroughMoments(AdjointBuilder &builder, const OwnMoments &moments)
{
    const Call &call = builder.call();
    const std::size_t rank = call.rank(0);
    const DataType type = call.type(0);
    const IndexMap here = build::identityMap(rank);
    std::vector<Read> reads{{builder.gradientOf(0), here, Read::Outside::Never, 0},
                            build::readInput(0, here),
                            readKept(moments.mean, moments.axes, rank),
                            readKept(moments.spread, moments.axes, rank),
                            build::readInput(1, moments.parameters)};
    const auto load = [&](int read) { return Expr::load(read, type); };
    const double epsilon = call.attributes().real("epsilon", 1e-5f);
    const Expr centered = load(1) - load(2), inverse = inverseDeviation(moments, load(3), epsilon);
    if (builder.input() == 1) { // the scale
        builder.gather({build::spaceAxes(call.shape(0)), reads, load(0) * (centered * inverse),
                        moments.parameters},
                       0);
        return true;
    }
    const Expr weighted = load(0) * Expr::load(4, call.type(1));
    const int sum = reducedSum(builder, "sum", moments.axes, reads, weighted);
    const int product =
        reducedSum(builder, "sum of products", moments.axes, reads, weighted * centered);
    for (const int value : {sum, product})
        reads.push_back(readKept({Operand::Kind::Value, value}, moments.axes, rank));
    Dim points = 1;
    for (const int d : moments.axes)
        points *= call.shape(0)[std::size_t(d)];
    const Expr count = Expr::cast(known(points), type);
    addElementwise(
        builder, std::move(reads),
        inverse * (weighted - load(5) / count - centered * inverse * inverse * (load(6) / count)));
    return true;
}

/// Is only the gradient of the result given?
bool isOfResultOnly(const AdjointBuilder &builder)
{
    bool others = false;
    for (int output = 1; output < builder.description().outputs; ++output)
        others = others || builder.isGiven(output);
    return builder.isGiven(0) && !others;
}

/// Applies to training only: otherwise the moments do not depend on x.
Result<bool> batchNormalizationGradient(AdjointBuilder &builder)
{
    const Call &call = builder.call();
    if (call.attributes().integer("training_mode", 0) == 0 || builder.input() > 1 ||
        call.rank(0) < 2 || !isOfResultOnly(builder))
        return false;
    std::vector<int> axes{0};
    const auto positions = axesFrom(2, call.rank(0));
    axes.insert(axes.end(), positions.begin(), positions.end());
    const int mean = builder.description().outputs;
    return gradientThroughMoments(
        builder, {axes, {Index::axis(1)}, builder.forward(mean), builder.forward(mean + 1), false});
}

/// Uses the moments of the call if they are among its outputs.
Result<bool> layerNormalizationGradient(AdjointBuilder &builder)
{
    const Call &call = builder.call();
    const auto first =
        build::normalizedAxis(call, call.attributes().integer("axis", -1), call.rank(0));
    if (!first || builder.input() > 1 || !isOfResultOnly(builder))
        return false;
    const bool areOutputs = builder.hasOutput(1) && builder.hasOutput(2);
    const int mean = areOutputs ? 1 : builder.description().outputs;
    return gradientThroughMoments(builder,
                                  {axesFrom(std::size_t(*first), call.rank(0)),
                                   build::broadcastMap(call.shape(1), call.shape(0)),
                                   builder.forward(mean), builder.forward(mean + 1), areOutputs});
}

Result<bool> instanceNormalizationGradient(AdjointBuilder &builder)
{
    if (builder.input() > 1 || !isOfResultOnly(builder))
        return false;
    return gradientThroughMoments(builder, {axesFrom(2, builder.call().rank(0)),
                                            {Index::axis(1)},
                                            builder.forward(1),
                                            builder.forward(2),
                                            false});
}

Result<Description> instanceNormalization(const Call &call)
{
    GL_TRY(checkChannels(call, {1, 2}));
    Normalization steps(call, axesFrom(2, call.rank(0)));
    addMoments(steps);
    const double epsilon = call.attributes().real("epsilon", 1e-5f);
    return steps.finish("scale", {{1, {Index::axis(1)}}, {2, {Index::axis(1)}}},
                        [&](const Expr &x, const auto &reduced, const auto &p) {
                            return normalized(x, reduced[0], reduced[1], epsilon) * p[0] + p[1];
                        });
}

Result<Description> layerNormalization(const Call &call)
{
    GL_TRY_CONST(first,
                 build::normalizedAxis(call, call.attributes().integer("axis", -1), call.rank(0)));
    for (const std::size_t p : {1, 2})
        if (call.has(p) && call.rank(p) > call.rank(0))
            return call.refuse("its parameter of shape " + text(call.shape(p)) +
                               " cannot be broadcast to " + text(call.shape(0)));
    Normalization steps(call, axesFrom(std::size_t(*first), call.rank(0)));
    const int outputs = int(call.outputCount());
    for (int output = 1; output < outputs; ++output)
        steps.addOutput(call.type(0));
    addMoments(steps);
    const double epsilon = call.attributes().real("epsilon", 1e-5f);
    std::vector<std::pair<int, IndexMap>> parameters;
    for (const int p : {1, 2})
        if (call.has(std::size_t(p)))
            parameters.push_back(
                {p, build::broadcastMap(call.shape(std::size_t(p)), call.shape(0))});
    Description description =
        steps.finish("scale", parameters, [&](const Expr &x, const auto &reduced, const auto &p) {
            Expr result = normalized(x, reduced[0], reduced[1], epsilon);
            if (!p.empty())
                result = result * p[0];
            return p.size() > 1 ? result + p[1] : result;
        });
    // The moments as outputs: the mean and the inverse standard deviation.
    for (int output = 1; output < outputs; ++output) {
        Stage copy;
        copy.name = output == 1 ? "mean output" : "inverse deviation output";
        Shape kept = call.shape(0);
        for (std::size_t d = std::size_t(*first); d < kept.size(); ++d)
            kept[d] = 1;
        copy.axes = build::spaceAxes(kept);
        copy.reads = {build::readValue(outputs + output - 1, build::identityMap(kept.size()))};
        copy.value = output;
        copy.write = build::identityMap(kept.size());
        const Expr moment = Expr::load(0, call.type(0));
        copy.body = output == 1
                        ? moment
                        : Expr::real(1, call.type(0)) / Expr::unary(Fn::Sqrt, moment + epsilon);
        description.stages.push_back(std::move(copy));
    }
    return description;
}

/// y = x / (bias + alpha / size * sum of squares over a window of channels) ^ beta.
Result<Description> localResponseNormalization(const Call &call)
{
    if (call.rank(0) < 3)
        return call.refuse("its input must have channels and positions");
    const std::int64_t size = call.attributes().integer("size", 0);
    if (size < 1 || size > (1 << 20))
        return call.refuse("attribute \"size\" must be a positive number");
    const double alpha = call.attributes().real("alpha", 1e-4f),
                 beta = call.attributes().real("beta", 0.75f);
    const double bias = call.attributes().real("bias", 1);
    const std::size_t rank = call.rank(0);
    const DataType type = call.type(0);
    Stage squares;
    squares.axes = build::spaceAxes(call.shape(0));
    squares.axes.push_back({"s", size, Kind::Reduce});
    IndexMap window = build::identityMap(rank);
    window[1] = Index::axis(1, 1, -((size - 1) / 2));
    window[1].terms.push_back({int(rank), 1});
    squares.name = "squares";
    squares.reads = {build::readInput(0, std::move(window), 0)};
    squares.value = 1;
    squares.write = build::identityMap(rank);
    squares.combine = Combine::Sum;
    squares.body = Expr::load(0, type) * Expr::load(0, type);
    Stage scale;
    scale.name = "scale";
    scale.axes = build::spaceAxes(call.shape(0));
    scale.reads = {build::readInput(0, build::identityMap(rank)),
                   build::readValue(1, build::identityMap(rank))};
    scale.write = build::identityMap(rank);
    scale.body = Expr::load(0, type) /
                 Expr::binary(Fn::Pow, Expr::load(1, type) * (alpha / double(size)) + bias, beta);
    Description description;
    description.values = {{type, std::nullopt, {}}, {type, std::nullopt, {}}};
    description.stages = {std::move(squares), std::move(scale)};
    return description;
}

/// In training, the statistics of the batch update the stored ones.
bool trainBatchNormalization(TrainedCall &call)
{
    if (!call.takesBatchStatistics())
        return false;
    Node &node = call.node;
    if (node.attributes.integer("training_mode", 0) == 0)
        node.attributes = node.attributes.with("training_mode", std::int64_t{1});
    node.outputs.resize(3);
    for (const std::size_t k : {1, 2})
        call.renew(k + 2, k);
    return true;
}

constexpr std::array normalizationEntries{
    Operator{"", "BatchNormalization", 9, 5, 5, 3, batchNormalization}
        .like("[2,8,6,6] w[8] w[8] w[8] w[8]")
        .withGradient(batchNormalizationGradient)
        .trainedBy(trainBatchNormalization)
        .withStatistics(1u << 3 | 1u << 4),
    Operator{"", "Hardmax", 13, 1, 1, 1, hardmax},
    Operator{"", "InstanceNormalization", 6, 3, 3, 1, instanceNormalization}
        .like("[2,8,6,6] w[8] w[8]")
        .withGradient(instanceNormalizationGradient),
    Operator{"", "LRN", 1, 1, 1, 1, localResponseNormalization}.like("[2,8,6,6] size=5"),
    Operator{"", "LayerNormalization", 17, 2, 3, 3, layerNormalization}
        .like("[2,8,32] w[32] w[32]")
        .withGradient(layerNormalizationGradient)
        .trainedBy(trainLayerNormalization),
    Operator{"", "LogSoftmax", 13, 1, 1, 1, softmax<true>}.withGradient(softmaxGradient<true>),
    Operator{"", "Softmax", 13, 1, 1, 1, softmax<false>}.withGradient(softmaxGradient<false>),
};

} // namespace

bool trainLayerNormalization(TrainedCall &call)
{
    const bool mean = call.addOutput(1, ".mean");
    return call.addOutput(2, ".inverse_deviation") || mean;
}

std::span<const Operator> normalization()
{
    return normalizationEntries;
}

} // namespace graphloom::entries
