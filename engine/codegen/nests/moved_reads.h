// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/nests/index_price.h"
#include "engine/codegen/nests/nest_reads.h"

namespace graphloom {

/// What becomes of a nest's reads when it is inlined: each is read where the reader's indices say.
/// Knows the reads of a nest as long as they are few.
class MovedReads {
public:
    void add(MovedRead read);
    void add(const MovedReads &others);
    /// More than are known.
    bool areMany() const { return m_many; }

    /// These reads of `producer` as those of `reader`, which inlines it at `read`; `axes` are the
    /// producer's axes as forms over the reader's. Fails with the reason, in words, where it pays
    /// to keep the tensor between them, or indices would become too long or too many.
    tl::expected<MovedReads, std::string>
    through(const std::vector<IndexForm> &axes, const Nest &reader, const NestRead &read,
            const Nest &producer, const std::vector<BlockTensor> &tensors, Steps &steps) const;

    static std::string tooMany();

private:
    std::vector<MovedRead> m_reads;
    bool m_many = false; // more than are kept
};

} // namespace graphloom
