// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/rules/joint.h"

namespace graphloom::magis {

Shape padded(const Shape &shape, int rank)
{
    Shape result(std::size_t(rank) - shape.size(), Dim(1));
    result.insert(result.end(), shape.begin(), shape.end());
    return result;
}

std::optional<Shape> joinedShape(std::span<const Shape> parts, const Joint &joint)
{
    if (joint.isStack()) {
        if (int(parts.front().size()) > joint.rank)
            return std::nullopt;
        for (const Shape &part : parts)
            if (part != parts.front())
                return std::nullopt;
        Shape whole{Dim(std::int64_t(parts.size()))};
        for (const Dim &extent : padded(parts.front(), joint.rank))
            whole.push_back(extent);
        return whole;
    }
    const auto at = std::size_t(joint.dim);
    Shape whole = parts.front();
    if (at >= whole.size())
        return std::nullopt;
    whole[at] = 0;
    for (const Shape &part : parts) {
        if (part.size() != whole.size())
            return std::nullopt;
        for (std::size_t d = 0; d < part.size(); ++d)
            if (d != at && part[d] != whole[d])
                return std::nullopt;
        whole[at] += part[at];
    }
    return whole;
}

} // namespace graphloom::magis
