// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/describe/body.h"
#include "engine/ops/describe/build.h"
#include "engine/ops/describe/stage.h"
#include "engine/ops/entries/entries.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

/// Attention as ONNX Runtime's optimizer writes it (ContribOperators.md): one product computes the
/// queries, keys and values from the input, and the heads attend side by side.
namespace graphloom::entries {

namespace {

using Kind = Axis::Kind;

/// Inputs by position.
enum { source, weights, bias, maskInput, pastInput, scoreBias };

/// Sizes of a call. Visible positions have a mask other than 0 (`Bits`), or lie before an end and,
/// if there is one, after a start (`Ends`).
struct Sizes {
    Dim batch, length, inner;
    Dim past = 0; // positions whose keys and values are given
    std::int64_t heads = 0;
    std::array<std::int64_t, 3> widths{}; // of queries, keys and values
    enum class Mask { None, Bits, Ends } mask = Mask::None;
    bool hasStarts = false;

    /// Positions that are attended to.
    Dim total() const { return past + length; }
};

Result<Sizes> sizesOf(const Call &call)
{
    Sizes sizes;
    sizes.heads = call.attributes().integer("num_heads", 0);
    if (call.rank(0) != 3 || call.rank(1) != 2)
        return call.refuse("its input and weights have shapes " + text(call.shape(0)) + " and " +
                           text(call.shape(1)) + "; expected three and two dimensions");
    sizes.batch = call.shape(0)[0];
    sizes.length = call.shape(0)[1];
    sizes.inner = call.shape(0)[2];
    const auto columns = call.shape(1)[1].constant();
    auto widths = call.attributes().integers("qkv_hidden_sizes");
    if (widths.empty() && columns)
        widths.assign(3, *columns / 3);
    const auto whole = [&](std::int64_t width) {
        return width > 0 && sizes.heads > 0 && width % sizes.heads == 0;
    };
    bool fits = widths.size() == 3 && columns && std::ranges::all_of(widths, whole);
    fits = fits && widths[0] == widths[1] &&
           std::accumulate(widths.begin(), widths.end(), std::int64_t{0}) == *columns &&
           !contradict(sizes.inner, call.shape(1)[0]);
    if (fits && call.has(2))
        fits = call.rank(2) == 1 && !contradict(call.shape(2)[0], *columns);
    if (!fits)
        return call.refuse("its weights of shape " + text(call.shape(1)) +
                           " do not match its input, bias and " + std::to_string(sizes.heads) +
                           " heads");
    std::ranges::copy(widths, sizes.widths.begin());
    if (call.outputCount() > 1 && widths[1] != widths[2])
        return call.refuse("its keys and values share an output, but their widths are " +
                           std::to_string(widths[1]) + " and " + std::to_string(widths[2]));
    if (call.has(pastInput)) {
        // Keys and values of the past: 2, batch, heads, positions, width of a head.
        const Shape &past = call.shape(pastInput);
        if (past.size() != 5 || contradict(past[0], 2) || contradict(past[1], sizes.batch) ||
            contradict(past[2], sizes.heads) ||
            contradict(past[4], sizes.widths[1] / sizes.heads) || widths[1] != widths[2])
            return call.refuse("its past of shape " + text(past) + " does not match its " +
                               std::to_string(sizes.heads) + " heads");
        sizes.past = past[3];
    }
    return sizes;
}

/// Determines the form of the mask; returns false for a form without stages.
bool readMask(const Call &call, Sizes &sizes)
{
    if (!call.has(maskInput))
        return true;
    const Shape &mask = call.shape(maskInput);
    if (mask.size() == 1) {
        sizes.mask = Sizes::Mask::Ends;
        sizes.hasStarts = mask[0] == sizes.batch * Dim(2);
        return sizes.hasStarts || mask[0] == sizes.batch;
    }
    sizes.mask = Sizes::Mask::Bits;
    const auto fits = [](const Dim &extent, const Dim &wanted) {
        return !contradict(extent, wanted);
    };
    switch (mask.size()) {
    case 2: // batch, position attended to
        return fits(mask[0], sizes.batch) && fits(mask[1], sizes.total());
    case 3: // batch, position that attends, position attended to
        return fits(mask[0], sizes.batch) && fits(mask[1], sizes.length) &&
               fits(mask[2], sizes.total());
    case 4: // the same up to a maximum number of positions, counted with the past
        return fits(mask[0], sizes.batch) && mask[1] == Dim(1) && fits(mask[2], mask[3]) &&
               (mask[3] - sizes.total()).constant().value_or(0) >= 0;
    default:
        return false;
    }
}

class Attention {
public:
    Attention(const Call &call, const Sizes &sizes)
        : m_call(call), m_sizes(sizes), m_heads(sizes.heads),
          m_type(call.type(0) == DataType::Double ? DataType::Double : DataType::Float)
    {
        m_description.values.resize(std::max<std::size_t>(call.outputCount(), 1),
                                    {call.type(0), std::nullopt, {}});
    }

