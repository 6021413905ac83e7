// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/interpreter/stages/stage_program.h"
#include "engine/interpreter/stages/strip_access.h"

#include <vector>

namespace graphloom {

/// Holds a stage prepared to run on strips along one axis; shared by the threads that run it.
struct StripPlan {
    StripPlan(const LoweredStage &lowered, const StageProgram &code, int stripAxis);

    const LoweredStage &stage;
    const StageProgram &program;
    int axis; // -1: strips of one point
    std::vector<StripAccess> reads;
    StripAccess write;
};

/// Holds the registers of one thread and executes instructions on them.
class StripMachine {
public:
    StripMachine(const StripPlan &plan, StageFailure &failure);

    /// Runs the instructions on the strip of `count` points that starts at `at`.
    void run(const std::vector<Instruction> &code, const Point &at, int count);
    /// Stores the program's result for the strip of `count` points that starts at `at`.
    void store(const Point &at, int count);

    double *reals(int place) { return m_registers[std::size_t(place)].real; }
    std::int64_t *integers(int place) { return m_registers[std::size_t(place)].integer; }

private:
    union alignas(64) Register {
        double real[strip::stripLength];
        std::int64_t integer[strip::stripLength];
    };

    void run(const Instruction &instruction, const Point &at, int count);
    void lookUp(const Instruction &instruction, int count);

    const StripPlan &m_plan;
    StageFailure &m_failure;
    std::vector<Register> m_registers;
};

} // namespace graphloom
