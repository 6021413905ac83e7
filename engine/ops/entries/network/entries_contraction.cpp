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

/// Adds an axis and returns its number.
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

/// The channels of the input that the weights have in dimension 1 (Conv) or 0 (ConvTranspose).
enum class Channels { OfGroup, All };

/// Builds what a convolution and a transposed one share: the loops over samples, groups and
/// channels, the index maps and the sum of products. The caller adds the loops over positions
/// behind those over output channels, and the loops over window offsets behind those over input
/// channels.
class Convolution {
public:
    Convolution(const Call &call, Channels channels)
        : m_call(call), m_channels(channels), m_groups(call.attributes().integer("group", 1))
    {
    }

    /// Checks the weights; call it first.
    Result<void> check() const;
    Result<void> checkBias() const;
    Shape kernel() const { return {m_call.shape(1).begin() + 2, m_call.shape(1).end()}; }

    /// Adds the loops over samples and groups.
    void addSamples();
    void addOutputChannels() { m_output = add(stage, "o", outPerGroup()); }
    void addInputChannels(Kind kind) { m_input = add(stage, "i", inPerGroup(), kind); }
    /// Sets the dimensions of the maps for samples and channels; those of the image follow.
    void mapChannels();
    void mapImage(Index inputIndex, Index weightIndex, Index outputIndex);

    /// Returns the sum of the feature, an expression of the read of the input, times the weights,
    /// plus the bias.
    Description describe(const Expr &feature, bool mayLeaveInput) &&;

    Stage stage;
    IndexMap input, weights; // the output's is stage.write

private:
    Dim outPerGroup() const
    {
        return m_channels == Channels::OfGroup ? divided() : m_call.shape(1)[1];
    }
    Dim inPerGroup() const
    {
        return m_channels == Channels::OfGroup ? m_call.shape(1)[1] : divided();
    }
    Dim divided() const
    {
        return m_groups == 1 ? m_call.shape(1)[0] : Dim::floorDiv(m_call.shape(1)[0], m_groups);
    }

    const Call &m_call;
    const Channels m_channels;
    const std::int64_t m_groups;
    int m_sample = -1, m_group = -1, m_output = -1, m_input = -1; // axes; no group axis for one
};

Result<void> Convolution::check() const
{
    if (m_call.rank(0) < 3 || m_call.rank(1) != m_call.rank(0))
        return m_call.refuse("its input of shape " + text(m_call.shape(0)) +
                             " and weights of shape " + text(m_call.shape(1)) +
                             " must have the same rank of at least 3");
    const Shape &x = m_call.shape(0), &w = m_call.shape(1);
    if (m_groups < 1 ||
        contradict(x[1], m_channels == Channels::OfGroup ? w[1] * Dim(m_groups) : w[0]) ||
        (w[0].isConstant() && w[0].value() % m_groups != 0))
        return m_call.refuse("its input of shape " + text(x) + " and weights of shape " + text(w) +
                             " do not match " + std::to_string(m_groups) + " groups");
    return {};
}

Result<void> Convolution::checkBias() const
{
    const Shape &w = m_call.shape(1);
    const Dim outputs = m_channels == Channels::OfGroup ? w[0] : w[1] * Dim(m_groups);
    if (m_call.has(2) && (m_call.rank(2) != 1 || contradict(m_call.shape(2)[0], outputs)))
        return m_call.refuse("its bias of shape " + text(m_call.shape(2)) + " does not match the " +
                             outputs.text() + " output channels");
    return {};
}

void Convolution::addSamples()
{
    m_sample = add(stage, "n", m_call.shape(0)[0]);
    if (m_groups > 1)
        m_group = add(stage, "g", m_groups);
}

void Convolution::mapChannels()
{
    const Index inputChannel = grouped(m_group, inPerGroup(), m_input);
    const Index outputChannel = grouped(m_group, outPerGroup(), m_output);
    input = {Index::axis(m_sample), inputChannel};
    weights = m_channels == Channels::OfGroup ? IndexMap{outputChannel, Index::axis(m_input)}
                                              : IndexMap{inputChannel, Index::axis(m_output)};
    stage.write = {Index::axis(m_sample), outputChannel};
}

void Convolution::mapImage(Index inputIndex, Index weightIndex, Index outputIndex)
{
    input.push_back(std::move(inputIndex));
    weights.push_back(std::move(weightIndex));
    stage.write.push_back(std::move(outputIndex));
}

Description Convolution::describe(const Expr &feature, bool mayLeaveInput) &&
{
    stage.reads = {mayLeaveInput ? build::readInput(0, std::move(input), 0)
                                 : build::readInput(0, std::move(input)),
                   build::readInput(1, std::move(weights))};
    stage.combine = Combine::Sum;
    stage.body = feature * Expr::load(1, m_call.type(1));
    if (m_call.has(2)) {
        stage.reads.push_back(build::readInput(2, {stage.write[1]}));
        stage.finish = Expr::accumulator(m_call.type(0)) + Expr::load(2, m_call.type(2));
    }
    return build::single(m_call.type(0), std::move(stage));
}

