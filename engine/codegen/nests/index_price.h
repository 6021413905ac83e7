// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/nests/nest.h"

#include <set>
#include <span>

namespace graphloom {

/// Holds a read as another nest would have it; its numbers do not refer to that nest yet.
struct MovedRead {
    NestRead read;
    bool lookedUp = false; // an index uses its value
};

/// Estimates the scalar work, in the unit of workOf(), of computing where the reads of one nest
/// find their elements in row-major tensors. Work that two reads share is counted once. Work that
/// does not depend on an axis is hoisted out of its loop and counted once for all its points.
class IndexWork {
public:
    IndexWork(const BlockTensors &tensors, AxisExtents extents)
        : m_tensors(tensors), m_extents(std::move(extents))
    {
    }

    void add(const MovedRead &moved);
    double work() const { return m_work; }

private:
    void add(const IndexForm &form);
    double pointsOf(const IndexForm &form) const;

    const BlockTensors &m_tensors;
    AxisExtents m_extents;
    std::set<std::string> m_known; // keys of atoms
    double m_work = 0;
};

/// Returns the work of keeping a tensor in memory, in the same unit: each element is written and
/// read back.
double storingWork(const BlockTensor &tensor);

} // namespace graphloom
