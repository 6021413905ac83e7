// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/emit/nest_emitter.h"

#include "engine/base/integer_division.h"
#include "engine/codegen/emit/code_text.h"
#include "engine/codegen/emit/kernel_values.h"
#include "engine/codegen/index/c_names.h"
#include "engine/codegen/schedule/half_arithmetic.h"
#include "engine/codegen/storage/margin_runs.h"

#include <algorithm>

namespace graphloom {

std::string storedLiteral(double value, DataType type)
{
    return cHalf(type).empty() ? cLiteral(value, type)
                               : std::to_string(elementOf(value, type).bits);
}

std::string taskVariable(LoopIndex loop)
{
    return "task" + std::to_string(loop.number());
}

namespace {

/// Returns the options for one nest: those of half precision have vectors of twice the lanes.
CodeOptions optionsOf(const NestJob &job, const CodeOptions &given)
{
    CodeOptions options = given;
    options.halves = given.halves && computesInHalf(*job.nest, *job.tensors);
    if (options.halves)
        options.lanes *= 2;
    return options;
}

/// Returns the code with the types and functions of half precision, which have other names in the
/// prelude (half_arithmetic.h).
std::string inHalf(const std::string &code)
{
    return withNames(code, [](std::string_view name) -> std::string {
        if (name == "vf")
            return "vh";
        if (name == "vi")
            return "vhi";
        return name.starts_with("gv_") ? "gh_" + std::string(name.substr(3)) : std::string(name);
    });
}

/// Writes the loops of a nest; KernelValues writes their bodies.
class NestEmitter {
public:
    NestEmitter(const NestJob &job, const std::optional<SlidingRows> &sliding,
                const CodeOptions &given)
        : m_job(job), m_sliding(sliding), m_nest(*job.nest), m_loops(job.schedule->loops()),
          m_options(optionsOf(job, given)), m_lanes(m_options.lanes),
          m_byElement(m_options.byElement), m_language(*m_options.language),
          m_values(job, m_options)
    {
        m_remaining = m_nest.extents();
        m_at.resize(m_loops.size());
    }

    Result<NestTask> run()
    {
        GL_TRY(m_job.schedule->check());
        for (const ReadIndex read : m_job.schedule->packed())
            if (const BlockTensor &tensor = (*m_job.tensors)[m_nest.reads[read].tensor];
                tensor.role != BlockTensor::Role::Constant || !isOfLanes(tensor.type))
                return fail(Error::Kind::Usage, "read " + std::to_string(read.number()) +
                                                    " cannot be packed: it is of no constant of "
                                                    "floats");
        NestTask code;
        for (const LoopIndex at : m_loops.indices()) {
            if (m_loops[at].kind != Loop::Kind::Parallel)
                break;
            code.counts.push_back(ceilDiv(spanOf(m_loops, at, m_nest), m_loops[at].step));
        }
        if (m_nest.points(false) == 0)
            code.counts.assign(1, 0);
        else
            code.body =
                newRows() + decoded(code.counts) + items(code.items) + emitLoop(LoopIndex(0), 3);
        if (m_options.halves)
            code.body = inHalf(code.body);
        if (!m_tooManyLanes.empty())
            return fail(Error::Kind::Usage, "the vector loop " + m_tooManyLanes +
                                                ", and a vector has " + std::to_string(m_lanes) +
                                                " lanes; tile it");
        if (m_values.error())
            return tl::unexpected(*m_values.error());
        code.declarations = m_values.declarations();
        return code;
    }

private:
    using Points = std::vector<NestPoint>;

    std::string nameOf(LoopIndex loop) const { return m_values.nameOf(loop); }

    /// Returns code that gives the parallel loops' variables the numbers of the task.
    std::string decoded(const IndexedVector<LoopIndex, std::int64_t> &counts) const
    {
        std::string text;
        for (const LoopIndex loop : counts.indices())
            text += "            const " + m_language.indexType() + " " + nameOf(loop) + " = " +
                    taskVariable(loop) + ";\n";
        return text;
    }

