// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/describe/operator_table.h"
#include "engine/ops/describe/stage.h"

#include <initializer_list>

/// Declares the building blocks of the entries of the operator table.
namespace graphloom::build {

/// Returns space axes over a shape, named n,c,h,w for rank 4, n,c,d,h,w for rank 5, else i,j,k…
std::vector<Axis> spaceAxes(const Shape &shape);
/// Returns the map whose dimension d is axis d.
IndexMap identityMap(std::size_t rank);
/// Returns the map of an operand that is broadcast to a shape (numpy rules): a dimension of extent
/// 1 reads element 0.
IndexMap broadcastMap(const Shape &operand, const Shape &result);
/// Returns the shape that the shapes broadcast to. Fails (Model) if their extents contradict each
/// other.
Result<Shape> broadcastShape(const Call &call, const std::vector<const Shape *> &shapes);

Read readInput(int input, IndexMap map);
Read readInput(int input, IndexMap map, double outside);
Read readValue(int value, IndexMap map);

/// Returns a description of one stage that writes the only output of the node.
Description single(DataType type, Stage stage);
/// Returns an elementwise stage over `result`, which computes body(loads of the inputs, broadcast).
Result<Description> elementwise(const Call &call, std::size_t inputs, DataType type,
                                const std::function<Expr(std::vector<Expr>)> &body);

/// Returns the value converted to a numeric element type. `saturates` has the meaning of Cast's
/// attribute of that name: reals beyond the range of an 8-bit real type become its largest number
/// if it is set, else infinite where the type has infinity, or NaN.
Expr castTo(const Expr &value, DataType type, bool saturates);

/// Returns a dimension number as ONNX writes it (negative: from the end) in 0..rank-1.
Result<int> normalizedAxis(const Call &call, std::int64_t axis, std::size_t rank);
/// Returns the list `axes`, normalized and sorted without duplicates, from the attribute `axes` or,
/// in newer opsets, from input `input`. Returns nothing if neither is given. Requires
/// !hasUnknownAxes().
Result<std::optional<std::vector<int>>> axesOf(const Call &call, std::size_t input,
                                               std::size_t rank);
/// Tells whether the axes are an input that is computed while the model runs.
bool hasUnknownAxes(const Call &call, std::size_t input);
/// Returns the length of a list in an input if its shape tells it, up to the greatest rank there
/// can be.
std::optional<std::size_t> lengthOf(const Call &call, std::size_t input);

/// Returns the extent of an opaque result that only the running model determines; inference gives
/// each such extent a symbol.
Dim unknownExtent();
bool isUnknown(const Dim &extent);
/// Returns an opaque description of a result whose shape an input holds, and of which at most the
/// rank is known.
Description unknownShape(const Call &call, std::size_t shapeInput, DataType type);
/// Returns an opaque description with what is known of the outputs.
Description opaque(std::string reason, std::vector<Value> values);

} // namespace graphloom::build
