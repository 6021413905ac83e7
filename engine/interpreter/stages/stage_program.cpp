// SPDX-License-Identifier: Apache-2.0
#include "engine/interpreter/stages/stage_program.h"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <tuple>

namespace graphloom {

using scalar::Bank;
using scalar::bankOf;

namespace {

/// How often a register has to be computed.
enum class Level { Constant, Outer, Body, Finish };

struct Computed {
    int place = -1;
    Bank bank = Bank::Real;
    DataType type = DataType::Undefined;
    Level level = Level::Constant;
};

using Op = Instruction::Op;

/// Asks scalar::visit… whether it supports a function.
struct Known {
    template <Fn> bool operator()() const { return true; }
    bool unknown() const { return false; }
};

class Compiler {
public:
    Compiler(const LoweredStage &stage, const Call &call) : m_stage(stage), m_call(call) {}

    Result<StageProgram> run()
    {
        const Stage &stage = *m_stage.stage;
        const bool reduces = stage.combine != Combine::None;
        if (!reduces && m_stage.spaceAxes != m_stage.axes())
            return faultOf(m_call, "a stage has reduction axes but no combine function");
        const Computed body = of(*stage.body);
        if (reduces && m_stage.points(m_stage.spaceAxes, m_stage.axes()) == 0)
            forgetBody(); // nothing is gathered, and nothing may be read
        m_program.bodyResult = body.place;
        m_program.bodyType = body.type;
        Computed result = body;
        if (reduces) {
            const bool gathersPosition = stage.combine >= Combine::ArgMax;
            m_accumulator = {newRegister(gathersPosition ? Bank::Integer : body.bank),
                             gathersPosition ? Bank::Integer : body.bank,
                             gathersPosition ? DataType::Int64 : body.type, Level::Finish};
            result = m_accumulator;
        } else {
            m_accumulator = body;
        }
        m_program.accumulator = m_accumulator.place;
        if (!stage.finish.empty()) {
            m_inFinish = true;
            result = of(*stage.finish);
        }
        if (bankOf(m_stage.valueType) != result.bank)
            result = cast(result, m_stage.valueType);
        m_program.result = result.place;
        if (m_defect)
            return tl::unexpected(*m_defect);
        return std::move(m_program);
    }

private:
    int newRegister(Bank bank)
    {
        m_program.registers.push_back(bank);
        return int(m_program.registers.size()) - 1;
    }

    void forgetBody()
    {
        m_program.outer.clear();
        m_program.body.clear();
        m_known.clear();
        m_nodes.clear();
    }

    Computed fault(const std::string &message)
    {
        if (!m_defect)
            m_defect = faultOf(m_call, message).value();
        return {newRegister(Bank::Real), Bank::Real, DataType::Double, Level::Constant};
    }

    /// Returns the result of an instruction, reusing an equal one if there is one already.
    Computed emit(Instruction instruction, Bank bank, Level level)
    {
        const auto key =
            std::tuple(instruction.op, instruction.fn, instruction.type, instruction.isUnsigned,
                       instruction.a, instruction.b, instruction.c, instruction.index,
                       std::bit_cast<std::int64_t>(instruction.real), instruction.integer,
                       instruction.table.get());
        if (const auto known = m_known.find(key); known != m_known.end())
            return known->second;
        if (m_inFinish && level == Level::Body)
            return fault("its finish depends on a reduction axis");
        const Computed computed{newRegister(bank), bank, instruction.type, level};
        instruction.out = computed.place;
        if (instruction.table)
            m_tables.push_back(instruction.table); // keeps the address in the key unique
        listOf(level).push_back(std::move(instruction));
        m_known.emplace(key, computed);
        return computed;
    }

    std::vector<Instruction> &listOf(Level level)
    {
        switch (level) {
        case Level::Constant:
            return m_program.constants;
        case Level::Outer:
            return m_program.outer;
        case Level::Body:
            return m_program.body;
        case Level::Finish:
            break;
        }
        return m_program.finish;
    }

