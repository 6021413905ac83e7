// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/derive/splits.h"
#include "engine/ops/describe/operator_table.h"

namespace graphloom {

/// Describes the part of a tensor that a part of a call reads or writes: positions [begin, end) of
/// one dimension, or the whole tensor if `dim` is -1.
struct TensorPart {
    int dim = -1;
    std::int64_t begin = 0, end = 0;
    bool operator==(const TensorPart &) const = default;
};

/// Holds a node that computes a part of a call from parts of its inputs. Immutable once made.
struct CallPart {
    Node node; // inputs and outputs are named as those of the whole call
    std::vector<TensorPart> inputs, outputs;
    /// Facts of the part of each input; absent where the call omits the input.
    std::vector<std::optional<Tensor>> operands;
    /// True, by input, if `operands` holds a constant that is neither the whole call's nor a part
    /// of it. Such a shape or list of pads must become an initializer of its own.
    std::vector<bool> replaced;
    Description description;
    std::int64_t opset = 1;

    Call call() const;
};

/// Returns the part of a tensor that steps [begin, end) of a split take.
TensorPart partOf(const SplitTensor &cut, const Shape &shape, std::int64_t begin, std::int64_t end);

/// Returns the whole call as a part of itself.
CallPart wholeCall(const Call &call, Description description);

/// Returns the node that computes steps [begin, end) of a split of a call, with the same operator.
/// The description tells what the part computes. Candidates are nodes whose attributes and constant
/// inputs are like the call's, with pads, extents and counts of the part; the one whose own
/// description says the same is taken. Fails (Model) naming the node if there is none: "Resize
/// cannot be computed in parts along dimension 2". Parts of parts are cut one after the other.
Result<CallPart> callPart(const CallPart &whole, const Split &split, std::int64_t begin,
                          std::int64_t end);
Result<CallPart> callPart(const Graph &graph, NodeId node, const Description &description,
                          const Split &split, std::int64_t begin, std::int64_t end,
                          const Opsets &opsets);

/// Returns the split of a part that cuts its tensors like a split of the whole call, or nothing if
/// the part no longer has it.
std::optional<Split> splitLike(const CallPart &part, const Split &split);

/// Tells whether nodes can compute the call in parts. Tries parts at both ends and in between.
bool canBeCut(const CallPart &whole, const Split &split);

} // namespace graphloom