    bool isShared(const Loop &loop) const
    {
        return loop.kind == Loop::Kind::Item && m_language.hasItems();
    }
    /// Returns code that gives the variables of shared loops the numbers of the work-item, and how
    /// many items there are for.
    std::string items(std::int64_t &count) const
    {
        std::string text, rest = "item";
        for (std::size_t i = m_loops.size(); i-- > 0;) {
            const LoopIndex at{int(i)};
            if (!isShared(m_loops[at]))
                continue;
            const std::int64_t own = ceilDiv(spanOf(m_loops, at, m_nest), m_loops[at].step);
            text += "            const " + m_language.indexType() + " " + nameOf(at) + " = " +
                    rest + " % " + std::to_string(own) + ";\n";
            rest += " / " + std::to_string(own);
            count *= own;
        }
        return text;
    }

    /// Returns code that determines the rows that are new for the current tile, and fills those of
    /// them that are in the margins of a ring: nothing computes them.
    std::string newRows() const
    {
        if (!m_sliding)
            return "";
        const std::string pad(12, ' ');
        const RowWindow &window = m_job.window;
        const auto with = [](const std::string &row, std::int64_t offset) {
            return row + (offset < 0 ? " - " : " + ") + std::to_string(std::abs(offset));
        };
        const std::string stride = std::to_string(window.stride) + " * ";
        // The tile before ends at stride * (row - 1) + last.
        const std::int64_t later = std::max(window.first, window.last + 1 - window.stride);
        std::string from = with(stride + "row", window.first);
        if (later != window.first)
            from = "(row == strip_begin ? " + from + " : " + with(stride + "row", later) + ")";
        std::string text =
            pad + "const int64_t rows_from = " + from + ";\n" + pad +
            "const int64_t rows_to = " + with(stride + "(row_end - 1)", window.last + 1) + ";\n";
        for (const NestStore &store : m_nest.stores) {
            const Storage &storage = (*m_job.storages)[store.tensor];
            const std::size_t d = storage.ring.dimension;
            if (storage.ring.slots == 0 || storage.margins.empty() ||
                storage.margins[d] == std::pair<std::int64_t, std::int64_t>(0, 0))
                continue;
            const auto [before, after] = storage.margins[d];
            const std::int64_t extent = (*m_job.tensors)[store.tensor].extents[d];
            const std::string slot = std::to_string(storage.strides[d]);
            text += pad + "for (int64_t r = gi_max(rows_from, " + std::to_string(-before) +
                    "); r < gi_min(rows_to, " + std::to_string(extent + after) + "); ++r)\n" + pad +
                    "    if (r < 0 || r >= " + std::to_string(extent) + ")\n" + pad +
                    "        for (int64_t i = 0; i < " + slot + "; ++i)\n" + pad + "            " +
                    m_values.bufferOf(store.tensor) + "[((r + " + std::to_string(before) + ") & " +
                    std::to_string(storage.ring.slots - 1) + ") * " + slot + " + i] = " +
                    storedLiteral(storage.marginValue, (*m_job.tensors)[store.tensor].type) + ";\n";
        }
        return text;
    }

