// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/emit/c_values.h"

#include "engine/codegen/index/c_names.h"

#include <algorithm>

namespace graphloom {

// A read becomes C by what its offset depends on. Of
//
//     y[o] = sum i: x[i] * W[o,i]        vectorize o by 8, x row-major, W packed as [o/8][i][o%8]
//
// - x[i] does not depend on the lane: a scalar, `const float v0 = b0[i];`, named in the loop over
//   i, the deepest one that its offset depends on (levelOf).
// - W[o,i] is, packed, at (o/8 * I + i) * 8 + lane: what is left of the offset without the lane
//   does not depend on it, so it is one vector, `const vf v1 = gv_load(b1 + …);`. With fewer than 8
//   lanes in use, gv_load_n(…, n).
// - Were W row-major, the lane would be multiplied by I: `(vf){b1[…], b1[… + I], …}`, lane by lane.
// - A read with a border, x[i + r - 1] without margins, is `inside ? load : value`: for a vector
//   with one test where its lanes are inside together, that is where the dimension that they run
//   along is inside as a whole; else lane by lane.
// - A lookup, x[index[i]], is put into words once for each lane (m_loads), and its level is that of
//   the deepest loop of what it looks up.

CValues::Value CValues::loaded(ReadIndex number, const NestPoint &point)
{
    if (!goesOn())
        return {};
    // Lookups share what they look up: each is put into words once.
    const std::pair key(number, point.lane);
    if (const auto known = m_loads.find(key); known != m_loads.end())
        return known->second;
    return m_loads[key] = loadOf(number, point);
}

CValues::Value CValues::loadOf(ReadIndex number, const NestPoint &point)
{
    const NestRead &read = m_nest.reads[number];
    const BlockTensor &tensor = (*m_job.tensors)[read.tensor];
    const DataType type = tensor.type;
    const auto packed = std::ranges::find(m_packed, number, &PackedOperand::read);
    const bool isPacked = packed != m_packed.end();
    const std::string buffer =
        isPacked ? "b" + std::to_string(
                             m_job.packedBuffers[PackedIndex(packed - m_packed.begin())].number())
                 : bufferOf(read.tensor);
    const auto offsetAt = [&](const NestPoint &at) {
        return isPacked ? packedOffset(*packed, at)
                        : offsetOf(read.map, (*m_job.storages)[read.tensor], at);
    };
    const IndexForm offset = offsetAt(point);
    LevelIndex level = levelOf(offset);
    bool laneLooksUp = false;
    forEachLookedUp(offset, point, [&](const IndexForm &at) {
        level = std::max(level, levelOf(at));
        laneLooksUp = laneLooksUp || at.dependsOn(m_lane);
    });
    const bool isHalf = !cHalf(type).empty();
    const auto element = [&](const NestPoint &at) {
        const auto [pointer, constant] =
            addressOf(buffer, isPacked ? packedOffset(*packed, at) : offsetAt(at), at);
        std::string text = pointer + "[" + std::to_string(constant) + "]";
        if (type == DataType::Bool)
            text = "(" + text + " != 0)";
        else if (isIntegral(type))
            text = (type == DataType::Uint64 ? "(uint64_t)" : "(int64_t)") + text;
        else if (isHalf)
            text =
                "gs_load_" + cHalf(type) + "(" + pointer + " + " + std::to_string(constant) + ")";
        LevelIndex ignored = outermost;
        if (read.guarded && !isPacked)
            if (const std::string test = inside(read, at, ignored); !test.empty())
                text = "(" + test + " ? " + text + " : " + cLiteral(read.outsideValue, type) + ")";
        return text;
    };
    Value value;
    value.level = level;
    value.kind = type == DataType::Double ? Value::Kind::Double
                 : isIntegral(type)       ? Value::Kind::Integer
                                          : Value::Kind::Float;
    value.isUnsigned = type == DataType::Uint64;
    bool guardsLanes = false;
    if (read.guarded && !isPacked && point.laneAxis.isValid())
        for (const IndexForm &form : read.map)
            guardsLanes = guardsLanes || formAt(form, point).dependsOn(m_lane);
    const bool varies =
        point.laneAxis.isValid() && (offset.dependsOn(m_lane) || laneLooksUp || guardsLanes);
    if (!varies) {
        if (read.guarded && !isPacked)
            inside(read, point, value.level);
        value.text = element(point);
        return named(value, "const " + typeOf(value));
    }
    value.vector = true;
    const bool isMask = type == DataType::Bool;
    if (isMask)
        value.kind = Value::Kind::Mask;
    else if (type != DataType::Float && !isHalf)
        fail("lanes of type " + std::string(graphloom::nameOf(type)));
    IndexForm rest = offset - IndexForm::variable(m_lane);
    if (guardsLanes) {
        // Lanes are inside together when the dimension that they run along is inside as a whole.
        for (std::size_t d = 0; d < read.map.size(); ++d)
            if (const IndexForm form = formAt(read.map[d], point); form.dependsOn(m_lane)) {
                const Bounds bounds = form.bounds(m_extents), stored = storedOf(read, d);
                if (bounds.least < stored.least || bounds.most > stored.most)
                    rest = IndexForm::variable(m_lane); // lane by lane
            }
    }
    if (!rest.dependsOn(m_lane) && !laneLooksUp) {
        const auto [pointer, constant] = addressOf(buffer, rest, point);
        const std::string address = pointer + " + " + std::to_string(constant);
        // Packed operands are padded to whole tiles, but not beyond an axis of fewer than a vector.
        const auto isVector = [&](const PackedOperand::Dimension &dimension) {
            return m_job.schedule->loops()[dimension.loop].kind == Loop::Kind::Vector &&
                   dimension.count >= m_options.lanes;
        };
        const bool whole = point.lanes == m_options.lanes ||
                           (isPacked && std::ranges::any_of(packed->dimensions, isVector));
        const std::string load = isMask   ? "gv_load_mask"
                                 : isHalf ? "gv_load_" + cHalf(type)
                                          : "gv_load";
        value.text = whole ? load + "(" + address + ")"
                           : load + "_n(" + address + ", " + std::to_string(point.lanes) + ")";
        if (read.guarded && !isPacked) {
            if (const std::string test = inside(read, point, value.level); !test.empty())
                value.text =
                    "(" + test + ") ? " + value.text + " : " +
                    (isMask ? std::string("gv_splati(") + (read.outsideValue > 0 ? "-1" : "0")
                            : "gv_splat(" + cLiteral(read.outsideValue, DataType::Float)) +
                    ")";
        }
    } else {
        value.text = isMask ? "(vi){" : "(vf){";
        std::string_view between;
        for (const Lane lane : firstIndices<Lane>(point.lanes)) {
            NestPoint at = atLane(point, lane);
            if (read.guarded && !isPacked)
                inside(read, at, value.level);
            value.text.append(between).append(isMask ? "-(int32_t)" : "").append(element(at));
            between = ", ";
        }
        value.text += "}";
    }
    return named(value, "const " + typeOf(value));
}

NestPoint CValues::atLane(const NestPoint &point, Lane lane) const
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

CValues::Value CValues::insideOf(ReadIndex number, const NestPoint &point)
{
    const NestRead &read = m_nest.reads[number];
    Value value;
    value.kind = Value::Kind::Integer;
    for (const IndexForm &form : read.map)
        if (point.laneAxis.isValid() && formAt(form, point).dependsOn(m_lane)) {
            value.vector = true;
            value.kind = Value::Kind::Mask;
        }
    // Of the tensor itself, whatever its margins hold.
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
    value.text = "(vi){";
    std::string_view between = "-";
    for (const Lane lane : firstIndices<Lane>(point.lanes)) {
        value.text.append(between).append(test(atLane(point, lane)));
        between = ", -";
    }
    value.text += "}";
    return named(value, "const " + typeOf(value));
}

} // namespace graphloom
