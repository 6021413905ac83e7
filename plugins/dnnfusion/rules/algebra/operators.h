// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/algebra/algebra.h"
#include "engine/rewrite/terms/rule.h"

#include <string>
#include <vector>

/// The operators that rules are made for, found in the operator table by what they compute.
namespace graphloom::dnnfusion {

/// Describes an operator that applies a scalar function to its first input; further inputs are
/// parameters that hold for all elements (Clip's bounds).
struct UnaryOperator {
    std::string name;
    std::size_t inputs = 1;
    DataType type = DataType::Float; // of the example
    Elementwise function;            // of a call without attributes
};
const std::vector<UnaryOperator> &unaryOperators();

/// Returns the operator that applies the function to its two inputs and does nothing else; "" if
/// there is none.
std::string operatorOf(Fn fn);
/// Returns all functions of two arguments that have such an operator.
const std::vector<Fn> &binaryFunctions();
/// Returns the operator whose function of one argument is this one; "" if there is none.
std::string unaryOperatorOf(Fn fn);
/// Returns the operator that computes 1 / x.
std::string reciprocalOperator();

/// Returns the reduction that combines elements with the function; "" if there is none.
std::string reductionOf(Fn fn);
std::string meanOperator();

/// Describes an operator that moves, repeats or leaves out elements of its first input; `effect`
/// tells how their number changes.
struct MovementOperator {
    std::string name;
    std::size_t inputs = 1;
    enum class Effect { Fewer, Same, More } effect = Effect::Same;
    Instance instance; // of the example: "x" is the first input, "p1"… the others
    Shape result;      // of the example
};
const std::vector<MovementOperator> &movementOperators();

/// Describes an operator with a sum of products of two inputs, linear in both.
struct BilinearOperator {
    std::string name;
    Instance instance; // of the example: inputs "x" and "w"
};
const std::vector<BilinearOperator> &bilinearOperators();

/// Returns the operators that combine the elements of windows of their input with a function
/// (MaxPool).
std::vector<std::string> poolingOperators(Fn fn);
/// Returns the operators that compute linear combinations of elements of their one input
/// (AveragePool).
std::vector<std::string> linearPoolingOperators();

/// Returns the element types for which the function has the properties that algebra.h states.
unsigned elementTypesOf(Fn fn);
/// Returns a call of the function in the notation that people use: "a * b" rather than "Mul(a, b)".
std::string textOf(Fn fn, const std::string &a, const std::string &b);

} // namespace graphloom::dnnfusion
