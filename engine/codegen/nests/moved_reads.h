// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/nests/index_price.h"
#include "engine/codegen/nests/nest_reads.h"

namespace graphloom {

/// Holds the reads of a nest as they become when it is inlined: each is read at the indices of the
/// reader. Keeps them only as long as they are few.
class MovedReads {
public:
    void add(MovedRead read);
    void add(const MovedReads &others);
    /// Tells whether there are more reads than it keeps.
    bool areMany() const { return m_many; }

    /// Returns these reads of `producer` as reads of `reader`, which inlines it at `read`; `axes`
    /// are the producer's axes as forms over the reader's. Fails with the reason, in words, if it
    /// pays to keep the tensor between them, or if indices would become too long or too many.
    tl::expected<MovedReads, std::string> through(const AxisForms &axes, const Nest &reader,
                                                  const NestRead &read, const Nest &producer,
                                                  const BlockTensors &tensors, Steps &steps) const;

    static std::string tooMany();

private:
    std::vector<MovedRead> m_reads;
    bool m_many = false; // more than are kept
};

} // namespace graphloom
