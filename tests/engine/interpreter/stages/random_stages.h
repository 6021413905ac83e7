// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/hash.h"
#include "engine/interpreter/random.h"
#include "engine/ops/describe/stage.h"

#include <algorithm>
#include <string>
#include <vector>

namespace graphloom::test {

/// A description with inputs, drawn from a seed: every construct of stage.h and expr.h may
/// occur, in combinations that no operator has.
class RandomStages {
public:
    explicit RandomStages(std::uint64_t seed) : m_state(scramble(seed + 1))
    {
        const int inputs = 1 + pick(3);
        for (int i = 0; i < inputs; ++i)
            addInput();
        m_description.outputs = 1;
        const int values = 1 + pick(2);
        for (int v = 0; v < values; ++v) {
            const int stages = 1 + (pick(4) == 0);
            m_description.values.push_back({valueType(), std::nullopt, {}});
            for (int s = 0; s < stages; ++s)
                addStage(v);
        }
    }

    const Description &description() const { return m_description; }
    const std::vector<TensorData> &inputs() const { return m_inputs; }

private:
    std::uint64_t next() { return scramble(m_state += 0x9e3779b97f4a7c15ULL); }
    int pick(int count) { return int(next() % std::uint64_t(count)); }
    bool chance(int oneIn) { return pick(oneIn) == 0; }

    DataType valueType()
    {
        constexpr DataType types[] = {
            DataType::Float,  DataType::Float,   DataType::Double,      DataType::Int64,
            DataType::Int32,  DataType::Uint8,   DataType::Int8,        DataType::Bool,
            DataType::Uint64, DataType::Float16, DataType::BFloat16,    DataType::Uint4,
            DataType::Int4,   DataType::Uint32,  DataType::Float8E4M3FN};
        return types[pick(int(std::size(types)))];
    }

    std::int64_t extent()
    {
        return chance(12) ? 0 : chance(8) ? 1 : chance(10) ? 300 : 1 + pick(9);
    }

    void addInput()
    {
        TensorData::Extents extents;
        std::int64_t elements = 1;
        for (int d = pick(4); d > 0; --d) {
            extents.push_back(extent());
            elements *= extents.back();
        }
        const DataType type = valueType();
        if (chance(6)) {
            std::vector<std::byte> element(std::size_t(bitsOf(type) + 7) / 8, std::byte{0});
            element[0] = std::byte(pick(2));
            m_inputs.push_back(TensorData::splat(type, extents, std::move(element)));
            return;
        }
        auto data = *randomTensor(type, extents, next());
        if (!isFloatingPoint(type) && bitsOf(type) >= 8 && type != DataType::Bool && chance(2)) {
            // Integers of all sizes, small ones above all (they serve as indices).
            auto bytes = std::vector<std::byte>(data.bytes().begin(), data.bytes().end());
            for (std::byte &byte : bytes)
                if (chance(6))
                    byte = std::byte(next());
            data = TensorData::fromBytes(type, extents, std::move(bytes));
        }
        m_inputs.push_back(std::move(data));
    }

    const TensorData::Extents extentsOf(const Operand &operand) const
    {
        if (operand.kind == Operand::Kind::Input)
            return m_inputs[std::size_t(operand.index)].extents();
        TensorData::Extents extents;
        for (const Dim &dim : *m_description.values[std::size_t(operand.index)].shape)
            extents.push_back(dim.value());
        return extents;
    }

    DataType typeOf(const Operand &operand) const
    {
        return operand.kind == Operand::Kind::Input
                   ? m_inputs[std::size_t(operand.index)].type()
                   : m_description.values[std::size_t(operand.index)].type;
    }

