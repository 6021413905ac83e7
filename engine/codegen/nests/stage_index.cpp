// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/nests/stage_index.h"

#include <algorithm>

namespace graphloom {

namespace {

/// Limits the entries of a table that clamps, wraps or mirrors an index.
constexpr std::int64_t longestIndexTable = 1 << 16;

std::int64_t broughtInside(Read::Outside outside, std::int64_t at, std::int64_t extent)
{
    if (extent == 0)
        return 0; // never read
    if (outside == Read::Outside::Clamp || extent == 1)
        return std::clamp<std::int64_t>(at, 0, extent - 1);
    if (outside == Read::Outside::Wrap)
        return ((at % extent) + extent) % extent;
    const std::int64_t period = 2 * (extent - 1);
    const std::int64_t place = ((at % period) + period) % period;
    return place < extent ? place : period - place;
}

} // namespace

tl::unexpected<Error> refuseKernel(const Node &node, const std::string &why)
{
    return fail(Error::Kind::Model, "no kernel can be generated: " + why, node.label());
}

Result<IndexForm> formOf(const Node &node, const Index &index, const AxisExtents &extents,
                         std::int64_t dimension)
{
    const auto number = [](const Dim &dim) { return dim.constant(); };
    if (!number(index.offset) || !number(index.divide) || !number(index.modulo))
        return refuseKernel(node, "an index depends on an extent that is known only at run time");
    IndexForm form = index.offset.value();
    for (const Index::Term &term : index.terms) {
        if (!number(term.coefficient))
            return refuseKernel(node, "a stride is known only at run time");
        if (const AxisIndex axis(term.axis); extents[axis] != 1) // else always 0
            form = form + IndexForm::variable(axis) * term.coefficient.value();
    }
    if (index.divide.value() != 1)
        form = IndexForm::quotient(form, index.divide.value(), extents);
    if (index.modulo.value() != 0)
        form = IndexForm::remainder(form, index.modulo.value(), extents);
    if (index.table)
        form = IndexForm::table(index.table, form);
    if (index.lookup >= 0)
        form = form + IndexForm::lookup(ReadIndex(index.lookup), dimension);
    return form;
}

Result<NestRead> readOf(const Node &node, const Read &read, BlockTensorIndex tensor,
                        const std::vector<std::int64_t> &shape, const AxisExtents &extents)
{
    NestRead result;
    result.tensor = tensor;
    result.outsideValue = read.outsideValue;
    for (std::size_t d = 0; d < read.map.size(); ++d) {
        const std::int64_t extent = shape[d];
        GL_TRY_RESULT(form, formOf(node, read.map[d], extents, extent));
        const Bounds bounds = form->bounds(extents);
        if (form->hasLookup() && (read.outside != Read::Outside::Never || bounds.least < 0 ||
                                  bounds.most >= std::max<std::int64_t>(extent, 1)))
            return refuseKernel(
                node, "it reads at data-dependent positions, which may lie outside its input");
        if (read.outside != Read::Outside::Never && (bounds.least < 0 || bounds.most >= extent)) {
            if (read.outside == Read::Outside::Value) {
                result.guarded = true;
            } else {
                if (bounds.most - bounds.least >= longestIndexTable)
                    return refuseKernel(node, "it reads too far outside its input");
                std::vector<std::int64_t> inside;
                for (std::int64_t at = bounds.least; at <= bounds.most; ++at)
                    inside.push_back(broughtInside(read.outside, at, extent));
                form = IndexForm::table(
                    std::make_shared<const std::vector<std::int64_t>>(std::move(inside)),
                    *form - IndexForm(bounds.least));
            }
        }
        result.map.push_back(std::move(*form));
    }
    return result;
}

} // namespace graphloom
