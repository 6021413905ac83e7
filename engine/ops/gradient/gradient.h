// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/describe/operator_table.h"

#include <span>
#include <string_view>

namespace graphloom {

/// Domain of nodes that compute gradients. Such a node has the name and attributes of its forward
/// operator. Its inputs are the forward node's inputs, its outputs and the gradients of its
/// outputs, without those that it does not read, and a partial sum if it adds to one (addingTo()).
/// Its only output is the gradient with respect to one input of the forward node.
inline constexpr std::string_view gradientDomain = "graphloom.gradient";

struct GradientNode {
    Node node; // without outputs
    DataType type = DataType::Undefined;
    Shape shape;
};

/// Returns the node that computes the gradient with respect to an input of a forward node.
/// `outputGradients` holds one tensor for each output of the forward node, invalid where no
/// gradient flows in. Tensors that the node does not read are not among its inputs, so that fewer
/// activations need to be kept. Elements that only describe the call (axes, shapes) and tensors of
/// symbolic shape stay inputs. Fails (Model) if there is no gradient.
Result<GradientNode> gradientNode(const Graph &graph, NodeId forward, int input,
                                  std::span<const TensorId> outputGradients, const Opsets &opsets);

/// Returns the input of its forward node that a gradient node is for.
int inputOfGradient(const Node &node);
/// Tells whether the node computes the gradient with respect to this input of an operator of
/// ai.onnx.
bool isGradientOf(const Node &node, std::string_view op, int input);

/// Tells whether the gradient node of this description can add its gradient to a partial sum. One
/// stage must write each element.
bool canAddToSum(const Node &node, const Description &description);
/// Returns the gradient node with a partial sum, of the type and shape of the gradient, as its last
/// input, to which it adds: one kernel instead of two, as with the beta of a matrix product (BLAS).
Node addingTo(Node gradient, TensorId sum);
/// Tells whether the gradient node adds to a partial sum, its last input.
bool addsToSum(const Node &node);

/// Describes an input of the forward node that its gradient node lacks, as the gradient node knows
/// it.
struct OmittedInput {
    std::size_t input;
    DataType type;
    Shape shape; // static
};
/// Returns the omitted inputs of a gradient node; none if the node is not a gradient node. Fails
/// (Model) if its attributes cannot be read.
Result<std::vector<OmittedInput>> omittedInputs(const Node &node);
/// Returns the attributes with these omitted inputs in place of those that they hold.
Attributes withOmittedInputs(const Attributes &attributes, std::span<const OmittedInput> omitted);

/// Returns the operator of gradient nodes of this name, or null if there is none.
const Operator *findGradientOperator(std::string_view name);

} // namespace graphloom
