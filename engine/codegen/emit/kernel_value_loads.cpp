// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/emit/kernel_values.h"

#include "engine/base/integer_division.h"
#include "engine/codegen/index/c_names.h"
#include "engine/codegen/index/expr_edit.h"
#include "engine/codegen/schedule/image_reads.h"

#include <algorithm>

namespace graphloom {

// The C code of a read depends on the loops and lanes in its offset. For example, in
//
//     y[o] = sum i: x[i] * W[o,i]        vectorize o by 8, x row-major, W packed as [o/8][i][o%8]
//
// - x[i] does not depend on the lane. It is a scalar, `const float v0 = b0[i];`, named in the loop
//   over i, the deepest one that its offset depends on (levelOf).
// - W[o,i] is packed at (o/8 * I + i) * 8 + lane. The offset minus the lane does not depend on the
//   lane, so the read is one vector load, `const vf v1 = gv_load(b1 + …);`, or gv_load_n(…, n) if
//   only n < 8 lanes are in use.
// - With a row-major W, lanes would be I apart and loaded one by one: `(vf){b1[…], b1[… + I], …}`.
// - A read with a border, x[i + r - 1] without margins, is `inside ? load : value`. A vector needs
//   one test if its lanes are inside together, that is, if the dimension that they run along is
//   always inside; otherwise, each lane has a test of its own.
// - Where machines multiply by an element of a vector (CodeOptions::byElement) and i is unrolled,
//   x[i] to x[i + 3] are one load, `const vf v0 = gv_load_elements(b0 + i);`, and v0[0] to v0[3];
//   so are elements of neighbouring windows, x[2 * w + s], where w and s are unrolled (findRuns).
// - An operand that is an image (Schedule::image()) has no addresses. If what its offset depends on
//   moves by whole texels, lanes and elements are those of texels: `gv_load_image(b1, v2 + 8)`,
//   `gs_texel(b1, v2 + 8, 1)`; otherwise, each element selects its own.
// - A lookup, x[index[i]], is written once for each lane (m_loads). Its level is that of the
//   deepest loop that the value it looks up depends on.

namespace {

/// Tells whether what an offset depends on moves it by whole texels.
bool movesByTexels(const IndexForm &offset)
{
    return std::ranges::all_of(offset.terms(),
                               [](const auto &term) { return term.second % texelElements == 0; });
}

/// Tells whether an element at an offset is always the first one of a texel.
bool beginsTexels(const IndexForm &offset)
{
    return movesByTexels(offset) && offset.offset() % texelElements == 0;
}

/// Returns an offset as a text: "v2 + 8".
std::string addressText(const std::pair<std::string, std::int64_t> &address)
{
    return address.first + " + " + std::to_string(address.second);
}

} // namespace

KernelValues::Value KernelValues::loaded(ReadIndex number, const NestPoint &point)
{
    if (!goesOn())
        return {};
    // Lookups may share a read, which is written once.
    const std::pair key(number, point.lane);
    if (const auto known = m_loads.find(key); known != m_loads.end())
        return known->second;
    return m_loads[key] = loadOf(number, point);
}

KernelValues::Value KernelValues::loadOf(ReadIndex number, const NestPoint &point)
{
    const LoadSource source = sourceOf(number);
    const IndexForm offset = offsetOf(source, point);
    Value value;
    value.level = levelOf(offset);
    bool laneLooksUp = false;
    forEachLookedUp(offset, point, [&](const IndexForm &at) {
        value.level = std::max(value.level, levelOf(at));
        laneLooksUp = laneLooksUp || at.dependsOn(m_lane);
    });
    value.kind = kindOf(source.type);
    value.isUnsigned = source.type == DataType::Uint64;
    const bool isGuardedByLane = guardsLanes(source, point);
    value.vector =
        point.laneAxis.isValid() && (offset.dependsOn(m_lane) || laneLooksUp || isGuardedByLane);
    if (!value.vector) {
        if (const auto element = elementOfVector(number, source, offset, point))
            return *element;
        if (source.guarded)
            inside(source.read, point, value.level);
        value.text = elementOf(source, point);
        return named(value, "const " + typeOf(value));
    }
    if (source.isMask())
        value.kind = Value::Kind::Mask;
    else if (source.type != DataType::Float && !source.isHalf())
        fail("lanes of type " + std::string(graphloom::nameOf(source.type)));
    const IndexForm rest = offset - IndexForm::variable(m_lane);
    const bool isTogether = !isGuardedByLane || lanesAreTogether(source, point);
    value.text = isTogether && !rest.dependsOn(m_lane) && !laneLooksUp
                     ? vectorOf(source, rest, point, value.level)
                     : joinedLanes(source, point, value.level);
    return named(value, "const " + typeOf(value));
}

void KernelValues::findRuns(const std::vector<NestPoint> &uses)
{
    m_runs.clear();
    if (uses.empty() || uses.front().elementLoop.isValid() || !uses.front().laneAxis.isValid())
        return;
    for (const ReadIndex read : readsIn(m_nest.body)) {
        const LoadSource source = sourceOf(read);
        if (source.type != DataType::Float || m_options.halves || source.guarded ||
            source.isImage || std::ranges::any_of(source.read.map, &IndexForm::hasLookup))
            continue;
        if (offsetOf(source, uses.front()).dependsOn(m_lane))
            continue;
        std::vector<std::pair<IndexForm, std::set<std::int64_t>>> found; // by what is not constant
        for (const NestPoint &point : uses) {
            const IndexForm offset = offsetOf(source, point);
            const IndexForm rest = offset - IndexForm(offset.offset());
            auto of = std::ranges::find(found, rest, &decltype(found)::value_type::first);
            if (of == found.end())
                of = found.insert(found.end(), {rest, {}});
            of->second.insert(offset.offset());
        }
        for (const auto &[rest, constants] : found)
            for (auto at = constants.begin(); at != constants.end();) {
                const std::int64_t first = *at;
                int count = 0;
                for (; count < m_options.lanes && at != constants.end() && *at == first + count;
                     ++at)
                    ++count;
                if (count == m_options.lanes)
                    m_runs[read].push_back(rest + IndexForm(first));
            }
    }
}

std::optional<IndexForm> KernelValues::beginOfVector(ReadIndex read, const LoadSource &source,
                                                     const IndexForm &offset,
                                                     const NestPoint &point)
{
    if (!point.elementLoop.isValid()) {
        for (const IndexForm &begin : m_runs[read])
            if (const IndexForm element = offset - begin;
                element.isConstant() && element.offset() >= 0 && element.offset() < m_options.lanes)
                return begin;
        return std::nullopt;
    }
    const std::int64_t first = point.at[point.elementLoop].offset() - std::int64_t(point.element);
    IndexForm begin;
    for (int i = 0; i < m_options.lanes; ++i) {
        NestPoint neighbour = point;
        neighbour.at[point.elementLoop] = IndexForm(first + i);
        const IndexForm at = offsetOf(source, neighbour);
        if (i == 0)
            begin = at;
        else if (!(at - begin == IndexForm(i)))
            return std::nullopt;
    }
    return offset - begin == IndexForm(point.element) ? std::optional(begin) : std::nullopt;
}

std::optional<KernelValues::Value> KernelValues::elementOfVector(ReadIndex read,
                                                                 const LoadSource &source,
                                                                 const IndexForm &offset,
                                                                 const NestPoint &point)
{
    if (!point.laneAxis.isValid() ||
        source.type != (m_options.halves ? DataType::Float16 : DataType::Float) || source.guarded)
        return std::nullopt;
    const auto begin = beginOfVector(read, source, offset, point);
    if (!begin || (source.isImage && !beginsTexels(*begin)))
        return std::nullopt;
    const auto element = int((offset - *begin).offset());
    Value vector;
    vector.vector = true;
    vector.level = levelOf(*begin);
    vector.text = source.isImage ? texelsOf(source, *begin, point)
                                 : "gv_load_elements(" +
                                       addressText(addressOf(source.buffer, *begin, point)) + ")";
    Value value = named(vector, "const vf");
    m_elements[m_options.language->laneOf(value.text, element)] = {value.text, element};
    value.vector = false;
    value.text = m_options.language->laneOf(value.text, element);
    return value;
}

KernelValues::LoadSource KernelValues::sourceOf(ReadIndex number) const
{
    const NestRead &read = m_nest.reads[number];
    const DataType type = (*m_job.tensors)[read.tensor].type;
    const auto packed = std::ranges::find(m_packed, number, &PackedOperand::read);
    if (packed != m_packed.end()) {
        const BufferIndex buffer = m_job.packedBuffers[PackedIndex(packed - m_packed.begin())];
        return {read, type, argumentOf(buffer), &*packed, false, isImage(number)};
    }
    if (isImage(number))
        return {read, type, argumentOf(m_job.images.at(number)), nullptr, read.guarded, true};
    return {read, type, bufferOf(read.tensor), nullptr, read.guarded, false};
}

std::string KernelValues::texelOf(const LoadSource &source, const IndexForm &offset,
                                  const NestPoint &point)
{
    auto address = addressOf(source.buffer, offset, point);
    if (!movesByTexels(offset))
        return "gs_load_image(" + source.buffer + ", " + addressText(address) + ")";
    const std::int64_t element = (address.second % texelElements + texelElements) % texelElements;
    address.second -= element;
    return "gs_texel(" + source.buffer + ", " + addressText(address) + ", " +
           std::to_string(element) + ")";
}

std::string KernelValues::texelsOf(const LoadSource &source, const IndexForm &offset,
                                   const NestPoint &point)
{
    return "gv_load_image(" + source.buffer + ", " +
           addressText(addressOf(source.buffer, offset, point)) + ")";
}

IndexForm KernelValues::offsetOf(const LoadSource &source, const NestPoint &point)
{
    return source.packed ? packedOffset(*source.packed, point)
                         : offsetOf(source.read.map, (*m_job.storages)[source.read.tensor], point);
}

std::string KernelValues::elementOf(const LoadSource &source, const NestPoint &point)
{
    const IndexForm offset = offsetOf(source, point);
    std::string text;
    if (source.isImage) {
        text = texelOf(source, offset, point);
    } else {
        const auto address = addressOf(source.buffer, offset, point);
        text = address.first + "[" + std::to_string(address.second) + "]";
        if (source.isMask())
            text = "(" + text + " != 0)";
        else if (isIntegral(source.type))
            text = (source.type == DataType::Uint64 ? "(uint64_t)" : "(int64_t)") + text;
        else if (source.isHalf())
            text = "gs_load_" + cHalf(source.type) + "(" + addressText(address) + ")";
    }
    LevelIndex ignored = outermost;
    if (source.guarded)
        if (const std::string test = inside(source.read, point, ignored); !test.empty())
            text = "(" + test + " ? " + text + " : " +
                   cLiteral(source.read.outsideValue, source.type) + ")";
    return text;
}

bool KernelValues::guardsLanes(const LoadSource &source, const NestPoint &point)
{
    return source.guarded && point.laneAxis.isValid() &&
           std::ranges::any_of(source.read.map, [&](const IndexForm &form) {
               return formAt(form, point).dependsOn(m_lane);
           });
}

bool KernelValues::lanesAreTogether(const LoadSource &source, const NestPoint &point)
{
    // Lanes are inside together if the dimension that they run along is always inside.
    bool isTogether = true;
    for (std::size_t d = 0; d < source.read.map.size(); ++d)
        if (const IndexForm form = formAt(source.read.map[d], point); form.dependsOn(m_lane)) {
            const Bounds bounds = form.bounds(m_extents), stored = storedOf(source.read, d);
            if (bounds.least < stored.least || bounds.most > stored.most)
                isTogether = false;
        }
    return isTogether;
}

std::string KernelValues::vectorOf(const LoadSource &source, const IndexForm &offset,
                                   const NestPoint &point, LevelIndex &level)
{
    // Packed operands are padded to whole tiles, except along axes shorter than a vector.
    const auto isVector = [&](const PackedOperand::Dimension &dimension) {
        return m_job.schedule->loops()[dimension.loop].kind == Loop::Kind::Vector &&
               dimension.count >= m_options.lanes;
    };
    const bool whole = point.lanes == m_options.lanes ||
                       (source.packed && std::ranges::any_of(source.packed->dimensions, isVector));
    if (source.isImage && !(whole && beginsTexels(offset)))
        return joinedLanes(source, point, level);
    const auto place = addressOf(source.buffer, offset, point);
    const std::string address = addressText(place);
    const std::string load = source.isMask()   ? "gv_load_mask"
                             : source.isHalf() ? "gv_load_" + cHalf(source.type)
                                               : "gv_load";
    // A prefetch fetches a line of 16 floats.
    const std::int64_t ahead =
        source.packed && !source.isImage && whole && !source.isHalf() && place.second % 16 == 0
            ? m_job.schedule->prefetchBytes(source.packed->read)
            : 0;
    constexpr std::int64_t near = 16 * 1024; // a half of a first-level cache
    std::string text = source.isImage ? texelsOf(source, offset, point)
                       : ahead > 0    ? load + (ahead > near ? "_far" : "") + "_ahead(" + address +
                                         ", " + std::to_string(ahead) + ")"
                       : whole ? load + "(" + address + ")"
                               : load + "_n(" + address + ", " + std::to_string(point.lanes) + ")";
    if (source.guarded)
        if (const std::string test = inside(source.read, point, level); !test.empty()) {
            const double outside = source.read.outsideValue;
            text = "(" + test + ") ? " + text + " : " +
                   (source.isMask() ? std::string("gv_splati(") + (outside > 0 ? "-1" : "0")
                                    : "gv_splat(" + cLiteral(outside, DataType::Float)) +
                   ")";
        }
    return text;
}

void KernelValues::prefetchTiles(const std::vector<LoopIndex> &reductions, const LoopForms &at)
{
    const Schedule &schedule = *m_job.schedule;
    const Loops &loops = schedule.loops();
    const auto isOverSpace = [&](LoopIndex loop) {
        return !schedule.reduces(loops[loop]) && loops[loop].kind != Loop::Kind::Unrolled &&
               loops[loop].kind != Loop::Kind::Vector;
    };
    for (const PackedOperand &operand : m_packed) {
        LoopIndex tile;
        for (const PackedOperand::Dimension &dimension : operand.dimensions)
            if (isOverSpace(dimension.loop))
                tile = dimension.loop;
        if (!tile.isValid() || !schedule.tilePrefetches().contains(operand.read) ||
            isImage(operand.read))
            continue;
        NestPoint begin; // of the part
        begin.at = at;
        std::int64_t part = 1; // in elements
        for (const PackedOperand::Dimension &dimension : operand.dimensions)
            if (dimension.loop > tile) {
                begin.at[dimension.loop] = IndexForm(0);
                part *= dimension.count;
            }
        IndexForm iteration;
        std::int64_t iterations = 1;
        for (const LoopIndex loop : IndexRange(tile + 1, loops.nextIndex()))
            if (isOverSpace(loop) || std::ranges::count(reductions, loop) > 0) {
                const std::int64_t count = ceilDiv(spanOf(loops, loop, m_nest), loops[loop].step);
                iteration = iteration * count + at[loop];
                iterations *= count;
            }
        if (iterations > part)
            continue;
        // Several iterations share a line, or else each fetches some of its own.
        constexpr std::int64_t lineBytes = 64;
        const std::int64_t line =
            lineBytes / std::int64_t(bytesOf((*m_job.tensors)[operand.tensor].type, 1)); // elements
        const std::int64_t lines = ceilDiv(part, iterations * line);
        const std::int64_t share = lines > 1 ? lines * line : (part + iterations / 2) / iterations;
        const BufferIndex buffer = m_job.packedBuffers[PackedIndex(&operand - &*m_packed.begin())];
        const auto [pointer, constant] = addressOf(
            argumentOf(buffer), packedOffset(operand, begin) + part + iteration * share, begin);
        Level &level = m_levels.back();
        for (std::int64_t l = 0; l < lines; ++l)
            level.code += padOf(level.depth) + "gv_fetch(" + pointer + " + " +
                          std::to_string(constant + l * line) + ");\n";
    }
}

std::string KernelValues::joinedLanes(const LoadSource &source, const NestPoint &point,
                                      LevelIndex &level)
{
    std::vector<std::string> lanes;
    for (const Lane lane : firstIndices<Lane>(point.lanes)) {
        const NestPoint at = atLane(point, lane);
        if (source.guarded)
            inside(source.read, at, level);
        lanes.push_back((source.isMask() ? "-(int32_t)" : "") + elementOf(source, at));
    }
    return m_options.language->vectorOf(source.isMask() ? "vi" : "vf", lanes, m_options.lanes);
}

NestPoint KernelValues::atLane(const NestPoint &point, Lane lane) const
{
    NestPoint at = point;
    const Loops &loops = m_job.schedule->loops();
    for (const LoopIndex loop : loops.indices())
        if (loops[loop].kind == Loop::Kind::Vector)
            at.at[loop] = IndexForm(lane.number());
    at.laneAxis = {};
    at.lanes = 0;
    at.lane = lane;
    return at;
}

KernelValues::Value KernelValues::insideOf(ReadIndex number, const NestPoint &point)
{
    const NestRead &read = m_nest.reads[number];
    Value value;
    value.kind = Value::Kind::Integer;
    for (const IndexForm &form : read.map)
        if (point.laneAxis.isValid() && formAt(form, point).dependsOn(m_lane)) {
            value.vector = true;
            value.kind = Value::Kind::Mask;
        }
    // Tests against the tensor itself, without its margins.
    const std::vector<std::int64_t> &extents = (*m_job.tensors)[read.tensor].extents;
    const auto test = [&](const NestPoint &at) {
        const std::string text = within(
            read.map, at,
            [&](std::size_t d) {
                return Bounds{0, extents[d] - 1};
            },
            value.level);
        return text.empty() ? std::string("1") : "(" + text + ")";
    };
    if (!value.vector) {
        value.text = test(point);
        return named(value, "const " + typeOf(value));
    }
    std::vector<std::string> lanes;
    for (const Lane lane : firstIndices<Lane>(point.lanes))
        lanes.push_back("-" + test(atLane(point, lane)));
    value.text = m_options.language->vectorOf("vi", lanes, m_options.lanes);
    return named(value, "const " + typeOf(value));
}

} // namespace graphloom
