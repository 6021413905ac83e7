// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/describe/operator_table.h"

#include <initializer_list>

/// What the entries of the operator table are written with.
namespace graphloom::build {

/// Space axes over a shape: named n,c,h,w for rank 4, n,c,d,h,w for rank 5, else i,j,k…
std::vector<Axis> spaceAxes(const Shape &shape);
/// Axis number `axis` in every dimension `axis`.
IndexMap identityMap(std::size_t rank);
/// The map of an operand that is broadcast to a shape (numpy rules): extent 1 reads element 0.
IndexMap broadcastMap(const Shape &operand, const Shape &result);
/// The shape that the shapes broadcast to; refuses contradicting extents.
Result<Shape> broadcastShape(const Call &call, const std::vector<const Shape *> &shapes);

Read readInput(int input, IndexMap map);
Read readInput(int input, IndexMap map, double outside);
Read readValue(int value, IndexMap map);

/// A description of one stage that writes the node's one output.
Description single(DataType type, Stage stage);
/// An elementwise stage over `result`: body(loads of the inputs, broadcast).
Result<Description> elementwise(const Call &call, std::size_t inputs, DataType type,
                                const std::function<Expr(std::vector<Expr>)> &body);

/// A conversion to an element type of numbers; `saturates` as Cast's attribute of that name: reals
/// beyond an 8-bit real type become its largest number if set, else NaN, or infinite where the
/// type has infinity.
Expr castTo(const Expr &value, DataType type, bool saturates);

/// A dimension number as ONNX writes it (negative: from the end), in 0..rank-1.
Result<int> normalizedAxis(const Call &call, std::int64_t axis, std::size_t rank);
/// The list `axes`, normalized, sorted, each once: attribute `axes`, or input `input` where newer
/// opsets have it. None when neither is given. Requires !hasUnknownAxes().
Result<std::optional<std::vector<int>>> axesOf(const Call &call, std::size_t input,
                                               std::size_t rank);
/// Are the axes in the input computed while the model runs?
bool hasUnknownAxes(const Call &call, std::size_t input);
/// How many elements a list in an input has, if its shape tells; at most as many as a rank can be.
std::optional<std::size_t> lengthOf(const Call &call, std::size_t input);

/// Extent of an opaque result that only the running model tells; inference gives each a symbol.
Dim unknownExtent();
bool isUnknown(const Dim &extent);
/// Opaque: a result of the shape that an input holds, of which at most the rank is known.
Description unknownShape(const Call &call, std::size_t shapeInput, DataType type);
/// Opaque description with what is known of the outputs.
Description opaque(std::string reason, std::vector<Value> values);

} // namespace graphloom::build