    Computed cast(const Computed &from, DataType to)
    {
        Instruction instruction;
        instruction.type = to;
        instruction.a = from.place;
        instruction.isUnsigned = from.type == DataType::Uint64;
        if (bankOf(to) == Bank::Real) {
            instruction.op = from.bank == Bank::Real ? Op::Round : Op::Convert;
            if (from.bank == Bank::Real && (to == DataType::Double || to == DataType::Undefined))
                return {from.place, Bank::Real, to, from.level};
            return emit(instruction, Bank::Real, from.level);
        }
        instruction.op = from.bank == Bank::Real ? Op::Truncate : Op::Wrap;
        if (from.bank == Bank::Integer && (to == DataType::Int64 || to == DataType::Uint64))
            return {from.place, Bank::Integer, to, from.level};
        return emit(instruction, Bank::Integer, from.level);
    }

    /// Converts a value to the bank if necessary, without rounding.
    Computed in(Bank bank, const Computed &from)
    {
        if (from.bank == bank)
            return from;
        return cast(from, bank == Bank::Real ? DataType::Double : DataType::Int64);
    }

    Computed truth(const Computed &from)
    {
        return from.bank == Bank::Integer ? from : cast(from, DataType::Bool);
    }

    Computed of(const Expr::Node &node)
    {
        const auto key = std::pair(&node, m_inFinish);
        if (const auto known = m_nodes.find(key); known != m_nodes.end())
            return known->second;
        const Computed computed = compute(node);
        m_nodes.emplace(key, computed);
        return computed;
    }

    Level levelOf(const LoweredMap &map) const
    {
        for (int a = m_stage.spaceAxes; a < m_stage.axes(); ++a)
            if (map.depends[std::size_t(a)])
                return Level::Body;
        return Level::Outer;
    }

    Computed compute(const Expr::Node &node)
    {
        Instruction instruction;
        instruction.type = node.type;
        switch (node.fn) {
        case Fn::Load:
        case Fn::Inside: {
            if (node.index < 0 || node.index >= int(m_stage.reads.size()))
                return fault("its body loads a missing read");
            const LoweredMap &map = m_stage.reads[std::size_t(node.index)];
            const bool load = node.fn == Fn::Load;
            instruction.op = load ? Op::Load : Op::Inside;
            instruction.type = load ? map.type : DataType::Bool;
            instruction.index = node.index;
            return emit(instruction, bankOf(instruction.type), levelOf(map));
        }
        case Fn::Axis: {
            instruction.op = Op::Axis;
            instruction.type = DataType::Int64;
            instruction.index = m_stage.loopOf[std::size_t(node.index)];
            if (instruction.index < 0)
                return constant(DataType::Int64, 0, 0);
            return emit(instruction, Bank::Integer,
                        m_stage.reduces(instruction.index) ? Level::Body : Level::Outer);
        }
        case Fn::Real:
            return bankOf(node.type) == Bank::Real
                       ? constant(node.type, node.real, 0)
                       : constant(node.type, 0, scalar::truncatedTo(node.type, node.real));
        case Fn::Integer:
            return bankOf(node.type) == Bank::Integer
                       ? constant(node.type, 0, node.integer)
                       : constant(node.type, double(node.integer), 0);
        case Fn::Accumulator:
            if (!m_inFinish)
                return fault("its body reads the accumulator");
            return m_accumulator;
        case Fn::Table:
            return lookUp(node);
        case Fn::Cast:
            return cast(of(*node.arguments[0]), node.type);
        case Fn::Select:
            return select(node);
        default:
            return function(node);
        }
    }

    Computed constant(DataType type, double real, std::int64_t integer)
    {
        Instruction instruction;
        instruction.op = bankOf(type) == Bank::Real ? Op::Real : Op::Integer;
        instruction.type = type;
        instruction.real = real;
        instruction.integer = integer;
        return emit(instruction, bankOf(type), Level::Constant);
    }

    Computed lookUp(const Expr::Node &node)
    {
        auto table = std::make_shared<std::vector<std::int64_t>>();
        for (const Dim &value : *node.table) {
            if (value.isOverflow() || !value.isConstant()) {
                if (!m_defect)
                    m_defect = m_call.refuse("the extent " + value.text() + " is unknown").value();
                return fault("");
            }
            table->push_back(value.value());
        }
        const Computed index = in(Bank::Integer, of(*node.arguments[0]));
        Instruction instruction;
        instruction.op = Op::Table;
        instruction.type = DataType::Int64;
        instruction.a = index.place;
        instruction.table = std::move(table);
        return emit(instruction, Bank::Integer, index.level);
    }

