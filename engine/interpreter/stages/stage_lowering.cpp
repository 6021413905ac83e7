// SPDX-License-Identifier: Apache-2.0
#include "engine/interpreter/stages/stage_lowering.h"

#include <algorithm>
#include <cassert>
#include <limits>

namespace graphloom {

namespace {

__extension__ typedef __int128 Wide;
constexpr Wide farthest = Wide(1) << 62; // keeps every sum of the runner within 64 bits

struct Range {
    Wide least = 0, most = 0;
};

Wide floorDivide(Wide a, Wide b)
{
    const Wide quotient = a / b;
    return a % b < 0 ? quotient - 1 : quotient;
}

void collectAxes(const Expr::Node &node, std::vector<bool> &used)
{
    if (node.fn == Fn::Axis)
        used[std::size_t(node.index)] = true;
    for (const auto &argument : node.arguments)
        if (argument)
            collectAxes(*argument, used);
}

class Lowering {
public:
    Lowering(const Stage &stage, StageValues &values, const Call &call)
        : m_stage(stage), m_values(values), m_call(call)
    {
        m_lowered.stage = &stage;
    }

    Result<LoweredStage> run()
    {
        GL_TRY(lowerAxes());
        for (const Read &read : m_stage.reads) {
            GL_TRY_RESULT(map, lowerRead(read));
            m_lowered.reads.push_back(std::move(*map));
        }
        GL_TRY_RESULT(write, lowerMap(m_stage.write, m_values.value(m_stage.value)));
        m_lowered.write = std::move(*write);
        m_lowered.valueType = m_lowered.write.type;
        m_lowered.target = m_values.data(m_stage.value);
        for (LoweredMap &map : m_lowered.reads)
            GL_TRY(addDependencies(map, 0));
        GL_TRY(addDependencies(m_lowered.write, 0));
        for (int a = m_lowered.spaceAxes; a < m_lowered.axes(); ++a)
            if (m_lowered.write.depends[std::size_t(a)])
                return faultOf(m_call, "the write index of a stage depends on a reduction axis");
        findOrder();
        simplifyLoops();
        if (m_lowered.axes() > maxAxes)
            return m_call.refuse("needs more than " + std::to_string(maxAxes) + " nested loops");
        return std::move(m_lowered);
    }

private:
    Result<std::int64_t> known(const Dim &dim, const std::string &what) const
    {
        if (dim.isOverflow() || !dim.isConstant())
            return m_call.refuse("the " + what + " is unknown: " + dim.text());
        return dim.value();
    }

    Result<void> lowerAxes()
    {
        for (const Axis &axis : m_stage.axes) {
            GL_TRY_CONST(extent, known(axis.extent, "extent of loop " + axis.name));
            if (*extent < 0)
                return faultOf(m_call, "loop " + axis.name + " has a negative extent");
            if (axis.kind == Axis::Kind::Space) {
                if (m_lowered.spaceAxes != m_lowered.axes())
                    return faultOf(m_call, "a space axis follows a reduction axis");
                ++m_lowered.spaceAxes;
            }
            m_lowered.loopOf.push_back(m_lowered.axes());
            m_lowered.extents.push_back(*extent);
        }
        return {};
    }

    Result<LoweredMap> lowerRead(const Read &read)
    {
        auto map = lowerMap(read.map, m_values[read.operand]);
        if (map) {
            map->outside = read.outside;
            map->outsideValue = read.outsideValue;
        }
        if (read.operand == Operand{Operand::Kind::Value, m_stage.value})
            m_lowered.readsOwnValue = true;
        return map;
    }

    Result<LoweredMap> lowerMap(const IndexMap &indices, const StageTensor &tensor)
    {
        if (indices.size() != tensor.extents.size())
            return faultOf(m_call, "a map of " + std::to_string(indices.size()) +
                                       " dimensions is used for a tensor of rank " +
                                       std::to_string(tensor.extents.size()));
        LoweredMap map;
        map.type = tensor.type;
        map.data = tensor.data;
        map.steps.assign(m_lowered.extents.size(), 0);
        map.depends.assign(m_lowered.extents.size(), false);
        for (std::size_t d = 0; d < indices.size(); ++d) {
            GL_TRY_RESULT(index, lowerIndex(indices[d]));
            index->extent = tensor.extents[d];
            index->stride = tensor.strides[d];
            index->dimension = int(d);
            GL_TRY_CONST(range, rangeOf(*index));
            index->guarded = index->lookup >= 0 || range->least < 0 || range->most >= index->extent;
            for (std::size_t a = 0; a < map.steps.size(); ++a)
                if (index->coefficients[a] != 0)
                    map.depends[a] = true;
            if (index->guarded || !index->affine()) {
                map.special.push_back(std::move(*index));
                continue;
            }
            map.base += index->offset * index->stride;
            for (std::size_t a = 0; a < map.steps.size(); ++a)
                if (m_lowered.extents[a] > 1) // otherwise the step is never taken
                    map.steps[a] += index->coefficients[a] * index->stride;
        }
        return map;
    }