    Description describe()
    {
        const int queries = project("queries", 0), keys = project("keys", 1),
                  values = project("values", 2);
        if (m_call.has(pastInput)) {
            readPast("past keys", 0, keys);
            readPast("past values", 1, values);
        }
        if (m_call.outputCount() > 1) {
            writePresent("present keys", 0, keys);
            writePresent("present values", 1, values);
        }
        const int scores = addScores(queries, keys);
        const int most = gather("max", Combine::Max, scores, [](const Expr &x) { return x; });
        const int sum = gather(
            "sum", Combine::Sum, scores,
            [&](const Expr &x) { return Expr::unary(Fn::Exp, x - Expr::load(1, m_type)); }, most);
        addContext(scores, most, sum, values);
        return std::move(m_description);
    }

private:
    enum { b, n, s, last }; // axes of most stages: batch, head, position, and one more

    Stage &add(std::string name, DataType type, std::vector<Axis> axes)
    {
        Stage stage;
        stage.name = std::move(name);
        stage.axes = std::move(axes);
        stage.value = int(m_description.values.size());
        m_description.values.push_back({type, std::nullopt, {}});
        m_description.stages.push_back(std::move(stage));
        return m_description.stages.back();
    }
    std::vector<Axis> axes(const char *name, Dim extent, Kind kind) const
    {
        return {{"b", m_sizes.batch, Kind::Space},
                {"n", m_heads, Kind::Space},
                {"s", m_sizes.length, Kind::Space},
                {name, std::move(extent), kind}};
    }
    std::int64_t headWidth(std::size_t part) const { return m_sizes.widths[part] / m_heads; }

    /// y[b,n,s,h] = sum of x[b,s,d] * w[d, the part's column of n and h] + bias.
    int project(const char *name, std::size_t part)
    {
        std::int64_t first = 0;
        for (std::size_t before = 0; before < part; ++before)
            first += m_sizes.widths[before];
        auto loops = axes("h", headWidth(part), Kind::Space);
        loops.push_back({"d", m_sizes.inner, Kind::Reduce});
        Stage &stage = add(name, m_type, std::move(loops));
        Index column = Index::axis(n, headWidth(part), first);
        column.terms.push_back({last, 1});
        stage.reads = {
            build::readInput(source, {Index::axis(b), Index::axis(s), Index::axis(last + 1)}),
            build::readInput(weights, {Index::axis(last + 1), column})};
        stage.write = build::identityMap(4);
        if (part > 0) // after the past
            stage.write[s].offset = m_sizes.past;
        stage.combine = Combine::Sum;
        stage.body = load(0, source) * load(1, weights);
        if (m_call.has(bias)) {
            stage.reads.push_back(build::readInput(bias, {column}));
            stage.finish = Expr::accumulator(m_type) + load(2, bias);
        }
        return stage.value;
    }