Result<Description> conv(const Call &call)
{
    Convolution convolution(call, Channels::OfGroup);
    GL_TRY(convolution.check());
    const Shape kernel = convolution.kernel();
    if (const auto stated = call.attributes().integers("kernel_shape"); !stated.empty()) {
        bool agrees = stated.size() == kernel.size();
        for (std::size_t d = 0; agrees && d < kernel.size(); ++d)
            agrees = !contradict(kernel[d], stated[d]);
        if (!agrees)
            return call.refuse("kernel_shape does not match the weights of shape " +
                               text(call.shape(1)));
    }
    GL_TRY_CONST(window, build::windowOf(call, kernel));
    GL_TRY(convolution.checkBias());

    const std::size_t dims = kernel.size();
    std::vector<int> position, offset;
    convolution.addSamples();
    convolution.addOutputChannels();
    for (std::size_t d = 0; d < dims; ++d)
        position.push_back(
            add(convolution.stage, build::positionNames(dims)[d], (*window)[d].output));
    convolution.addInputChannels(Kind::Reduce);
    for (std::size_t d = 0; d < dims; ++d)
        offset.push_back(
            add(convolution.stage, build::windowNames(dims)[d], kernel[d], Kind::Reduce));

    convolution.mapChannels();
    for (std::size_t d = 0; d < dims; ++d)
        convolution.mapImage(build::windowIndex((*window)[d], position[d], offset[d]),
                             Index::axis(offset[d]), Index::axis(position[d]));
    return std::move(convolution).describe(Expr::load(0, call.type(0)), build::mayLeave(*window));
}

/// A dimension of a transposed convolution: output position h = s*hq + hr sums over the window
/// offsets r = s*rq + (hr + p) mod s, and for each the input position floor((h + p - r) / s).
/// Without a common stride pattern (dilation, or extents that the stride does not divide), all
/// offsets are visited and those off the stride multiply by zero.
struct TransposedDim {
    Dim input, output, kernel;
    std::int64_t stride, dilation;
    Dim padBegin;
    int position = -1, phase = -1, offset = -1; // axes for hq (or h), hr and rq (or r)

    bool isPhased() const // by two axes
    {
        constexpr std::int64_t longestTable = 1 << 16; // of the window's offsets
        return stride > 1 && dilation == 1 && kernel.isConstant() && padBegin.isConstant() &&
               output.isConstant() && kernel.value() % stride == 0 &&
               output.value() % stride == 0 && kernel.value() <= longestTable;
    }
    void addPosition(Stage &stage, const std::string &name);
    void addOffset(Stage &stage, const std::string &name);

    Index inputIndex() const;
    Index weightIndex() const;
    Index outputIndex() const;
    /// Returns the condition that an offset is on the stride, or nothing where all are.
    Result<Expr> onStride(const Call &call) const;
};

void TransposedDim::addPosition(Stage &stage, const std::string &name)
{
    position = add(stage, name, isPhased() ? Dim::floorDiv(output, stride) : output);
    if (isPhased())
        phase = add(stage, name + "'", stride);
}

void TransposedDim::addOffset(Stage &stage, const std::string &name)
{
    offset = add(stage, name, isPhased() ? Dim::floorDiv(kernel, stride) : kernel, Kind::Reduce);
}

Index TransposedDim::inputIndex() const
{
    Index index = Index::axis(position, isPhased() ? stride : 1, padBegin);
    if (isPhased())
        index.terms.push_back({phase, 1});
    index.terms.push_back({offset, isPhased() ? -stride : -dilation});
    index.divide = stride;
    return index;
}

Index TransposedDim::weightIndex() const
{
    if (!isPhased())
        return Index::axis(offset);
    std::vector<std::int64_t> taps; // by s * rq + hr
    for (std::int64_t t = 0; t < kernel.value(); ++t)
        taps.push_back(t / stride * stride + (t % stride + padBegin.value()) % stride);
    Index index = Index::axis(offset, stride);
    index.terms.push_back({phase, 1});
    index.table = std::make_shared<const std::vector<std::int64_t>>(std::move(taps));
    return index;
}

Index TransposedDim::outputIndex() const
{
    Index index = Index::axis(position, isPhased() ? stride : 1);
    if (isPhased())
        index.terms.push_back({phase, 1});
    return index;
}