    /// Returns the code of a loop and everything inside it.
    std::string emitLoop(LoopIndex at, int depth)
    {
        const std::string pad(std::size_t(depth) * 4, ' ');
        const bool inner = !m_loops.contains(at) || m_job.schedule->reduces(m_loops[at]) ||
                           m_loops[at].kind == Loop::Kind::Unrolled ||
                           m_loops[at].kind == Loop::Kind::Vector;
        if (inner)
            return emitPoints(at, depth);
        const Loop &loop = m_loops[at];
        const std::int64_t remaining = m_remaining[loop.axis];
        const std::int64_t whole = remaining / loop.step, rest = remaining % loop.step;
        std::string text;
        const auto inside = [&](std::int64_t span, int inner_depth) {
            m_remaining[loop.axis] = span;
            std::string code = emitLoop(at + 1, inner_depth);
            m_remaining[loop.axis] = remaining;
            return code;
        };
        const auto last = [&](int inner_depth) {
            m_at[at] = IndexForm(whole);
            return inside(rest, inner_depth);
        };
        if (loop.kind == Loop::Kind::Parallel || isShared(loop)) {
            // Tasks are numbered as if every tile around this loop were full; the last one may have
            // fewer iterations.
            const std::int64_t count = ceilDiv(spanOf(m_loops, at, m_nest), loop.step);
            m_values.setExtent(at, std::max<std::int64_t>(whole, 1));
            m_at[at] = IndexForm::variable(variableOf(at));
            if (whole == count)
                return inside(loop.step, depth);
            if (whole > 0) {
                text = pad + "if (" + nameOf(at) + " < " + std::to_string(whole) + ") {\n";
                text += inside(loop.step, depth + 1) + pad + "}\n";
            }
            if (rest > 0) {
                text += pad + "if (" + nameOf(at) + " == " + std::to_string(whole) + ") {\n";
                text += last(depth + 1) + pad + "}\n";
            }
            return text;
        }
        if (loop.kind == Loop::Kind::Sliding) {
            m_values.setExtent(at, whole);
            m_at[at] = IndexForm::variable(variableOf(at));
            return pad + "for (" + m_language.indexType() + " " + nameOf(at) +
                   " = gi_max(rows_from, 0); " + nameOf(at) + " < gi_min(rows_to, " +
                   std::to_string(whole) + "); ++" + nameOf(at) + ") {\n" + inside(1, depth + 1) +
                   pad + "}\n";
        }
        if (whole == 1) {
            m_at[at] = IndexForm(0);
            text += pad + "{\n" + inside(loop.step, depth + 1) + pad + "}\n";
        } else if (whole > 1) {
            m_values.setExtent(at, whole);
            m_at[at] = IndexForm::variable(variableOf(at));
            text += pad + "for (" + m_language.indexType() + " " + nameOf(at) + " = 0; " +
                    nameOf(at) + " < " + std::to_string(whole) + "; ++" + nameOf(at) + ") {\n";
            text += inside(loop.step, depth + 1) + pad + "}\n";
        }
        if (rest != 0)
            text += pad + "{\n" + last(depth + 1) + pad + "}\n";
        return text;
    }

    /// Returns a point for each iteration of unrolled loops, with the lanes of the vector loop.
    Points pointsOf(const std::vector<LoopIndex> &loops, std::size_t next, NestPoint point,
                    AxisExtents remaining)
    {
        if (next == loops.size())
            return {point};
        const Loop &loop = m_loops[loops[next]];
        std::int64_t &span = remaining[loop.axis];
        if (loop.kind == Loop::Kind::Vector) {
            if (span > m_lanes)
                m_tooManyLanes = loop.name + " has " + std::to_string(span) + " iterations";
            point.lanes = int(span);
            point.laneAxis = loop.axis;
            return {point};
        }
        Points points;
        const std::int64_t whole = span;
        for (std::int64_t i = 0; i * loop.step < whole; ++i) {
            point.at[loops[next]] = IndexForm(i);
            span = std::min(loop.step, whole - i * loop.step);
            std::ranges::move(pointsOf(loops, next + 1, point, remaining),
                              std::back_inserter(points));
        }
        return points;
    }

    std::string emitPoints(LoopIndex at, int depth)
    {
        std::vector<LoopIndex> serialReductions, unrolledReductions, space;
        for (const LoopIndex loop : IndexRange(at, m_loops.nextIndex())) {
            const bool reduces = m_job.schedule->reduces(m_loops[loop]);
            if (!reduces || m_loops[loop].kind == Loop::Kind::Vector)
                space.push_back(loop);
            else if (m_loops[loop].kind == Loop::Kind::Unrolled)
                unrolledReductions.push_back(loop);
            else
                serialReductions.push_back(loop);
        }
        const bool lanesReduce = !space.empty() && m_job.schedule->reduces(m_loops[space.back()]);
        NestPoint origin;
        origin.at = m_at;
        m_values.begin(depth);
        const Points points =
            lanesReduce ? pointsOf({space.begin(), space.end() - 1}, 0, origin, m_remaining)
                        : pointsOf(space, 0, origin, m_remaining);
        std::string text;
        std::vector<std::string> accumulators;
        if (m_nest.reduces()) {
            const bool isOnce = serialReductions.empty() && m_nest.points(true) > 0;
            for (std::size_t p = 0; p < points.size(); ++p) {
                accumulators.push_back("acc" + std::to_string(p));
                m_values.declareAccumulator(accumulators.back(), points[p], lanesReduce, isOnce);
            }
            std::vector<LoopIndex> vectorLoop;
            if (lanesReduce)
                vectorLoop.push_back(space.back());
            emitReduction(serialReductions, 0, unrolledReductions, vectorLoop, points, accumulators,
                          m_remaining, m_at);
            if (lanesReduce)
                for (std::size_t p = 0; p < points.size(); ++p)
                    accumulators[p] = m_values.gathered(accumulators[p]);
        }
        if (m_nest.first.empty()) {
            for (const NestStore &store : m_nest.stores)
                m_values.store(store, points, accumulators);
            return m_values.end();
        }
        // Registers hold the values of one point at a time.
        for (const NestPoint &point : points) {
            m_values.prepare(m_nest.first, point);
            for (const NestStore &store : m_nest.stores)
                m_values.store(store, std::vector{point}, {});
        }
        return m_values.end();
    }

