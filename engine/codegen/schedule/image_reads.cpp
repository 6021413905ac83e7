// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/schedule/image_reads.h"

#include "engine/codegen/index/index_map.h"
#include "engine/codegen/schedule/packed_operand.h"

#include <algorithm>
#include <cstdlib>

namespace graphloom {

namespace {

/// Describes how far a loop moves a read, in elements.
struct Move {
    std::int64_t elements = 0;
    bool isInCode = false; // by lanes or unrolled iterations
};

/// Returns the moves of the loops that the read depends on; none where they depend on data.
std::optional<std::vector<Move>> movesOf(const Nest &nest, const Schedule &schedule, ReadIndex read,
                                         const Storage &storage)
{
    const Loops &loops = schedule.loops();
    const auto isInCode = [&](LoopIndex at) {
        return loops[at].kind == Loop::Kind::Vector || loops[at].kind == Loop::Kind::Unrolled;
    };
    std::vector<Move> moves;
    if (schedule.packed().contains(read)) {
        const PackedOperands packed = packedOperandsOf(nest, schedule);
        const PackedOperand &operand = *std::ranges::find(packed, read, &PackedOperand::read);
        std::int64_t stride = 1;
        for (std::size_t d = operand.dimensions.size(); d-- > 0;) {
            moves.push_back({stride, isInCode(operand.dimensions[d].loop)});
            stride *= operand.dimensions[d].count;
        }
        return moves;
    }
    const IndexForm offset = offsetOf(nest.reads[read].map, storage);
    if (!offset.isAffine() || offset.offset() % texelElements != 0)
        return std::nullopt;
    for (const LoopIndex at : loops.indices())
        if (const auto step = offset.stepOf(loops[at].axis); step && *step != 0)
            moves.push_back({std::abs(*step) * loops[at].step, isInCode(at)});
    return moves;
}

} // namespace

std::int64_t operandElements(const Nest &nest, const Schedule &schedule, ReadIndex read,
                             const Storage &storage)
{
    const PackedOperands packed = packedOperandsOf(nest, schedule);
    const auto operand = std::ranges::find(packed, read, &PackedOperand::read);
    return operand != packed.end() ? operand->elements() : storage.elements;
}

bool readsTexels(const Nest &nest, const Schedule &schedule, ReadIndex read, const Storage &storage,
                 std::int64_t texels)
{
    const std::int64_t elements = operandElements(nest, schedule, read, storage);
    const auto moves = movesOf(nest, schedule, read, storage);
    if (!moves || elements % texelElements != 0 || elements / texelElements > texels)
        return false;
    const bool hasNeighbours = std::ranges::any_of(
        *moves, [](const Move &move) { return move.isInCode && move.elements == 1; });
    return hasNeighbours && std::ranges::all_of(*moves, [](const Move &move) {
               return move.isInCode || move.elements % texelElements == 0;
           });
}

} // namespace graphloom