    void addStage(int value)
    {
        Stage stage;
        stage.value = value;
        const int space = pick(4), reduce = chance(2) ? 0 : 1 + pick(2);
        std::int64_t points = 1;
        for (int a = 0; a < space + reduce; ++a) {
            std::int64_t length = extent();
            if (points * length > mostPoints)
                length = 2;
            points *= std::max<std::int64_t>(length, 1);
            stage.axes.push_back({"a" + std::to_string(a), length,
                                  a < space ? Axis::Kind::Space : Axis::Kind::Reduce});
        }
        if (reduce > 0) {
            constexpr Combine kinds[] = {Combine::Sum,        Combine::Sum,    Combine::Product,
                                         Combine::Max,        Combine::Min,    Combine::ArgMax,
                                         Combine::ArgMaxLast, Combine::ArgMin, Combine::ArgMinLast};
            stage.combine = kinds[pick(reduce == 1 ? int(std::size(kinds)) : 5)];
            stage.initial = chance(3) ? -1e300 : pick(3);
        }
        const bool hasShape = m_description.values[std::size_t(value)].shape.has_value();
        addWrite(stage, space);
        const int reads = 1 + pick(3);
        for (int r = 0; r < reads; ++r)
            addRead(stage, value, hasShape);
        if (reduce > 0 && reads > 1 && chance(2) && stage.combine == Combine::Sum)
            stage.body = load(stage, 0) * load(stage, 1);
        else
            stage.body = expression(stage, 3, false);
        if (reduce > 0 && chance(3))
            finish(stage, space);
        if (m_description.values[std::size_t(value)].type == DataType::Bool)
            stage.body = Expr::cast(stage.body, DataType::Bool);
        m_description.stages.push_back(std::move(stage));
    }

    void finish(Stage &stage, int space)
    {
        const bool position = stage.combine >= Combine::ArgMax;
        Expr result = Expr::accumulator(position ? DataType::Int64 : stage.body.type());
        Read read;
        read.operand = {Operand::Kind::Input, pick(int(m_inputs.size()))};
        read.outside = Read::Outside::Value;
        for (std::size_t d = 0; d < extentsOf(read.operand).size(); ++d)
            read.map.push_back(space > 0 ? Index::axis(pick(space)) : Index::constant(0));
        stage.reads.push_back(std::move(read));
        const Expr operand = Expr::cast(load(stage, int(stage.reads.size()) - 1), result.type());
        stage.finish = Expr::binary(chance(2) ? Fn::Add : Fn::Max, result, operand);
    }

    /// Dimensions from single axes, with stride and offset; the first write of a value decides
    /// on its shape.
    void addWrite(Stage &stage, int space)
    {
        std::vector<int> axes;
        for (int a = 0; a < space; ++a)
            axes.push_back(a);
        for (std::size_t i = axes.size(); i > 1; --i)
            std::swap(axes[i - 1], axes[std::size_t(pick(int(i)))]);
        auto &shape = m_description.values[std::size_t(stage.value)].shape;
        const bool fresh = !shape;
        if (fresh)
            shape.emplace();
        const std::size_t rank = fresh ? axes.size() : shape->size();
        for (std::size_t d = 0; d < rank; ++d) {
            const std::int64_t stride = chance(5) ? 2 : 1, offset = chance(5) ? pick(3) : 0;
            Index index = d < axes.size() && !chance(12) ? Index::axis(axes[d], stride, offset)
                                                         : Index::constant(offset);
            const std::int64_t last =
                index.terms.empty()
                    ? offset
                    : offset + stride * (stage.axes[std::size_t(axes[d])].extent.value() - 1);
            if (fresh)
                shape->push_back(std::max<std::int64_t>(last + 1, 0) + pick(2));
            else if (last >= (*shape)[d].value() || (index.terms.empty() && offset < 0))
                index = Index::constant(0); // would not fit
            stage.write.push_back(std::move(index));
        }
    }

    Index index(const Stage &stage, std::int64_t extent)
    {
        Index result = Index::constant(pick(4) - 1);
        for (int t = pick(3); t >= 0 && !stage.axes.empty(); --t)
            result.terms.push_back({pick(int(stage.axes.size())), chance(4) ? pick(5) - 2 : 1});
        if (chance(8))
            result.divide = 1 + pick(4);
        if (chance(8))
            result.modulo = 1 + pick(5);
        if (chance(10)) {
            result.modulo = 4;
            std::vector<std::int64_t> table;
            for (int i = 0; i < 4; ++i)
                table.push_back(pick(int(extent) + 2) - 1);
            result.table = std::make_shared<const std::vector<std::int64_t>>(std::move(table));
        }
        return result;
    }