Result<Expr> TransposedDim::onStride(const Call &call) const
{
    if (isPhased() || stride == 1)
        return Expr();
    if (!padBegin.isConstant())
        return call.refuse("its padding depends on an unknown extent");
    const Expr at = Expr::axis(position) - Expr::axis(offset) * Expr::integer(dilation) +
                    Expr::integer(padBegin.value());
    return Expr::binary(Fn::Equal, Expr::binary(Fn::Mod, at, Expr::integer(stride)),
                        Expr::integer(0));
}

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
    Convolution convolution(call, Channels::All);
    GL_TRY(convolution.check());
    GL_TRY_RESULT(window, transposedOf(call, convolution.kernel()));
    GL_TRY(convolution.checkBias());

    const std::size_t dims = window->size();
    const auto positions = build::positionNames(dims), offsets = build::windowNames(dims);
    convolution.addSamples();
    convolution.addOutputChannels();
    for (std::size_t d = 0; d < dims; ++d)
        (*window)[d].addPosition(convolution.stage, positions[d]);
    convolution.addInputChannels(Kind::Reduce);
    for (std::size_t d = 0; d < dims; ++d)
        (*window)[d].addOffset(convolution.stage, offsets[d]);

    convolution.mapChannels();
    Expr onStride;
    for (const TransposedDim &dim : *window) {
        convolution.mapImage(dim.inputIndex(), dim.weightIndex(), dim.outputIndex());
        GL_TRY_CONST(hit, dim.onStride(call));
        if (!hit->empty())
            onStride = onStride.empty() ? *hit : Expr::binary(Fn::And, onStride, *hit);
    }
    Expr feature = Expr::load(0, call.type(0));
    if (!onStride.empty())
        feature = Expr::select(onStride, feature, 0.0);
    return std::move(convolution).describe(feature, true);
}

/// Uses the convolution that the operator transposes: x[n,i,h] * w[i,o,r] is added to
/// y[n,o,s*h+d*r-p], so the gradient of y is read there.
Result<bool> convTransposeGradient(AdjointBuilder &builder)
{
    const Call &call = builder.call();
    if (builder.input() > 1 || !builder.isGiven(0))
        return false; // the bias is added to every element
    Convolution loops(call, Channels::All);
    GL_TRY_CONST(window, transposedOf(call, loops.kernel()));
    const std::size_t dims = window->size();
    const auto positions = build::positionNames(dims), offsets = build::windowNames(dims);
    loops.addSamples();
    loops.addInputChannels(Kind::Space);
    loops.addOutputChannels();
    loops.mapChannels();
    for (std::size_t d = 0; d < dims; ++d) {
        const TransposedDim &dim = (*window)[d];
        const int h = add(loops.stage, positions[d], dim.input);
        const int r = add(loops.stage, offsets[d], dim.kernel);
        Index to = Index::axis(h, dim.stride, Dim(0) - dim.padBegin);
        to.terms.push_back({r, dim.dilation});
        loops.mapImage(Index::axis(h), Index::axis(r), std::move(to));
    }
    Scatter scatter;
    scatter.axes = std::move(loops.stage.axes);
    scatter.target = builder.input() == 0 ? loops.input : loops.weights;
    scatter.reads = {{builder.gradientOf(0), loops.stage.write, Read::Outside::Value, 0},
                     builder.input() == 0 ? build::readInput(1, std::move(loops.weights))
                                          : build::readInput(0, std::move(loops.input))};
    const DataType type = call.type(0);
    scatter.factor = Expr::load(0, type) * Expr::load(1, type);
    builder.gather(scatter, 0);
    return true;
}