    Result<LoweredIndex> lowerIndex(const Index &index) const
    {
        LoweredIndex lowered;
        lowered.coefficients.assign(m_lowered.extents.size(), 0);
        for (const Index::Term &term : index.terms) {
            GL_TRY_CONST(factor, known(term.coefficient, "coefficient"));
            assert(std::size_t(term.axis) < lowered.coefficients.size());
            std::int64_t &sum = lowered.coefficients[std::size_t(term.axis)];
            if (__builtin_add_overflow(sum, *factor, &sum))
                return m_call.refuse("a coefficient exceeds 64-bit integers");
        }
        for (const auto &[from, to] :
             {std::pair(&index.offset, &lowered.offset), std::pair(&index.divide, &lowered.divide),
              std::pair(&index.modulo, &lowered.modulo)}) {
            GL_TRY_CONST(value, known(*from, "offset or divisor"));
            *to = *value;
        }
        if (lowered.divide <= 0 || lowered.modulo < 0)
            return faultOf(m_call, "an index divides by zero or a negative number");
        lowered.table = index.table;
        lowered.lookup = index.lookup;
        if (lowered.lookup >= int(m_stage.reads.size()))
            return faultOf(m_call, "an index looks up a missing read");
        return lowered;
    }

    /// Returns the range of the index, without its lookup.
    Result<Range> rangeOf(const LoweredIndex &index) const
    {
        Range range{index.offset, index.offset};
        Wide reach = index.offset < 0 ? -Wide(index.offset) : Wide(index.offset);
        for (std::size_t a = 0; a < index.coefficients.size(); ++a) {
            const Wide last = std::max<Wide>(Wide(m_lowered.extents[a]) - 1, 0);
            const Wide span = Wide(index.coefficients[a]) * last;
            (span < 0 ? range.least : range.most) += span;
            reach += span < 0 ? -span : span;
            if (reach > farthest)
                return m_call.refuse("an index exceeds 64-bit integers");
        }
        range = {floorDivide(range.least, index.divide), floorDivide(range.most, index.divide)};
        if (index.modulo > 0) {
            const Wide wraps = floorDivide(range.least, index.modulo);
            if (wraps == floorDivide(range.most, index.modulo))
                range = {range.least - wraps * index.modulo, range.most - wraps * index.modulo};
            else
                range = {0, index.modulo - 1};
        }
        if (index.table) {
            const auto &table = *index.table;
            if (std::ranges::find(m_lowered.extents, 0) != m_lowered.extents.end())
                return Range{0, -1}; // no point reads the table
            if (range.least < 0 || range.most >= Wide(table.size()))
                return faultOf(m_call, "an index is out of range of its table");
            const auto [least, most] =
                std::minmax_element(table.begin() + std::int64_t(range.least),
                                    table.begin() + std::int64_t(range.most) + 1);
            range = {*least, *most};
            if (range.least < -farthest || range.most > farthest)
                return m_call.refuse("an index exceeds 64-bit integers");
        }
        return range;
    }

    /// Adds the dependences of looked-up reads to the map that looks them up.
    Result<void> addDependencies(LoweredMap &map, std::size_t depth)
    {
        if (depth > m_lowered.reads.size())
            return faultOf(m_call, "the lookups of its reads form a cycle");
        for (const LoweredIndex &index : map.special) {
            if (index.lookup < 0)
                continue;
            LoweredMap &looked = m_lowered.reads[std::size_t(index.lookup)];
            if (!isIntegral(looked.type))
                return faultOf(m_call, "an index looks up a tensor that does not contain integers");
            GL_TRY(addDependencies(looked, depth + 1));
            for (std::size_t a = 0; a < map.depends.size(); ++a)
                map.depends[a] = map.depends[a] || looked.depends[a];
        }
        return {};
    }