    Computed select(const Expr::Node &node)
    {
        const Computed condition = truth(of(*node.arguments[0]));
        Computed yes = of(*node.arguments[1]), no = of(*node.arguments[2]);
        const Bank bank =
            yes.bank == Bank::Real || no.bank == Bank::Real ? Bank::Real : Bank::Integer;
        yes = in(bank, yes);
        no = in(bank, no);
        Instruction instruction;
        instruction.op = bank == Bank::Real ? Op::SelectReals : Op::SelectIntegers;
        instruction.type = bank == bankOf(node.type) ? node.type : yes.type;
        instruction.a = condition.place;
        instruction.b = yes.place;
        instruction.c = no.place;
        return settled(node,
                       emit(instruction, bank, std::max({condition.level, yes.level, no.level})));
    }

    /// Emits an arithmetic function, in doubles if an argument or the result is real.
    Computed function(const Expr::Node &node)
    {
        const bool two = node.arguments[1] != nullptr;
        if (!node.arguments[0] || node.arguments[2])
            return fault("a function of its body lacks an argument");
        Computed a = of(*node.arguments[0]);
        Computed b = two ? of(*node.arguments[1]) : a;
        bool real = a.bank == Bank::Real || b.bank == Bank::Real;
        Instruction instruction;
        instruction.fn = node.fn;
        if (scalar::isLogical(node.fn)) {
            a = truth(a);
            b = truth(b);
            instruction.op = Op::OfIntegers;
            real = false;
        } else if (scalar::isTestOfReals(node.fn) && (real || !hasIntegers(node.fn))) {
            instruction.op = Op::TestOfReals;
            real = true;
        } else {
            real = real || bankOf(node.type) == Bank::Real || !hasIntegers(node.fn);
            instruction.op = real ? Op::OfReals : Op::OfIntegers;
        }
        if (real && !hasReals(node.fn))
            return fault("a function of its body is not defined for real numbers");
        a = in(real ? Bank::Real : Bank::Integer, a);
        b = in(real ? Bank::Real : Bank::Integer, b);
        const bool isTruth = instruction.op == Op::TestOfReals || node.type == DataType::Bool;
        instruction.isUnsigned =
            !real && (a.type == DataType::Uint64 || b.type == DataType::Uint64);
        instruction.type = isTruth ? DataType::Bool
                           : real ? (bankOf(node.type) == Bank::Real ? node.type : DataType::Double)
                                  : node.type;
        instruction.a = a.place;
        instruction.b = two ? b.place : -1;
        const Bank bank = instruction.op == Op::OfReals ? Bank::Real : Bank::Integer;
        return settled(node, emit(instruction, bank, std::max(a.level, b.level)));
    }

    /// Converts a result to the bank of the node's type, such as the power of an integer to a real.
    Computed settled(const Expr::Node &node, const Computed &computed)
    {
        return bankOf(node.type) == computed.bank ? computed : cast(computed, node.type);
    }

    static bool hasReals(Fn fn)
    {
        return scalar::visitOfReals(fn, Known{}) || scalar::visitTestOfReals(fn, Known{});
    }

    static bool hasIntegers(Fn fn) { return scalar::visitOfIntegers(fn, Known{}); }

    const LoweredStage &m_stage;
    const Call &m_call;
    StageProgram m_program;
    std::optional<Error> m_defect;
    Computed m_accumulator;
    bool m_inFinish = false;
    std::map<std::pair<const Expr::Node *, bool>, Computed> m_nodes;
    std::map<std::tuple<Op, Fn, DataType, bool, int, int, int, int, std::int64_t, std::int64_t,
                        const std::vector<std::int64_t> *>,
             Computed>
        m_known;
    std::vector<std::shared_ptr<const std::vector<std::int64_t>>> m_tables;
};

} // namespace

Result<StageProgram> compile(const LoweredStage &stage, const Call &call)
{
    return Compiler(stage, call).run();
}

} // namespace graphloom
