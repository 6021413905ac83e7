// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/algebra/algebra.h"
#include "engine/ops/describe/operator_table.h"
#include "engine/rewrite/terms/rule.h"

#include <string>
#include <vector>

/// The operators that rules are made for, found in the operator table by what they compute.
namespace graphloom::dnnfusion {

/// An operator that applies a scalar function to its first input; further inputs are parameters
/// that hold for all elements (Clip's bounds).
struct UnaryOperator {
    std::string name;
    std::size_t inputs = 1;
    DataType type = DataType::Float; // of the example
    Elementwise function;            // of a call without attributes
};
const std::vector<UnaryOperator> &unaryOperators();

/// The operator that applies the function to its two inputs and does nothing else; "" if there is
/// none.
std::string operatorOf(Fn fn);
/// All functions of two arguments that have one.
const std::vector<Fn> &binaryFunctions();
/// The operator whose function of one argument is this one; "" if there is none.
std::string unaryOperatorOf(Fn fn);
/// The operator that gives 1 / x.
std::string reciprocalOperator();

/// The reduction that gathers elements with the function; "" if there is none.
std::string reductionOf(Fn fn);
std::string meanOperator();

/// Operators that move, repeat or leave out elements of their first input, by what they do to
/// their number.
struct MovementOperator {
    std::string name;
    std::size_t inputs = 1;
    enum class Effect { Fewer, Same, More } effect = Effect::Same;
    Instance instance; // of the example: "x" is the first input, "p1"… the others
    Shape result;      // of the example
};
const std::vector<MovementOperator> &movementOperators();

/// Operators with a sum of products of two inputs, linear in both.
struct BilinearOperator {
    std::string name;
    Instance instance; // of the example: inputs "x" and "w"
};
const std::vector<BilinearOperator> &bilinearOperators();

/// Operators that combine the elements of windows of their input with a function (MaxPool).
std::vector<std::string> poolingOperators(Fn fn);
/// Operators that give linear combinations of elements of their one input (AveragePool).
std::vector<std::string> linearPoolingOperators();

/// For which element types the function has the properties that algebra.h says.
unsigned elementTypesOf(Fn fn);
/// "Mul(a, b)" as readers write it: "a * b".
std::string textOf(Fn fn, const std::string &a, const std::string &b);

} // namespace graphloom::dnnfusion
