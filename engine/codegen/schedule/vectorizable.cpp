// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/schedule/vectorizable.h"

#include "engine/codegen/index/c_functions.h"
#include "engine/codegen/index/c_names.h"
#include "engine/codegen/index/expr_edit.h"
#include "engine/interpreter/stages/scalar_math.h"

#include <set>
#include <unordered_map>

namespace graphloom {

bool isVectorizable(const Nest &nest, const BlockTensors &tensors, AxisIndex axis)
{
    const auto readVaries = [&](ReadIndex read) {
        bool varies = false;
        std::set<ReadIndex> seen;
        const auto visit = [&](auto &self, ReadIndex number) -> void {
            if (!seen.insert(number).second)
                return;
            for (const IndexForm &form : nest.reads[number].map) {
                varies = varies || form.dependsOn(axis);
                form.forEachLookup([&](ReadIndex lookup) { self(self, lookup); });
            }
        };
        visit(visit, read);
        return varies;
    };
    bool possible = true;
    const auto check = [&](const Expr &expr) {
        std::unordered_map<const Expr::Node *, bool> varying;
        forEachPart(expr, [&](const Expr::Node &node) {
            bool varies = false;
            if (node.fn == Fn::Load || node.fn == Fn::Inside)
                varies = readVaries(readIn(node));
            else if (node.fn == Fn::Axis)
                varies = axisIn(node) == axis;
            else if (node.fn == Fn::Accumulator)
                varies = !nest.axes[axis].reduces;
            else
                for (const auto &argument : node.arguments)
                    varies = varies || (argument && varying[argument.get()]);
            varying[&node] = varies;
            if (!varies)
                return;
            const DataType type =
                node.fn == Fn::Load ? tensors[nest.reads[readIn(node)].tensor].type : node.type;
            const bool real = isOfLanes(type);
            if (!real && type != DataType::Bool && type != DataType::Undefined)
                possible = false;
            // Vectors of truth values are masks, which have no arithmetic.
            const bool ofTruth = arityOf(node.fn) == 2 &&
                                 node.arguments[0]->type == DataType::Bool &&
                                 node.arguments[1]->type == DataType::Bool;
            if (ofTruth && !scalar::isLogical(node.fn) && node.fn != Fn::Equal)
                possible = false;
            if (arityOf(node.fn) == 1 && node.arguments[0]->type == DataType::Bool &&
                node.fn != Fn::Cast && node.fn != Fn::Not)
                possible = false;
            if (node.fn == Fn::Axis || node.fn == Fn::Table || !hasVectorFunction(node.fn))
                possible = false;
        });
    };
    if (nest.reduces()) {
        check(nest.body);
        if (!isOfLanes(nest.accumulator) || nest.combine >= Combine::ArgMax)
            possible = false;
        if (nest.axes[axis].reduces && nest.combine == Combine::Product)
            possible = false;
    }
    if (!nest.axes[axis].reduces)
        for (const NestStore &store : nest.stores) {
            check(store.value);
            const DataType type = tensors[store.tensor].type;
            possible = possible && (type == DataType::Bool || isOfLanes(type));
        }
    return possible;
}

} // namespace graphloom