    /// A stage over batch, heads, `positions` and the width of a head.
    Stage copies(const char *name, const Dim &positions, int value) const
    {
        Stage stage;
        stage.name = name;
        stage.axes = axes("h", headWidth(1), Kind::Space);
        stage.axes[s] = {"t", positions, Kind::Space};
        stage.write = build::identityMap(4);
        stage.value = value;
        return stage;
    }
    /// y[b,n,t,h] = past[part,b,n,t,h]
    void readPast(const char *name, int part, int value)
    {
        Stage stage = copies(name, m_sizes.past, value);
        IndexMap map = stage.write;
        map.insert(map.begin(), Index::constant(part));
        stage.reads = {build::readInput(pastInput, std::move(map))};
        stage.body = load(0, pastInput);
        m_description.stages.push_back(std::move(stage));
    }
    /// present[part,b,n,t,h] = x[b,n,t,h]
    void writePresent(const char *name, int part, int value)
    {
        Stage stage = copies(name, m_sizes.total(), 1);
        stage.reads = {build::readValue(value, stage.write)};
        stage.write.insert(stage.write.begin(), Index::constant(part));
        stage.body = Expr::load(0, m_type);
        m_description.stages.push_back(std::move(stage));
    }

    /// y[b,n,s,t] = scale * sum of q[b,n,s,h] * k[b,n,t,h] + mask + bias.
    int addScores(int queries, int keys)
    {
        auto loops = axes("t", m_sizes.total(), Kind::Space);
        loops.push_back({"h", headWidth(0), Kind::Reduce});
        Stage &stage = add("scores", m_type, std::move(loops));
        const Index h = Index::axis(last + 1);
        stage.reads = {
            build::readValue(queries, {Index::axis(b), Index::axis(n), Index::axis(s), h}),
            build::readValue(keys, {Index::axis(b), Index::axis(n), Index::axis(last), h})};
        stage.write = build::identityMap(4);
        stage.combine = Combine::Sum;
        stage.body = Expr::load(0, m_type) * Expr::load(1, m_type);
        const double stated = m_call.attributes().real("scale", 0);
        const double scale = stated != 0 ? stated : 1 / std::sqrt(double(headWidth(0)));
        Expr score = Expr::accumulator(m_type) * scale;
        if (const Expr hidden = hides(stage); !hidden.empty())
            score = score +
                    Expr::select(
                        hidden,
                        Expr::real(m_call.attributes().real("mask_filter_value", -10000), m_type),
                        Expr::real(0, m_type));
        if (m_call.has(scoreBias)) {
            const Shape result{m_sizes.batch, m_heads, m_sizes.length, m_sizes.total()};
            score = score + load(stage.reads.size(), scoreBias);
            stage.reads.push_back(
                build::readInput(scoreBias, build::broadcastMap(m_call.shape(scoreBias), result)));
        }
        if (m_call.attributes().integer("unidirectional", 0) != 0)
            score = Expr::select(less(Expr::axis(s) + known(m_sizes.past), Expr::axis(last)),
                                 Expr::real(std::numeric_limits<float>::lowest(), m_type), score);
        stage.finish = score;
        return stage.value;
    }

    /// Returns whether the mask hides position t; empty without a mask.
    Expr hides(Stage &stage) const
    {
        if (m_sizes.mask == Sizes::Mask::None)
            return {};
        const auto read = [&](IndexMap map) {
            stage.reads.push_back(build::readInput(maskInput, std::move(map)));
            return Expr::cast(Expr::load(int(stage.reads.size()) - 1, m_call.type(maskInput)),
                              DataType::Int64);
        };
        if (m_sizes.mask == Sizes::Mask::Bits) {
            IndexMap map{Index::axis(b), Index::axis(last)};
            if (m_call.rank(maskInput) == 3)
                map.insert(map.begin() + 1, Index::axis(s));
            else if (m_call.rank(maskInput) == 4)
                map = {Index::axis(b), Index::constant(0), Index::axis(s, 1, m_sizes.past),
                       Index::axis(last)};
            return Expr::binary(Fn::Equal, read(std::move(map)), Expr::integer(0));
        }
        const Expr position = Expr::axis(last);
        Expr hidden = Expr::binary(Fn::LessOrEqual, read({Index::axis(b)}), position);
        if (m_sizes.hasStarts)
            hidden = Expr::binary(Fn::Or, hidden,
                                  less(position, read({Index::axis(b, 1, m_sizes.batch)})));
        return hidden;
    }

