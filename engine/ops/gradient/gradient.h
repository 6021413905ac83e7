// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/describe/operator_table.h"

#include <span>
#include <string_view>

namespace graphloom {

/// The domain of nodes that compute gradients. Such a node has the name and attributes of its
/// forward operator; its inputs are the forward node's inputs, its outputs, and the gradients of
/// its outputs, of which those are left out that it does not read, and a sum so far where it adds
/// to one (addingTo()). Its one output is the gradient by one input of the forward node.
inline constexpr std::string_view gradientDomain = "graphloom.gradient";

struct GradientNode {
    Node node; // without outputs
    DataType type = DataType::Undefined;
    Shape shape;
};

/// The node that computes the gradient by an input of a forward node. `outputGradients`: one for
/// each output of the forward node, invalid where none flows in. What the node does not read is no
/// input of it: so many activations need not be kept. Elements that only describe the call (axes,
/// shapes) and tensors of symbolic shape stay inputs. Fails (Model) where there is no gradient.
Result<GradientNode> gradientNode(const Graph &graph, NodeId forward, int input,
                                  std::span<const TensorId> outputGradients, const Opsets &opsets);

/// By which input of its forward node a gradient node is.
int inputOfGradient(const Node &node);
/// Does the node compute the gradient by this input of an operator of ai.onnx?
bool isGradientOf(const Node &node, std::string_view op, int input);

/// Can the gradient node of this description add its gradient to a sum so far? One stage has to
/// write each element.
bool canAddToSum(const Node &node, const Description &description);
/// The gradient node with a sum so far as its last input, of the type and shape of the gradient, to
/// which it adds: one kernel in place of two, as with the beta of a matrix product (BLAS).
Node addingTo(Node gradient, TensorId sum);
/// Does the gradient node add to a sum, its last input?
bool addsToSum(const Node &node);

/// An input of the forward node that its gradient node does not have, as it knows of it.
struct OmittedInput {
    std::size_t input;
    DataType type;
    Shape shape; // static
};
/// Those of a gradient node; none where it is no gradient node. Fails (Model) where its attributes
/// cannot be read.
Result<std::vector<OmittedInput>> omittedInputs(const Node &node);
/// The attributes with other ones in place of those.
Attributes withOmittedInputs(const Attributes &attributes, std::span<const OmittedInput> omitted);

/// The operator of gradient nodes of this name; null when no operator is called so.
const Operator *findGradientOperator(std::string_view name);

} // namespace graphloom
