// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/derive/splits.h"
#include "engine/ops/describe/operator_table.h"

namespace graphloom {

/// What a part of a call reads or writes of a tensor: positions [begin, end) of one dimension; all
/// of it where `dim` is -1.
struct TensorPart {
    int dim = -1;
    std::int64_t begin = 0, end = 0;
    bool operator==(const TensorPart &) const = default;
};

/// A node that computes a part of a call from parts of its inputs. Immutable once made.
struct CallPart {
    Node node; // inputs and outputs are named as those of the whole call
    std::vector<TensorPart> inputs, outputs;
    /// By input: what is known of the part of it; absent where the call omits it.
    std::vector<std::optional<Tensor>> operands;
    /// By input: is `operands` a constant other than the one of the whole call, or a part of it?
    /// Such a shape or list of pads is to be an initializer of its own.
    std::vector<bool> replaced;
    Description description;
    std::int64_t opset = 1;

    Call call() const;
};

/// The parts of the tensors that steps [begin, end) of a split take.
TensorPart partOf(const SplitTensor &cut, const Shape &shape, std::int64_t begin, std::int64_t end);

/// The call as a part of itself: all of it.
CallPart wholeCall(const Call &call, Description description);

/// The node that computes steps [begin, end) of a split of a call. It is the same operator: from
/// the description follows what the part computes, and of nodes whose attributes and constant
/// inputs are like the call's, with pads, extents and counts of the part, that one is taken whose
/// own description says the same. Fails (Model) naming the node where there is none: "Resize cannot
/// be computed in parts along dimension 2". Parts of parts are cut one after the other.
Result<CallPart> callPart(const CallPart &whole, const Split &split, std::int64_t begin,
                          std::int64_t end);
Result<CallPart> callPart(const Graph &graph, NodeId node, const Description &description,
                          const Split &split, std::int64_t begin, std::int64_t end,
                          const Opsets &opsets);

/// The split of a part that cuts its tensors like one of the whole call; none where the part does
/// not have it any more.
std::optional<Split> splitLike(const CallPart &part, const Split &split);

/// Can the call be computed in parts by nodes? Tries parts at both ends and in between.
bool canBeCut(const CallPart &whole, const Split &split);

} // namespace graphloom
