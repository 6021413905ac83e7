// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/dim.h"
#include "engine/ir/dtype.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace graphloom {

/// Names the scalar functions of a stage's body. Floor-division and remainder of integers round
/// towards minus infinity (FloorDiv, Mod) or towards zero (Div, Fmod), as ONNX requires.
enum class Fn : std::uint8_t {
    // leaves
    Load,        // the element that read `index` points at
    Inside,      // 1 when read `index` points inside its tensor, else 0
    Axis,        // value of axis `index`
    Real,        // constant
    Integer,     // constant
    Table,       // entry of a list of known extents, indexed by the argument
    Accumulator, // what the reduction has accumulated; only in a stage's finish
    // one argument
    Cast,
    Negate,
    Abs,
    Sign,
    Not,
    BitNot,
    Floor,
    Ceil,
    Round,
    Sqrt,
    Exp,
    Log,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Asinh,
    Acosh,
    Atanh,
    Erf,
    IsNan,
    IsInf,
    // two arguments
    Add,
    Sub,
    Mul,
    Div,
    FloorDiv,
    Mod,
    Fmod,
    Pow,
    Min,
    Max,
    And,
    Or,
    Xor,
    BitAnd,
    BitOr,
    BitXor,
    ShiftLeft,
    ShiftRight,
    Equal,
    Less,
    LessOrEqual,
    // three arguments
    Select, // condition ? second : third
};

/// Holds a scalar expression as an immutable tree. `type` is the element type of its value: real
/// types are computed in double, integers in 64 bits, and rounded to the type by Cast and on
/// writing.
class Expr {
public:
    struct Node {
        Fn fn;
        DataType type = DataType::Undefined;
        int index = 0; // of the read or axis
        double real = 0;
        std::int64_t integer = 0;
        std::shared_ptr<const std::vector<Dim>> table;
        std::array<std::shared_ptr<const Node>, 3> arguments;
    };

    Expr() = default;
    /// Makes a literal, which takes the type of what it is combined with.
    Expr(double value);
    static Expr real(double value, DataType type);
    static Expr integer(std::int64_t value, DataType type = DataType::Int64);
    static Expr load(int read, DataType type);
    static Expr inside(int read);
    static Expr axis(int axis);
    static Expr table(std::vector<Dim> values, const Expr &index);
    static Expr accumulator(DataType type);
    static Expr cast(const Expr &value, DataType type);
    static Expr unary(Fn fn, const Expr &a); // Not, IsNan, IsInf are Bool; else the type of a
    static Expr binary(Fn fn, const Expr &a, const Expr &b); // comparisons are Bool
    static Expr select(const Expr &condition, const Expr &then, const Expr &otherwise);

    bool empty() const { return !m_node; }
    const Node &operator*() const { return *m_node; }
    const Node *operator->() const { return m_node.get(); }
    DataType type() const { return m_node->type; }
    /// Returns argument `i`. Requires that the function has as many.
    Expr argument(int i) const { return Expr(m_node->arguments[std::size_t(i)]); }

    friend Expr operator+(const Expr &a, const Expr &b) { return binary(Fn::Add, a, b); }
    friend Expr operator-(const Expr &a, const Expr &b) { return binary(Fn::Sub, a, b); }
    friend Expr operator*(const Expr &a, const Expr &b) { return binary(Fn::Mul, a, b); }
    friend Expr operator/(const Expr &a, const Expr &b) { return binary(Fn::Div, a, b); }
    friend Expr operator-(const Expr &a) { return unary(Fn::Negate, a); }

private:
    explicit Expr(Node node);
    explicit Expr(std::shared_ptr<const Node> node) : m_node(std::move(node)) {}

    std::shared_ptr<const Node> m_node;
};

/// Returns the name of the function as it is printed: "exp", "max", "+".
std::string_view nameOf(Fn fn);
int arityOf(Fn fn);
/// Tells whether the result of the function is true or false.
bool isPredicate(Fn fn);
/// Tells whether the function is computed by a series or an iteration: roots, exponentials, powers,
/// trigonometric functions and the like.
bool isElementary(Fn fn);

} // namespace graphloom