    /// Says which element of a vector of neighbours an iteration is, if the vector is full.
    void setElement(NestPoint &point, const NestPoint &step, const std::vector<LoopIndex> &unrolled,
                    const std::vector<LoopIndex> &vectorLoop, const AxisExtents &remaining) const
    {
        if (!m_byElement || unrolled.empty() || !vectorLoop.empty())
            return;
        const Loop &loop = m_loops[unrolled.back()];
        const IndexForm &at = step.at[unrolled.back()];
        if (loop.step != 1 || !at.isConstant())
            return;
        const std::int64_t element = at.offset() % m_lanes;
        if (at.offset() - element + m_lanes > remaining[loop.axis])
            return;
        point.elementLoop = unrolled.back();
        point.element = int(element);
    }

    void emitReduction(const std::vector<LoopIndex> &serial, std::size_t next,
                       const std::vector<LoopIndex> &unrolled,
                       const std::vector<LoopIndex> &vectorLoop, const Points &points,
                       const std::vector<std::string> &accumulators, AxisExtents remaining,
                       LoopForms at)
    {
        if (next == serial.size()) {
            m_values.prefetchTiles(serial, at);
            NestPoint origin;
            origin.at = at;
            std::vector<LoopIndex> loops = unrolled;
            loops.insert(loops.end(), vectorLoop.begin(), vectorLoop.end());
            std::vector<NestPoint> uses;
            for (const NestPoint &step : pointsOf(loops, 0, origin, remaining))
                for (std::size_t p = 0; p < points.size(); ++p) {
                    NestPoint point = points[p];
                    for (const LoopIndex loop : at.indices())
                        if (m_job.schedule->reduces(m_loops[loop]))
                            point.at[loop] = step.at[loop];
                    setElement(point, step, unrolled, vectorLoop, remaining);
                    if (!vectorLoop.empty()) {
                        point.lanes = step.lanes;
                        point.laneAxis = step.laneAxis;
                    }
                    uses.push_back(std::move(point));
                }
            if (m_byElement)
                m_values.findRuns(uses);
            for (std::size_t u = 0; u < uses.size(); ++u)
                m_values.accumulate(accumulators[u % points.size()], uses[u]);
            return;
        }
        const LoopIndex loopAt = serial[next];
        const Loop &loop = m_loops[loopAt];
        const std::int64_t span = remaining[loop.axis];
        const std::int64_t whole = span / loop.step, rest = span % loop.step;
        if (whole > 0) {
            remaining[loop.axis] = loop.step;
            at[loopAt] = whole > 1 ? IndexForm::variable(variableOf(loopAt)) : IndexForm(0);
            if (whole > 1)
                m_values.openLoop(loopAt, whole);
            emitReduction(serial, next + 1, unrolled, vectorLoop, points, accumulators, remaining,
                          at);
            if (whole > 1)
                m_values.closeLoop();
        }
        if (rest > 0) {
            remaining[loop.axis] = rest;
            at[loopAt] = IndexForm(whole);
            emitReduction(serial, next + 1, unrolled, vectorLoop, points, accumulators, remaining,
                          at);
        }
    }

    const NestJob &m_job;
    const std::optional<SlidingRows> &m_sliding;
    const Nest &m_nest;
    const Loops &m_loops;
    const CodeOptions m_options;
    std::int64_t m_lanes;
    bool m_byElement;
    const KernelLanguage &m_language;
    std::string m_tooManyLanes;
    KernelValues m_values;
    AxisExtents m_remaining; // extents inside the loops opened so far
    LoopForms m_at;
};

} // namespace

Result<NestTask> emitNest(const NestJob &job, const std::optional<SlidingRows> &sliding,
                          const CodeOptions &options)
{
    return NestEmitter(job, sliding, options).run();
}

} // namespace graphloom
