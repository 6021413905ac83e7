// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/describe/operator_table.h"
#include "engine/ops/describe/stage.h"
#include "engine/rewrite/terms/cost.h"

#include <memory>
#include <optional>
#include <unordered_map>

namespace graphloom {

/// Holds what the operator table says of a call.
struct DescribedCall {
    std::shared_ptr<const Description> description; // null if the table refuses the call
    CallFacts facts;
    /// What is known of the outputs: type, shape and, for small integer tensors, elements.
    std::vector<Tensor> results;
};

/// Remembers what the operator table says of calls. Rules ask for calls of like operands over and
/// over: at each match, in each layer, and in each part of a fission.
class DescribedCalls {
public:
    /// Returns what is known of the call, valid as long as this object.
    const DescribedCall &operator[](const Call &call);

private:
    /// Describes a call and all others with its operator, attributes and number of outputs, and
    /// with inputs of which the same is known; names do not matter.
    struct Entry {
        Node node; // without tensors
        std::int64_t opset;
        std::vector<std::optional<Tensor>> inputs;
        DescribedCall known;

        bool isOf(const Call &call) const;
    };

    std::unordered_multimap<std::uint64_t, std::unique_ptr<const Entry>> m_entries; // by hash
};

} // namespace graphloom
