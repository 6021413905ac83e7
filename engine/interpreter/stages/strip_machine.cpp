// SPDX-License-Identifier: Apache-2.0
#include "engine/interpreter/stages/strip_machine.h"

namespace graphloom {

using scalar::Bank;

namespace {

std::vector<StripAccess> accessesOf(const LoweredStage &stage, int axis)
{
    std::vector<StripAccess> accesses;
    for (const LoweredMap &map : stage.reads)
        accesses.emplace_back(stage, map, axis);
    return accesses;
}

} // namespace

StripPlan::StripPlan(const LoweredStage &lowered, const StageProgram &code, int stripAxis)
    : stage(lowered), program(code), axis(stripAxis), reads(accessesOf(lowered, stripAxis)),
      write(lowered, lowered.write, stripAxis)
{
}

StripMachine::StripMachine(const StripPlan &plan, StageFailure &failure)
    : m_plan(plan), m_failure(failure), m_registers(plan.program.registers.size())
{
    run(plan.program.constants, Point{}, strip::stripLength);
}

void StripMachine::run(const std::vector<Instruction> &code, const Point &at, int count)
{
    for (const Instruction &instruction : code)
        run(instruction, at, count);
}

void StripMachine::store(const Point &at, int count)
{
    const int result = m_plan.program.result;
    if (m_plan.program.registers[std::size_t(result)] == Bank::Real)
        m_plan.write.store(m_plan.stage.target, at, count, reals(result), m_failure);
    else
        m_plan.write.store(m_plan.stage.target, at, count, integers(result), m_failure);
}

void StripMachine::run(const Instruction &instruction, const Point &at, int count)
{
    using Op = Instruction::Op;
    const int out = instruction.out, a = instruction.a, b = instruction.b;
    switch (instruction.op) {
    case Op::Load:
        if (m_plan.program.registers[std::size_t(out)] == Bank::Real)
            m_plan.reads[std::size_t(instruction.index)].load(at, count, reals(out), m_failure);
        else
            m_plan.reads[std::size_t(instruction.index)].load(at, count, integers(out), m_failure);
        break;
    case Op::Inside:
        m_plan.reads[std::size_t(instruction.index)].inside(at, count, integers(out), m_failure);
        break;
    case Op::Axis:
        strip::ramp(integers(out), at[std::size_t(instruction.index)],
                    instruction.index == m_plan.axis, count);
        break;
    case Op::Real:
        strip::fill(reals(out), instruction.real, count);
        break;
    case Op::Integer:
        strip::fill(integers(out), instruction.integer, count);
        break;
    case Op::Table:
        lookUp(instruction, count);
        break;
    case Op::OfReals:
        strip::apply(instruction.fn, count, reals(a), b < 0 ? nullptr : reals(b), reals(out));
        break;
    case Op::OfIntegers:
        strip::apply(instruction.fn, instruction.isUnsigned, count, integers(a),
                     b < 0 ? nullptr : integers(b), integers(out));
        break;
    case Op::TestOfReals:
        strip::test(instruction.fn, count, reals(a), b < 0 ? nullptr : reals(b), integers(out));
        break;
    case Op::SelectReals:
        strip::select(count, integers(a), reals(b), reals(instruction.c), reals(out));
        break;
    case Op::SelectIntegers:
        strip::select(count, integers(a), integers(b), integers(instruction.c), integers(out));
        break;
    case Op::Round:
        strip::round(instruction.type, count, reals(a), reals(out));
        break;
    case Op::Truncate:
        strip::truncate(instruction.type, count, reals(a), integers(out));
        break;
    case Op::Convert:
        strip::convert(instruction.type, instruction.isUnsigned, count, integers(a), reals(out));
        break;
    case Op::Wrap:
        strip::wrap(instruction.type, count, integers(a), integers(out));
        break;
    }
}

void StripMachine::lookUp(const Instruction &instruction, int count)
{
    const std::int64_t *index = integers(instruction.a);
    std::int64_t *out = integers(instruction.out);
    const auto &table = *instruction.table;
    for (int i = 0; i < count; ++i) {
        const bool inside = index[i] >= 0 && index[i] < std::int64_t(table.size());
        if (!inside)
            m_failure.report(true, "its body reads entry " + std::to_string(index[i]) +
                                       " of a table with " + std::to_string(table.size()) +
                                       " entries");
        out[i] = inside ? table[std::size_t(index[i])] : 0;
    }
}

} // namespace graphloom