    void addRead(Stage &stage, int value, bool ownIsThere)
    {
        Read read;
        const int earlier = value + (ownIsThere && chance(3));
        read.operand = earlier > 0 && chance(3)
                           ? Operand{Operand::Kind::Value, pick(earlier)}
                           : Operand{Operand::Kind::Input, pick(int(m_inputs.size()))};
        constexpr Read::Outside policies[] = {Read::Outside::Value, Read::Outside::Value,
                                              Read::Outside::Clamp, Read::Outside::Reflect,
                                              Read::Outside::Wrap};
        read.outside = policies[pick(int(std::size(policies)))];
        read.outsideValue = chance(2) ? 0 : pick(3) - 1.5;
        for (const std::int64_t dimension : extentsOf(read.operand)) {
            read.map.push_back(index(stage, dimension));
            for (int r = 0; r < int(stage.reads.size()); ++r)
                if (chance(4) && isIntegral(typeOf(stage.reads[std::size_t(r)].operand)))
                    read.map.back().lookup = r;
        }
        stage.reads.push_back(std::move(read));
    }

    Expr load(const Stage &stage, int read) const
    {
        return Expr::load(read, typeOf(stage.reads[std::size_t(read)].operand));
    }

    Expr expression(const Stage &stage, int depth, bool wantTruth)
    {
        if (wantTruth) {
            constexpr Fn tests[] = {Fn::Equal, Fn::Less, Fn::LessOrEqual};
            return Expr::binary(tests[pick(3)], expression(stage, depth - 1, false),
                                expression(stage, depth - 1, false));
        }
        if (depth <= 0 || chance(4))
            return leaf(stage);
        constexpr Fn unary[] = {Fn::Negate, Fn::Abs,   Fn::Sign, Fn::Floor, Fn::Ceil,
                                Fn::Round,  Fn::Sqrt,  Fn::Exp,  Fn::Tanh,  Fn::Erf,
                                Fn::IsNan,  Fn::IsInf, Fn::Not,  Fn::Sin,   Fn::Log};
        constexpr Fn binary[] = {Fn::Add, Fn::Add,      Fn::Sub, Fn::Mul,  Fn::Mul,
                                 Fn::Div, Fn::FloorDiv, Fn::Mod, Fn::Fmod, Fn::Pow,
                                 Fn::Min, Fn::Max,      Fn::And, Fn::Or,   Fn::Xor};
        constexpr Fn ofBits[] = {Fn::BitAnd, Fn::BitOr, Fn::BitXor, Fn::ShiftLeft, Fn::ShiftRight};
        switch (pick(6)) {
        case 0:
            return Expr::unary(unary[pick(int(std::size(unary)))],
                               expression(stage, depth - 1, false));
        case 1:
            return Expr::cast(expression(stage, depth - 1, false), valueType());
        case 2:
            return Expr::select(expression(stage, depth - 1, true),
                                expression(stage, depth - 1, false),
                                expression(stage, depth - 1, false));
        case 3:
            return Expr::binary(ofBits[pick(int(std::size(ofBits)))],
                                Expr::cast(expression(stage, depth - 1, false), integerType()),
                                Expr::cast(expression(stage, depth - 1, false), integerType()));
        default:
            return Expr::binary(binary[pick(int(std::size(binary)))],
                                expression(stage, depth - 1, false),
                                expression(stage, depth - 1, false));
        }
    }

    DataType integerType()
    {
        constexpr DataType types[] = {DataType::Int64, DataType::Uint64, DataType::Int16,
                                      DataType::Uint8};
        return types[pick(4)];
    }

    Expr leaf(const Stage &stage)
    {
        switch (pick(8)) {
        case 0:
            return Expr::real(pick(7) - 2.5, DataType::Float);
        case 1:
            return Expr::integer(pick(7) - 2, integerType());
        case 2:
            return Expr::inside(pick(int(stage.reads.size())));
        case 3:
            if (!stage.axes.empty())
                return Expr::axis(pick(int(stage.axes.size())));
            return Expr::table({3, 5, -7}, Expr::cast(Expr::inside(pick(int(stage.reads.size()))),
                                                      DataType::Int64));
        default:
            return load(stage, pick(int(stage.reads.size())));
        }
    }

    static constexpr std::int64_t mostPoints = 2000; // of a stage, so that the literal way is quick

    std::uint64_t m_state;
    std::vector<TensorData> m_inputs;
    Description m_description;
};

} // namespace graphloom::test
