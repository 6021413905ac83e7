// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"
#include "engine/interpreter/stages/scalar_math.h"
#include "engine/interpreter/stages/stage_lowering.h"

#include <memory>
#include <vector>

namespace graphloom {

/// Describes one operation on registers, each of which holds a strip of values of one bank.
struct Instruction {
    enum class Op : std::uint8_t {
        Load,
        Inside,
        Axis,
        Real,
        Integer,
        Table,
        OfReals,
        OfIntegers,
        TestOfReals,
        SelectReals,
        SelectIntegers,
        Round,
        Truncate,
        Convert,
        Wrap,
    };
    Op op = Op::Real;
    Fn fn = Fn::Add;
    DataType type = DataType::Undefined;  // of the result
    bool isUnsigned = false;              // the arguments are 64-bit unsigned integers
    int out = -1, a = -1, b = -1, c = -1; // registers
    int index = -1;                       // index of the read, or of the loop
    double real = 0;
    std::int64_t integer = 0;
    std::shared_ptr<const std::vector<std::int64_t>> table;
};

/// Holds the body and finish of a stage as straight-line code; common subexpressions are computed
/// once.
struct StageProgram {
    /// The instructions that run once; at every point of the space axes; at every point of all
    /// axes; and when the reduction of a point is complete, in this order.
    std::vector<Instruction> constants, outer, body, finish;
    std::vector<scalar::Bank> registers;
    int bodyResult = -1;
    DataType bodyType = DataType::Undefined;
    int accumulator = -1; // the same as bodyResult for stages without reduction
    /// The register that is stored, in the bank of the written value's type.
    int result = -1;
};

/// Compiles a stage to straight-line code. Fails (Model) if table entries are unknown, (Fault) if
/// expressions contradict their types.
Result<StageProgram> compile(const LoweredStage &stage, const Call &call);

} // namespace graphloom