    void findOrder()
    {
        const LoweredMap &write = m_lowered.write;
        m_lowered.ordered = m_lowered.readsOwnValue || !write.special.empty();
        // Elements are written once if each axis steps over all that shorter steps reach.
        std::vector<std::pair<std::int64_t, std::int64_t>> loops;
        for (int a = 0; a < m_lowered.spaceAxes; ++a)
            if (m_lowered.extents[std::size_t(a)] > 1)
                loops.emplace_back(std::abs(write.steps[std::size_t(a)]),
                                   m_lowered.extents[std::size_t(a)]);
        std::ranges::sort(loops);
        std::int64_t reach = 0;
        for (const auto &[step, extent] : loops) {
            if (step <= reach)
                m_lowered.ordered = true;
            reach += step * (extent - 1);
        }
    }

    /// Drops loops of one iteration, then joins neighbours that every map walks as one.
    void simplifyLoops()
    {
        std::vector<bool> used(m_lowered.extents.size(), false);
        collectAxes(*m_stage.body, used);
        if (!m_stage.finish.empty())
            collectAxes(*m_stage.finish, used);
        const bool gathersPosition = m_stage.combine >= Combine::ArgMax;
        for (int a = m_lowered.axes(); a-- > 0;)
            if (m_lowered.extents[std::size_t(a)] == 1)
                dropAxis(a, -1);
        for (int inner = m_lowered.axes() - 1; inner > 0; --inner) {
            const int outer = inner - 1;
            const bool sameKind = m_lowered.reduces(outer) == m_lowered.reduces(inner);
            if (!sameKind || (m_lowered.reduces(inner) && gathersPosition) || isUsed(used, outer) ||
                isUsed(used, inner) || !joinable(outer, inner))
                continue;
            std::int64_t joint = 0;
            if (__builtin_mul_overflow(m_lowered.extents[std::size_t(outer)],
                                       m_lowered.extents[std::size_t(inner)], &joint))
                continue;
            m_lowered.extents[std::size_t(inner)] = joint;
            dropAxis(outer, inner);
        }
    }

    bool isUsed(const std::vector<bool> &used, int loop) const
    {
        for (std::size_t a = 0; a < used.size(); ++a)
            if (used[a] && m_lowered.loopOf[a] == loop)
                return true;
        return false;
    }

    /// Calls visit(coefficients) for every list of numbers with one entry per axis.
    template <class Visit> void forEachRow(Visit visit)
    {
        const auto ofMap = [&](LoweredMap &map) {
            visit(map.steps);
            for (LoweredIndex &index : map.special)
                visit(index.coefficients);
        };
        for (LoweredMap &map : m_lowered.reads)
            ofMap(map);
        ofMap(m_lowered.write);
    }

    bool joinable(int outer, int inner)
    {
        const std::int64_t extent = m_lowered.extents[std::size_t(inner)];
        bool all = true;
        forEachRow([&](const std::vector<std::int64_t> &row) {
            if (Wide(row[std::size_t(outer)]) != Wide(row[std::size_t(inner)]) * extent)
                all = false;
        });
        return all;
    }

    /// Removes a loop; `heir`, if not negative, takes over the axes of the description.
    void dropAxis(int axis, int heir)
    {
        forEachRow([&](std::vector<std::int64_t> &row) { row.erase(row.begin() + axis); });
        const auto merge = [&](std::vector<bool> &depends) {
            if (heir >= 0 && depends[std::size_t(axis)])
                depends[std::size_t(heir)] = true;
            depends.erase(depends.begin() + axis);
        };
        for (LoweredMap &map : m_lowered.reads)
            merge(map.depends);
        merge(m_lowered.write.depends);
        if (axis < m_lowered.spaceAxes)
            --m_lowered.spaceAxes;
        m_lowered.extents.erase(m_lowered.extents.begin() + axis);
        for (int &loop : m_lowered.loopOf) {
            if (loop == axis)
                loop = heir;
            if (loop > axis)
                --loop;
        }
    }

    const Stage &m_stage;
    StageValues &m_values;
    const Call &m_call;
    LoweredStage m_lowered;
};

} // namespace

std::int64_t LoweredStage::points(int firstAxis, int endAxis) const
{
    std::int64_t count = 1;
    for (int a = firstAxis; a < endAxis; ++a)
        if (extents[std::size_t(a)] == 0)
            return 0;
    for (int a = firstAxis; a < endAxis; ++a)
        if (__builtin_mul_overflow(count, extents[std::size_t(a)], &count))
            return std::numeric_limits<std::int64_t>::max();
    return count;
}

Result<LoweredStage> lower(const Stage &stage, StageValues &values, const Call &call)
{
    return Lowering(stage, values, call).run();
}

tl::unexpected<Error> faultOf(const Call &call, const std::string &message)
{
    auto refused = call.refuse(message);
    refused.value().kind = Error::Kind::Fault;
    return refused;
}

} // namespace graphloom
