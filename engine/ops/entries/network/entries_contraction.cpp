// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/describe/body.h"
#include "engine/ops/describe/build.h"
#include "engine/ops/entries/entries.h"
#include "engine/ops/entries/window.h"
#include "engine/ops/gradient/adjoint_builder.h"

#include <algorithm>
#include <array>
#include <map>

namespace graphloom::entries {

namespace {

using Kind = Axis::Kind;

/// Adds an axis and gives its number.
int add(Stage &stage, std::string name, Dim extent, Kind kind = Kind::Space)
{
    stage.axes.push_back({std::move(name), std::move(extent), kind});
    return int(stage.axes.size()) - 1;
}

Index grouped(int group, const Dim &perGroup, int channel)
{
    Index index = group >= 0 ? Index::axis(group, perGroup) : Index::constant(0);
    index.terms.push_back({channel, 1});
    return index;
}

/// Adds a bias over the output channels to what the stage has summed.
void addBias(Stage &stage, const Call &call, int group, const Dim &perGroup, int channel)
{
    if (!call.has(2))
        return;
    stage.reads.push_back(build::readInput(2, {grouped(group, perGroup, channel)}));
    stage.finish =
        Expr::accumulator(call.type(0)) + Expr::load(int(stage.reads.size()) - 1, call.type(2));
}

Result<void> checkBias(const Call &call, const Dim &channels)
{
    if (call.has(2) &&
        (call.rank(2) != 1 || (call.shape(2)[0] - channels).constant().value_or(0) != 0))
        return call.refuse("its bias of shape " + text(call.shape(2)) + " does not have the " +
                           channels.text() + " output channels");
    return {};
}

/// Which channels of the input the weights have in dimension 1 (Conv) or 0 (ConvTranspose).
enum class Channels { OfGroup, All };

Result<void> checkWeights(const Call &call, std::int64_t groups, Channels channels)
{
    if (call.rank(0) < 3 || call.rank(1) != call.rank(0))
        return call.refuse("its input of shape " + text(call.shape(0)) + " and weights of shape " +
                           text(call.shape(1)) + " must have the same rank of at least 3");
    const Shape &x = call.shape(0), &w = call.shape(1);
    if (groups < 1 || contradict(x[1], channels == Channels::OfGroup ? w[1] * Dim(groups) : w[0]) ||
        (w[0].isConstant() && w[0].value() % groups != 0))
        return call.refuse("its input of shape " + text(x) + " and weights of shape " + text(w) +
                           " do not go with " + std::to_string(groups) + " groups");
    return {};
}

Result<Description> conv(const Call &call)
{
    const std::int64_t groups = call.attributes().integer("group", 1);
    GL_TRY(checkWeights(call, groups, Channels::OfGroup));
    const Shape &x = call.shape(0), &w = call.shape(1);
    const Shape kernel(w.begin() + 2, w.end());
    if (const auto stated = call.attributes().integers("kernel_shape"); !stated.empty()) {
        bool agrees = stated.size() == kernel.size();
        for (std::size_t d = 0; agrees && d < kernel.size(); ++d)
            agrees = !contradict(kernel[d], stated[d]);
        if (!agrees)
            return call.refuse("kernel_shape contradicts the weights of shape " + text(w));
    }
    GL_TRY_CONST(window, build::windowOf(call, kernel));
    GL_TRY(checkBias(call, w[0]));

    const std::size_t dims = kernel.size();
    const Dim outPerGroup = groups == 1 ? w[0] : Dim::floorDiv(w[0], groups);
    Stage stage;
    const int n = add(stage, "n", x[0]);
    const int g = groups > 1 ? add(stage, "g", groups) : -1;
    const int o = add(stage, "o", outPerGroup);
    std::vector<int> position, offset;
    for (std::size_t d = 0; d < dims; ++d)
        position.push_back(add(stage, build::positionNames(dims)[d], (*window)[d].output));
    const int i = add(stage, "i", w[1], Kind::Reduce);
    for (std::size_t d = 0; d < dims; ++d)
        offset.push_back(add(stage, build::windowNames(dims)[d], kernel[d], Kind::Reduce));

    IndexMap input{Index::axis(n), grouped(g, w[1], i)};
    IndexMap weights{grouped(g, outPerGroup, o), Index::axis(i)};
    stage.write = {Index::axis(n), grouped(g, outPerGroup, o)};
    for (std::size_t d = 0; d < dims; ++d) {
        input.push_back(build::windowIndex((*window)[d], position[d], offset[d]));
        weights.push_back(Index::axis(offset[d]));
        stage.write.push_back(Index::axis(position[d]));
    }
    stage.reads = {build::mayLeave(*window) ? build::readInput(0, std::move(input), 0)
                                            : build::readInput(0, std::move(input)),
                   build::readInput(1, std::move(weights))};
    stage.combine = Combine::Sum;
    stage.body = Expr::load(0, call.type(0)) * Expr::load(1, call.type(1));
    addBias(stage, call, g, outPerGroup, o);
    return build::single(call.type(0), std::move(stage));
}

/// Where an output position h of a transposed convolution gets its sum from: h = s*hq + hr takes
/// the window offsets r = s*rq + (hr + p) mod s, and for each the input position
/// floor((h + p - r) / s). Without a common stride pattern (dilation, or extents that the stride
/// does not divide), all offsets are visited and those off the stride multiply by zero.
struct TransposedDim {
    Dim input, output, kernel;
    std::int64_t stride, dilation;
    Dim padBegin;
    bool phased() const
    {
        constexpr std::int64_t longestTable = 1 << 16; // of the window's offsets
        return stride == 1 ? dilation == 1
                           : dilation == 1 && kernel.isConstant() && padBegin.isConstant() &&
                                 output.isConstant() && kernel.value() % stride == 0 &&
                                 output.value() % stride == 0 && kernel.value() <= longestTable;
    }
};

Result<std::vector<TransposedDim>> transposedOf(const Call &call, const Shape &kernel)
{
    const std::size_t count = kernel.size();
    const auto strides = build::numbers(call, "strides", count, 1, 1);
    const auto dilations = build::numbers(call, "dilations", count, 1, 1);
    const auto pads = build::numbers(call, "pads", 2 * count, 0, 0);
    const auto extra = build::numbers(call, "output_padding", count, 0, 0);
    for (const auto *list : {&strides, &dilations, &pads, &extra})
        if (!*list)
            return tl::unexpected(list->error());
    auto wanted = call.attributes().integers("output_shape");
    if (wanted.size() == count + 2)
        wanted.erase(wanted.begin(), wanted.begin() + 2);
    if (!wanted.empty() && wanted.size() != count)
        return call.refuse("output_shape must have " + std::to_string(count) + " numbers");
    const std::string automatic = call.attributes().text("auto_pad", "NOTSET");
    std::vector<TransposedDim> dims;
    for (std::size_t d = 0; d < count; ++d) {
        TransposedDim dim{call.shape(0)[d + 2], 0,         kernel[d], (*strides)[d],
                          (*dilations)[d],      (*pads)[d]};
        const Dim full = Dim(dim.stride) * (dim.input - Dim(1)) + Dim((*extra)[d]) +
                         (dim.kernel - Dim(1)) * Dim(dim.dilation) + Dim(1);
        const bool same = automatic == "SAME_UPPER" || automatic == "SAME_LOWER";
        if (!wanted.empty() || same) {
            dim.output = wanted.empty() ? dim.input * Dim(dim.stride) : Dim(wanted[d]);
            const Dim total = Dim::max(0, full - dim.output);
            const Dim half = Dim::floorDiv(total, 2);
            dim.padBegin = automatic == "SAME_UPPER" ? half : total - half;
        } else {
            if (automatic == "VALID")
                dim.padBegin = 0;
            dim.output = full - dim.padBegin - Dim(automatic == "VALID" ? 0 : (*pads)[d + count]);
        }
        dims.push_back(std::move(dim));
    }
    return dims;
}

Result<Description> convTranspose(const Call &call)
{
    const std::int64_t groups = call.attributes().integer("group", 1);
    GL_TRY(checkWeights(call, groups, Channels::All));
    const Shape &x = call.shape(0), &w = call.shape(1);
    const Shape kernel(w.begin() + 2, w.end());
    GL_TRY_CONST(window, transposedOf(call, kernel));
    GL_TRY(checkBias(call, w[1] * Dim(groups)));

    const std::size_t dims = kernel.size();
    const Dim inPerGroup = groups == 1 ? w[0] : Dim::floorDiv(w[0], groups);
    const auto positions = build::positionNames(dims), offsets = build::windowNames(dims);
    Stage stage;
    const int n = add(stage, "n", x[0]);
    const int g = groups > 1 ? add(stage, "g", groups) : -1;
    const int o = add(stage, "o", w[1]);
    std::vector<int> position, phase(dims, -1), offset;
    for (std::size_t d = 0; d < dims; ++d) {
        const TransposedDim &dim = (*window)[d];
        const bool split = dim.phased() && dim.stride > 1;
        position.push_back(
            add(stage, positions[d], split ? Dim::floorDiv(dim.output, dim.stride) : dim.output));
        if (split)
            phase[d] = add(stage, positions[d] + "'", dim.stride);
    }
    const int i = add(stage, "i", inPerGroup, Kind::Reduce);
    for (std::size_t d = 0; d < dims; ++d)
        offset.push_back(
            add(stage, offsets[d],
                phase[d] >= 0 ? Dim::floorDiv(kernel[d], (*window)[d].stride) : kernel[d],
                Kind::Reduce));

    IndexMap input{Index::axis(n), grouped(g, inPerGroup, i)};
    IndexMap weights{grouped(g, inPerGroup, i), Index::axis(o)};
    stage.write = {Index::axis(n), grouped(g, w[1], o)};
    Expr onStride;
    for (std::size_t d = 0; d < dims; ++d) {
        const TransposedDim &dim = (*window)[d];
        Index from;
        if (phase[d] >= 0) {
            const std::int64_t s = dim.stride, p = dim.padBegin.value();
            from.terms = {{position[d], s}, {phase[d], 1}, {offset[d], -s}};
            from.offset = p;
            from.divide = s;
            std::vector<std::int64_t> taps; // by s * rq + hr
            for (std::int64_t t = 0; t < dim.kernel.value(); ++t)
                taps.push_back(t / s * s + (t % s + p) % s);
            Index tap;
            tap.terms = {{offset[d], s}, {phase[d], 1}};
            tap.table = std::make_shared<const std::vector<std::int64_t>>(std::move(taps));
            weights.push_back(std::move(tap));
            Index to = Index::axis(position[d], s);
            to.terms.push_back({phase[d], 1});
            stage.write.push_back(std::move(to));
        } else {
            from.terms = {{position[d], 1}, {offset[d], -dim.dilation}};
            from.offset = dim.padBegin;
            from.divide = dim.stride;
            weights.push_back(Index::axis(offset[d]));
            stage.write.push_back(Index::axis(position[d]));
            if (dim.stride > 1) {
                if (!dim.padBegin.isConstant())
                    return call.refuse("its padding depends on an extent that is not known");
                const Expr at = Expr::axis(position[d]) -
                                Expr::axis(offset[d]) * Expr::integer(dim.dilation) +
                                Expr::integer(dim.padBegin.value());
                const Expr hit =
                    Expr::binary(Fn::Equal, Expr::binary(Fn::Mod, at, Expr::integer(dim.stride)),
                                 Expr::integer(0));
                onStride = onStride.empty() ? hit : Expr::binary(Fn::And, onStride, hit);
            }
        }
        input.push_back(std::move(from));
    }
    stage.reads = {build::readInput(0, std::move(input), 0),
                   build::readInput(1, std::move(weights))};
    stage.combine = Combine::Sum;
    Expr feature = Expr::load(0, call.type(0));
    if (!onStride.empty())
        feature = Expr::select(onStride, feature, 0.0);
    stage.body = feature * Expr::load(1, call.type(1));
    addBias(stage, call, g, w[1], o);
    return build::single(call.type(0), std::move(stage));
}

/// By the convolution that it is transposed of: x[n,i,h] * w[i,o,r] goes to y[n,o,s*h+d*r-p], and
/// the gradient of y is read there.
Result<bool> convTransposeGradient(AdjointBuilder &builder)
{
    const Call &call = builder.call();
    if (builder.input() > 1 || !builder.isGiven(0))
        return false; // the bias is added to every element
    const Shape &x = call.shape(0), &w = call.shape(1);
    const Shape kernel(w.begin() + 2, w.end());
    GL_TRY_CONST(window, transposedOf(call, kernel));
    const std::int64_t groups = call.attributes().integer("group", 1);
    const std::size_t dims = kernel.size();
    const auto positions = build::positionNames(dims), offsets = build::windowNames(dims);
    const Dim inPerGroup = groups == 1 ? w[0] : Dim::floorDiv(w[0], groups);
    Stage loops;
    const int n = add(loops, "n", x[0]);
    const int g = groups > 1 ? add(loops, "g", groups) : -1;
    const int i = add(loops, "i", inPerGroup), o = add(loops, "o", w[1]);
    IndexMap feature{Index::axis(n), grouped(g, inPerGroup, i)};
    IndexMap weights{grouped(g, inPerGroup, i), Index::axis(o)};
    IndexMap result{Index::axis(n), grouped(g, w[1], o)};
    for (std::size_t d = 0; d < dims; ++d) {
        const TransposedDim &dim = (*window)[d];
        const int h = add(loops, positions[d], dim.input), r = add(loops, offsets[d], kernel[d]);
        feature.push_back(Index::axis(h));
        weights.push_back(Index::axis(r));
        Index to = Index::axis(h, dim.stride, Dim(0) - dim.padBegin);
        to.terms.push_back({r, dim.dilation});
        result.push_back(std::move(to));
    }
    Scatter scatter;
    scatter.axes = std::move(loops.axes);
    scatter.target = builder.input() == 0 ? feature : weights;
    scatter.reads = {{builder.gradientOf(0), std::move(result), Read::Outside::Value, 0},
                     builder.input() == 0 ? build::readInput(1, std::move(weights))
                                          : build::readInput(0, std::move(feature))};
    const DataType type = call.type(0);
    scatter.factor = Expr::load(0, type) * Expr::load(1, type);
    builder.gather(scatter, 0);
    return true;
}

Result<Description> matMul(const Call &call)
{
    const Shape &a = call.shape(0), &b = call.shape(1);
    if (a.empty() || b.empty())
        return call.refuse("needs tensors of rank 1 or more");
    const Dim &inner = a.back(), &outer = b.size() == 1 ? b[0] : b[b.size() - 2];
    if (contradict(inner, outer))
        return call.refuse("cannot multiply shapes " + text(a) + " and " + text(b) + ": " +
                           inner.text() + " is not " + outer.text());
    const Shape aBatch(a.begin(), a.end() - std::min<std::ptrdiff_t>(2, std::ptrdiff_t(a.size())));
    const Shape bBatch(b.begin(), b.end() - std::min<std::ptrdiff_t>(2, std::ptrdiff_t(b.size())));
    GL_TRY_CONST(batch, build::broadcastShape(call, {&aBatch, &bBatch}));
    constexpr std::string_view batchNames = "bcdefghij";
    Stage stage;
    for (std::size_t d = 0; d < batch->size(); ++d) {
        add(stage, std::string(1, batchNames[d % batchNames.size()]), (*batch)[d]);
        stage.write.push_back(Index::axis(int(d)));
    }
    IndexMap left = build::broadcastMap(aBatch, *batch),
             right = build::broadcastMap(bBatch, *batch);
    if (a.size() > 1) {
        const int m = add(stage, "m", a[a.size() - 2]);
        left.push_back(Index::axis(m));
        stage.write.push_back(Index::axis(m));
    }
    int n = -1;
    if (b.size() > 1) {
        n = add(stage, "n", b.back());
        stage.write.push_back(Index::axis(n));
    }
    const int k = add(stage, "k", inner.isConstant() ? inner : outer, Kind::Reduce);
    left.push_back(Index::axis(k));
    right.push_back(Index::axis(k));
    if (n >= 0)
        right.push_back(Index::axis(n));
    stage.reads = {build::readInput(0, std::move(left)), build::readInput(1, std::move(right))};
    stage.combine = Combine::Sum;
    stage.body = Expr::load(0, call.type(0)) * Expr::load(1, call.type(1));
    return build::single(call.type(0), std::move(stage));
}

Result<Description> gemm(const Call &call)
{
    const Shape &a = call.shape(0), &b = call.shape(1);
    if (a.size() != 2 || b.size() != 2)
        return call.refuse("multiplies matrices, its inputs have shapes " + text(a) + " and " +
                           text(b));
    const bool transA = call.attributes().integer("transA", 0) != 0;
    const bool transB = call.attributes().integer("transB", 0) != 0;
    const Dim rows = a[transA], innerA = a[!transA], innerB = b[transB], columns = b[!transB];
    if (contradict(innerA, innerB))
        return call.refuse("cannot multiply shapes " + text(a) + " and " + text(b) + ": " +
                           innerA.text() + " is not " + innerB.text());
    Stage stage;
    const int m = add(stage, "m", rows), n = add(stage, "n", columns);
    const int k = add(stage, "k", innerA.isConstant() ? innerA : innerB, Kind::Reduce);
    IndexMap left{Index::axis(m), Index::axis(k)}, right{Index::axis(k), Index::axis(n)};
    if (transA)
        std::swap(left[0], left[1]);
    if (transB)
        std::swap(right[0], right[1]);
    stage.reads = {build::readInput(0, std::move(left)), build::readInput(1, std::move(right))};
    stage.write = {Index::axis(m), Index::axis(n)};
    stage.combine = Combine::Sum;
    stage.body = Expr::load(0, call.type(0)) * Expr::load(1, call.type(1));
    const double alpha = call.attributes().real("alpha", 1),
                 beta = call.attributes().real("beta", 1);
    Expr sum = Expr::accumulator(call.type(0));
    if (alpha != 1)
        sum = sum * alpha;
    if (call.has(2)) {
        const Shape result{rows, columns}, &c = call.shape(2);
        const auto both = build::broadcastShape(call, {&result, &c});
        if (!both || both->size() != 2 || contradict((*both)[0], rows) ||
            contradict((*both)[1], columns))
            return call.refuse("its third input of shape " + text(c) + " cannot be broadcast to " +
                               text(result));
        stage.reads.push_back(build::readInput(2, build::broadcastMap(c, result)));
        const Expr addend = Expr::load(2, call.type(2));
        sum = sum + (beta == 1 ? addend : addend * beta);
    }
    if (call.has(2) || alpha != 1)
        stage.finish = sum;
    return build::single(call.type(0), std::move(stage));
}

/// One axis per letter; an ellipsis stands for leading axes that broadcast.
Result<Description> einsum(const Call &call)
{
    std::string equation = call.attributes().text("equation", "");
    std::erase(equation, ' ');
    const auto arrow = equation.find("->");
    std::vector<std::string> terms(1);
    for (const char c : equation.substr(0, arrow))
        c == ',' ? terms.emplace_back() : terms.back() += std::string(1, c);
    if (terms.size() != call.inputCount())
        return call.refuse("equation \"" + equation + "\" is not for " +
                           std::to_string(call.inputCount()) + " inputs");
    constexpr std::string_view dots = "...";
    std::size_t ellipsis = 0; // axes that "..." stands for
    for (std::size_t t = 0; t < terms.size(); ++t)
        if (const auto at = terms[t].find(dots); at != std::string::npos) {
            if (call.rank(t) + 3 < terms[t].size())
                return call.refuse("equation \"" + equation + "\" has more letters than input " +
                                   std::to_string(t) + " has dimensions");
            ellipsis = std::max(ellipsis, call.rank(t) + 3 - terms[t].size());
        }
    // Labels: letters, and '0', '1'… for the axes of the ellipsis, aligned at its end.
    const auto labels = [&](const std::string &term, std::size_t rank) {
        const auto at = term.find(dots);
        if (at == std::string::npos)
            return term;
        std::string expanded;
        const std::size_t count = rank + 3 - term.size();
        for (std::size_t e = ellipsis - count; e < ellipsis; ++e)
            expanded += char('0' + e);
        return term.substr(0, at) + expanded + term.substr(at + 3);
    };
    std::map<char, Dim> extents;
    std::vector<std::string> inputs;
    for (std::size_t t = 0; t < terms.size(); ++t) {
        inputs.push_back(labels(terms[t], call.rank(t)));
        if (inputs.back().size() != call.rank(t))
            return call.refuse("equation \"" + equation + "\" gives input " + std::to_string(t) +
                               " " + std::to_string(inputs.back().size()) + " dimensions, it has " +
                               std::to_string(call.rank(t)));
        for (std::size_t d = 0; d < call.rank(t); ++d) {
            const Dim &extent = call.shape(t)[d];
            auto [known, added] = extents.try_emplace(inputs.back()[d], extent);
            if (added || known->second == extent || extent == Dim(1))
                continue;
            if (known->second == Dim(1) || !known->second.isConstant())
                known->second = extent;
            else if (extent.isConstant())
                return call.refuse("label '" + std::string(1, inputs.back()[d]) +
                                   "' of equation \"" + equation + "\" has extents " +
                                   known->second.text() + " and " + extent.text());
        }
    }
    std::string output;
    if (arrow != std::string::npos) {
        output = labels(equation.substr(arrow + 2),
                        ellipsis + equation.size() - arrow - 2 -
                            (equation.find(dots, arrow) != std::string::npos ? 3 : 0));
    } else {
        // Implicit form: the ellipsis, then every letter that occurs once, in alphabetical order.
        std::map<char, int> count;
        for (const std::string &term : inputs)
            for (const char c : term)
                ++count[c];
        for (const auto &[label, times] : count)
            if (times == 1 || label <= '9')
                output += label;
    }
    Stage stage;
    std::map<char, int> axis;
    for (const char label : output) {
        if (!extents.contains(label) || axis.contains(label))
            return call.refuse("the output of equation \"" + equation +
                               "\" is not made of its inputs' labels");
        axis[label] = add(stage, std::string(1, label), extents[label]);
        stage.write.push_back(Index::axis(axis[label]));
    }
    for (const auto &[label, extent] : extents)
        if (!axis.contains(label))
            axis[label] = add(stage, std::string(1, label), extent, Kind::Reduce);
    Expr product;
    for (std::size_t t = 0; t < inputs.size(); ++t) {
        IndexMap map;
        for (std::size_t d = 0; d < inputs[t].size(); ++d) {
            const char label = inputs[t][d];
            map.push_back(call.shape(t)[d] == Dim(1) && !(extents[label] == Dim(1))
                              ? Index::constant(0)
                              : Index::axis(axis[label]));
        }
        stage.reads.push_back(build::readInput(int(t), std::move(map)));
        const Expr load = Expr::load(int(t), call.type(t));
        product = t == 0 ? load : product * load;
    }
    stage.body = product;
    stage.combine = Combine::Sum;
    return build::single(call.type(0), std::move(stage));
}

constexpr std::array contractionEntries{
    Operator{"", "Conv", 1, 2, 3, 1, conv}.like("[2,8,6,6] w[4,8,3,3] w[4] pads=1,1,1,1"),
    Operator{"", "ConvTranspose", 1, 2, 3, 1, convTranspose}
        .like("[2,8,6,6] w[8,4,2,2] strides=2,2")
        .withGradient(convTransposeGradient),
    Operator{"", "Einsum", 12, 1, -1, 1, einsum}.like("[2,8,6] [2,6,4] equation=bij,bjk->bik"),
    Operator{"", "Gemm", 7, 2, 3, 1, gemm}.like("[6,8] w[4,8] w[4] transB=1"),
    Operator{"", "MatMul", 1, 2, 2, 1, matMul}.like("[2,8,6] [2,6,4]"),
};

} // namespace

std::span<const Operator> contraction()
{
    return contractionEntries;
}

} // namespace graphloom::entries
