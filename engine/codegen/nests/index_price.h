// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/nests/nest.h"

#include <set>
#include <span>

namespace graphloom {

/// A read as another nest would have it, whose numbers are not that nest's yet.
struct MovedRead {
    NestRead read;
    bool lookedUp = false; // an index looks its value up
};

/// Scalar work, as workOf() counts it, that it takes to compute where reads of one nest find their
/// elements in row-major tensors. What two of them need is counted once, and what does not depend
/// on an axis once for all its points: it is taken out of that loop.
class IndexWork {
public:
    IndexWork(const std::vector<BlockTensor> &tensors, std::vector<std::int64_t> extents)
        : m_tensors(tensors), m_extents(std::move(extents))
    {
    }

    void add(const MovedRead &moved);
    double work() const { return m_work; }

private:
    void add(const IndexForm &form);
    double pointsOf(const IndexForm &form) const;

    const std::vector<BlockTensor> &m_tensors;
    std::vector<std::int64_t> m_extents;
    std::set<std::string> m_known; // keys of atoms
    double m_work = 0;
};

/// The same for keeping a tensor in memory: each element is written and read back.
double storingWork(const BlockTensor &tensor);

} // namespace graphloom