    /// Reduces over the positions t that a position attends to; `other` is read as well.
    int gather(const char *name, Combine combine, int scores,
               const std::function<Expr(const Expr &)> &body, int other = -1)
    {
        Stage &stage = add(name, m_type, axes("t", m_sizes.total(), Kind::Reduce));
        stage.reads = {build::readValue(scores, build::identityMap(4))};
        if (other >= 0)
            stage.reads.push_back(build::readValue(other, build::identityMap(3)));
        stage.write = build::identityMap(3);
        stage.combine = combine;
        stage.cancels = combine == Combine::Max;
        stage.initial = combine == Combine::Max ? -std::numeric_limits<double>::infinity() : 0;
        stage.body = body(Expr::load(0, m_type));
        return stage.value;
    }

    /// y[b, s, n and h] = sum of probabilities[b,n,s,t] * v[b,n,t,h].
    void addContext(int scores, int most, int sum, int values)
    {
        auto loops = axes("h", headWidth(2), Kind::Space);
        loops.push_back({"t", m_sizes.total(), Kind::Reduce});
        Stage stage;
        stage.name = "context";
        stage.axes = std::move(loops);
        const Index t = Index::axis(last + 1);
        const IndexMap row = build::identityMap(3);
        stage.reads = {build::readValue(scores, {row[b], row[n], row[s], t}),
                       build::readValue(most, row), build::readValue(sum, row),
                       build::readValue(values, {row[b], row[n], t, Index::axis(last)})};
        Index column = Index::axis(n, headWidth(2));
        column.terms.push_back({last, 1});
        stage.write = {Index::axis(b), Index::axis(s), column};
        stage.combine = Combine::Sum;
        const auto value = [&](int read) { return Expr::load(read, m_type); };
        stage.body = Expr::unary(Fn::Exp, value(0) - value(1)) / value(2) * value(3);
        m_description.stages.push_back(std::move(stage));
    }

    /// Loads a read of an input in the type of the computation.
    Expr load(std::size_t read, std::size_t input) const
    {
        return Expr::cast(Expr::load(int(read), m_call.type(input)), m_type);
    }

    const Call &m_call;
    const Sizes &m_sizes;
    std::int64_t m_heads;
    DataType m_type;
    Description m_description;
};

Result<Description> attention(const Call &call)
{
    GL_TRY_RESULT(sizes, sizesOf(call));
    const Dim width = sizes->widths[2];
    std::vector<Value> outputs{
        {call.type(0), Shape{sizes->batch, sizes->length, width}, {}},
        {call.type(0),
         Shape{2, sizes->batch, sizes->heads, sizes->total(), sizes->widths[1] / sizes->heads},
         {}}};
    const auto opaque = [&](std::string reason) {
        outputs.resize(std::max<std::size_t>(call.outputCount(), 1));
        return build::opaque(std::move(reason), std::move(outputs));
    };
    if (call.attributes().integer("do_rotary", 0) != 0)
        return opaque("rotary positions are not modelled");
    if (call.attributes().integer("past_present_share_buffer", 0) != 0)
        return opaque("a past that shares its memory with the present is not modelled");
    if (!readMask(call, *sizes))
        return opaque("a mask of shape " + text(call.shape(maskInput)) + " is not modelled");
    if (call.has(scoreBias)) {
        const Shape scores{sizes->batch, sizes->heads, sizes->length, sizes->total()};
        GL_TRY_CONST(whole, build::broadcastShape(call, {&call.shape(scoreBias), &scores}));
        if (call.rank(scoreBias) != 4)
            return call.refuse("its attention bias of shape " + text(call.shape(scoreBias)) +
                               " must have four dimensions");
    }
    return Attention(call, *sizes).describe();
}

constexpr std::array attentionEntries{
    Operator{"com.microsoft", "Attention", 1, 2, 7, 2, attention}.like(
        "[2,6,8] w[8,24] w[24] num_heads=2"),
};

} // namespace

std::span<const Operator> attentions()
{
    return attentionEntries;
}

} // namespace graphloom::entries