Result<Description> matMul(const Call &call)
{
    const Shape &a = call.shape(0), &b = call.shape(1);
    if (a.empty() || b.empty())
        return call.refuse("its inputs must have rank 1 or more");
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
        return call.refuse("its inputs must be matrices, but have shapes " + text(a) + " and " +
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

/// Uses one axis per letter; an ellipsis stands for leading axes that broadcast.
class Einsum {
public:
    explicit Einsum(const Call &call)
        : m_call(call), m_equation(call.attributes().text("equation", ""))
    {
        std::erase(m_equation, ' ');
        m_arrow = m_equation.find("->");
    }

    Result<Description> describe()
    {
        GL_TRY(readTerms());
        GL_TRY(labelInputs());
        GL_TRY(addAxes(m_arrow != std::string::npos ? explicitOutput() : implicitOutput()));
        multiply();
        return build::single(m_call.type(0), std::move(m_stage));
    }

private:
    static constexpr std::string_view dots = "...";

    std::string quoted() const { return "equation \"" + m_equation + "\""; }

    Result<void> readTerms()
    {
        m_terms.resize(1);
        for (const char c : m_equation.substr(0, m_arrow))
            c == ',' ? m_terms.emplace_back() : m_terms.back() += std::string(1, c);
        if (m_terms.size() != m_call.inputCount())
            return m_call.refuse(quoted() + " does not match " +
                                 std::to_string(m_call.inputCount()) + " inputs");
        for (std::size_t t = 0; t < m_terms.size(); ++t)
            if (const auto at = m_terms[t].find(dots); at != std::string::npos) {
                if (m_call.rank(t) + 3 < m_terms[t].size())
                    return m_call.refuse(quoted() + " has more labels than input " +
                                         std::to_string(t) + " has dimensions");
                m_ellipsis = std::max(m_ellipsis, m_call.rank(t) + 3 - m_terms[t].size());
            }
        return {};
    }

    /// Returns a label for each dimension: letters, and '0', '1'… for the axes of the ellipsis,
    /// aligned at its end.
    std::string labelsOf(const std::string &term, std::size_t rank) const
    {
        const auto at = term.find(dots);
        if (at == std::string::npos)
            return term;
        std::string expanded;
        const std::size_t count = rank + 3 - term.size();
        for (std::size_t e = m_ellipsis - count; e < m_ellipsis; ++e)
            expanded += char('0' + e);
        return term.substr(0, at) + expanded + term.substr(at + 3);
    }

    Result<void> labelInputs()
    {
        for (std::size_t t = 0; t < m_terms.size(); ++t) {
            const std::string &labels = m_inputs.emplace_back(labelsOf(m_terms[t], m_call.rank(t)));
            if (labels.size() != m_call.rank(t))
                return m_call.refuse(quoted() + " expects input " + std::to_string(t) +
                                     " to have " + std::to_string(labels.size()) +
                                     " dimensions, but it has " + std::to_string(m_call.rank(t)));
            for (std::size_t d = 0; d < labels.size(); ++d)
                GL_TRY(unify(labels[d], m_call.shape(t)[d]));
        }
        return {};
    }

    /// Notes the extent of a label; extents of one broadcast.
    Result<void> unify(char label, const Dim &extent)
    {
        const auto [known, added] = m_extents.try_emplace(label, extent);
        if (added || known->second == extent || extent == Dim(1))
            return {};
        if (known->second == Dim(1) || !known->second.isConstant())
            known->second = extent;
        else if (extent.isConstant())
            return m_call.refuse("label '" + std::string(1, label) + "' of " + quoted() +
                                 " has extents " + known->second.text() + " and " + extent.text());
        return {};
    }

    std::string explicitOutput() const
    {
        return labelsOf(m_equation.substr(m_arrow + 2),
                        m_ellipsis + m_equation.size() - m_arrow - 2 -
                            (m_equation.find(dots, m_arrow) != std::string::npos ? 3 : 0));
    }

    /// Returns the ellipsis, then every letter that occurs once, in alphabetical order.
    std::string implicitOutput() const
    {
        std::map<char, int> count;
        for (const std::string &labels : m_inputs)
            for (const char label : labels)
                ++count[label];
        std::string output;
        for (const auto &[label, times] : count)
            if (times == 1 || label <= '9')
                output += label;
        return output;
    }

    Result<void> addAxes(const std::string &output)
    {
        for (const char label : output) {
            if (!m_extents.contains(label) || m_axis.contains(label))
                return m_call.refuse("the output of " + quoted() +
                                     " must consist of distinct labels of its inputs");
            m_axis[label] = add(m_stage, std::string(1, label), m_extents[label]);
            m_stage.write.push_back(Index::axis(m_axis[label]));
        }
        for (const auto &[label, extent] : m_extents)
            if (!m_axis.contains(label))
                m_axis[label] = add(m_stage, std::string(1, label), extent, Kind::Reduce);
        return {};
    }

    void multiply()
    {
        for (std::size_t t = 0; t < m_inputs.size(); ++t) {
            IndexMap map;
            for (std::size_t d = 0; d < m_inputs[t].size(); ++d) {
                const char label = m_inputs[t][d];
                map.push_back(m_call.shape(t)[d] == Dim(1) && !(m_extents[label] == Dim(1))
                                  ? Index::constant(0)
                                  : Index::axis(m_axis[label]));
            }
            m_stage.reads.push_back(build::readInput(int(t), std::move(map)));
            const Expr load = Expr::load(int(t), m_call.type(t));
            m_stage.body = t == 0 ? load : m_stage.body * load;
        }
        m_stage.combine = Combine::Sum;
    }

    const Call &m_call;
    std::string m_equation;
    std::size_t m_arrow = 0;           // its position, or npos
    std::vector<std::string> m_terms;  // of the inputs, as written
    std::size_t m_ellipsis = 0;        // axes that "..." stands for
    std::vector<std::string> m_inputs; // the labels of their dimensions
    std::map<char, Dim> m_extents;     // by label
    std::map<char, int> m_axis;
    Stage m_stage;
};

Result<Description> einsum(const Call &call)
{
    return Einsum(call).describe();
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
