// SPDX-License-Identifier: Apache-2.0
#include "engine/interpreter/stages/literal_runner.h"

#include "engine/interpreter/stages/scalar_math.h"
#include "engine/interpreter/stages/stage_lowering.h"

#include <algorithm>
#include <complex>
#include <cstring>
#include <optional>

namespace graphloom {

using scalar::Bank;
using scalar::bankOf;

namespace {

/// Holds a value of any element type, which determines the member in use.
struct Scalar {
    DataType type = DataType::Undefined;
    double real = 0;
    std::int64_t integer = 0;
    std::complex<double> complex;
    std::string text;

    bool isInteger() const { return bankOf(type) == Bank::Integer; }
    bool isUnsigned() const { return type == DataType::Uint64; }
    bool isNumber() const
    {
        return isInteger() || isFloatingPoint(type) || type == DataType::Undefined;
    }
    double asReal() const
    {
        return isInteger() ? scalar::convertedTo(DataType::Double, integer, isUnsigned()) : real;
    }
    bool asTruth() const { return isInteger() ? integer != 0 : real != 0; }
};

Scalar realOf(DataType type, double value)
{
    Scalar result;
    result.type = type;
    result.real = value;
    return result;
}

Scalar integerOf(DataType type, std::int64_t value)
{
    Scalar result;
    result.type = type;
    result.integer = value;
    return result;
}

Scalar castTo(DataType type, const Scalar &from)
{
    if (bankOf(type) == Bank::Integer)
        return integerOf(type, from.isInteger() ? scalar::wrappedTo(type, from.integer)
                                                : scalar::truncatedTo(type, from.real));
    return realOf(type, from.isInteger()
                            ? scalar::convertedTo(type, from.integer, from.isUnsigned())
                            : scalar::roundedTo(type, from.real));
}

/// Applies scalar::ofReals() and similar functions to two values, through scalar::visit….
struct OnReals {
    double a, b;
    template <Fn fn> std::optional<double> operator()() const { return scalar::ofReals<fn>(a, b); }
    std::optional<double> unknown() const { return std::nullopt; }
};
struct OnIntegers {
    bool isUnsigned;
    std::int64_t a, b;
    template <Fn fn> std::optional<std::int64_t> operator()() const
    {
        return isUnsigned ? scalar::ofIntegers<fn, true>(a, b)
                          : scalar::ofIntegers<fn, false>(a, b);
    }
    std::optional<std::int64_t> unknown() const { return std::nullopt; }
};
struct TestReals {
    double a, b;
    template <Fn fn> std::optional<std::int64_t> operator()() const
    {
        return scalar::testOfReals<fn>(a, b);
    }
    std::optional<std::int64_t> unknown() const { return std::nullopt; }
};

std::optional<Scalar> applied(Fn fn, DataType type, const Scalar &a, const Scalar &b)
{
    if (fn == Fn::Equal && !a.isNumber())
        return integerOf(DataType::Bool,
                         a.type == DataType::String ? a.text == b.text : a.complex == b.complex);
    if (!a.isNumber() || !b.isNumber())
        return std::nullopt;
    std::optional<Scalar> result;
    const auto integers = scalar::visitOfIntegers(
        fn, OnIntegers{a.isUnsigned() || b.isUnsigned(), a.integer, b.integer});
    if (scalar::isLogical(fn)) {
        const auto truth = scalar::visitOfIntegers(fn, OnIntegers{false, a.asTruth(), b.asTruth()});
        result = integerOf(DataType::Bool, *truth);
    } else if (integers && a.isInteger() && b.isInteger() &&
               (type == DataType::Bool || bankOf(type) == Bank::Integer)) {
        result = integerOf(type, *integers);
    } else if (const auto test = scalar::visitTestOfReals(fn, TestReals{a.asReal(), b.asReal()})) {
        result = integerOf(DataType::Bool, *test);
    } else if (const auto real = scalar::visitOfReals(fn, OnReals{a.asReal(), b.asReal()})) {
        result = realOf(bankOf(type) == Bank::Real ? type : DataType::Double, *real);
    }
    if (result && bankOf(result->type) != bankOf(type))
        result = castTo(type, *result);
    return result;
}

class LiteralRun {
public:
    LiteralRun(const Stage &stage, StageValues &values, const Call &call,
               const std::stop_token &stop)
        : m_stage(stage), m_values(values), m_call(call), m_stop(stop), m_at(stage.axes.size(), 0)
    {
    }

    Result<void> run()
    {
        overSpace(0);
        if (m_error)
            return tl::unexpected(*m_error);
        return {};
    }

private:
    bool ended() const { return m_error || m_stop.stop_requested(); }

    void overSpace(std::size_t axis)
    {
        if (axis < m_stage.axes.size() && m_stage.axes[axis].kind == Axis::Kind::Space) {
            const std::int64_t extent = number(m_stage.axes[axis].extent);
            for (m_at[axis] = 0; m_at[axis] < extent && !ended(); ++m_at[axis])
                overSpace(axis + 1);
            m_at[axis] = 0;
            return;
        }
        m_accumulator.reset();
        m_position = 0;
        overReduction(axis);
        if (!m_accumulator) { // no point to gather
            m_accumulator = initial();
            m_best = {};
        }
        if (m_stage.combine >= Combine::ArgMax)
            m_accumulator = integerOf(DataType::Int64, m_position);
        if (!ended())
            write(m_stage.finish.empty() ? *m_accumulator : valueOf(*m_stage.finish));
    }

    void overReduction(std::size_t axis)
    {
        if (axis < m_stage.axes.size()) {
            const std::int64_t extent = number(m_stage.axes[axis].extent);
            for (m_at[axis] = 0; m_at[axis] < extent && !ended(); ++m_at[axis])
                overReduction(axis + 1);
            m_at[axis] = 0;
            return;
        }
        gather(valueOf(*m_stage.body));
    }

    Scalar initial() const
    {
        const DataType type = m_stage.body.type();
        return bankOf(type) == Bank::Integer
                   ? integerOf(type, scalar::saturatedTo(type, m_stage.initial))
                   : realOf(type, m_stage.initial);
    }

    void gather(const Scalar &value)
    {
        switch (m_stage.combine) {
        case Combine::None:
            m_accumulator = value;
            return;
        case Combine::Sum:
            return combine(Fn::Add, value);
        case Combine::Product:
            return combine(Fn::Mul, value);
        case Combine::Max:
            return combine(Fn::Max, value);
        case Combine::Min:
            return combine(Fn::Min, value);
        default:
            break;
        }
        const bool takesOver =
            !m_accumulator ||
            (value.isInteger()
                 ? scalar::takesOver(m_stage.combine, value.isUnsigned(), value.integer,
                                     m_best.integer)
                 : scalar::takesOver(m_stage.combine, false, value.real, m_best.real));
        if (takesOver) {
            m_best = value;
            m_position = m_at.back();
        }
        m_accumulator = value;
    }

    void combine(Fn fn, const Scalar &value)
    {
        if (!m_accumulator)
            m_accumulator = initial();
        if (const auto combined = applied(fn, value.type, *m_accumulator, value))
            m_accumulator = *combined;
        else
            fault("its elements cannot be combined");
    }

    Scalar valueOf(const Expr::Node &node)
    {
        switch (node.fn) {
        case Fn::Load:
            return loaded(std::size_t(node.index));
        case Fn::Inside: {
            const Read &read = m_stage.reads[std::size_t(node.index)];
            const TensorData::Extents &extents = m_values[read.operand].extents;
            bool isInside = true;
            for (std::size_t d = 0; d < extents.size(); ++d) {
                const std::int64_t index = valueOf(read.map[d], extents[d]);
                if (index < 0 || index >= extents[d])
                    isInside = false;
            }
            return integerOf(DataType::Bool, isInside);
        }
        case Fn::Axis:
            return integerOf(DataType::Int64, m_at[std::size_t(node.index)]);
        case Fn::Real:
            return bankOf(node.type) == Bank::Integer
                       ? integerOf(node.type, scalar::truncatedTo(node.type, node.real))
                       : realOf(node.type, node.real);
        case Fn::Integer:
            return bankOf(node.type) == Bank::Integer ? integerOf(node.type, node.integer)
                                                      : realOf(node.type, double(node.integer));
        case Fn::Accumulator:
            return *m_accumulator;
        case Fn::Table: {
            const std::int64_t index = castTo(DataType::Int64, valueOf(*node.arguments[0])).integer;
            if (index >= 0 && index < std::int64_t(node.table->size()))
                return integerOf(DataType::Int64, number((*node.table)[std::size_t(index)]));
            fault("its body reads entry " + std::to_string(index) + " of a table with " +
                  std::to_string(node.table->size()) + " entries");
            return integerOf(DataType::Int64, 0);
        }
        case Fn::Cast:
            return castTo(node.type, valueOf(*node.arguments[0]));
        case Fn::Select: {
            const bool condition = valueOf(*node.arguments[0]).asTruth();
            const Scalar yes = valueOf(*node.arguments[1]), no = valueOf(*node.arguments[2]);
            Scalar chosen = condition ? yes : no;
            if (!chosen.isNumber())
                return chosen;
            if (yes.isInteger() != no.isInteger()) // computed in doubles
                chosen = realOf(DataType::Double, chosen.asReal());
            if (bankOf(chosen.type) != bankOf(node.type))
                return castTo(node.type, chosen);
            chosen.type = node.type;
            return chosen;
        }
        default: {
            const Scalar a = valueOf(*node.arguments[0]);
            const Scalar b = node.arguments[1] ? valueOf(*node.arguments[1]) : a;
            if (const auto result = applied(node.fn, node.type, a, b))
                return *result;
            fault("a function of its body is not defined for its arguments");
            return realOf(DataType::Double, 0);
        }
        }
    }

    /// Returns the value of an index, before the policy for reads outside is applied.
    std::int64_t valueOf(const Index &index, std::int64_t extent)
    {
        std::int64_t value = number(index.offset);
        for (const Index::Term &term : index.terms)
            value += number(term.coefficient) * m_at[std::size_t(term.axis)];
        if (!(index.divide == Dim(1)))
            value = scalar::ofIntegers<Fn::FloorDiv, false>(value, number(index.divide));
        if (!(index.modulo == Dim(0)))
            value = scalar::ofIntegers<Fn::Mod, false>(value, number(index.modulo));
        if (index.table) {
            if (value < 0 || value >= std::int64_t(index.table->size()))
                fault("an index is out of range of its table");
            else
                value = (*index.table)[std::size_t(value)];
        }
        if (index.lookup >= 0) {
            const std::int64_t found =
                scalar::boundedIndex(loaded(std::size_t(index.lookup)).integer);
            value += found < 0 ? found + extent : found;
        }
        return value;
    }

    Scalar loaded(std::size_t number)
    {
        const Read &read = m_stage.reads[number];
        const StageTensor &tensor = m_values[read.operand];
        std::int64_t place = 0;
        bool isInside = true;
        for (std::size_t d = 0; d < tensor.extents.size(); ++d) {
            const std::int64_t extent = tensor.extents[d];
            std::int64_t index = valueOf(read.map[d], extent);
            if ((index < 0 || index >= extent) && !bringInside(read, d, index, extent))
                isInside = false;
            else
                place += index * tensor.strides[d];
        }
        return isInside ? element(tensor, place) : outside(tensor.type, read.outsideValue);
    }

    /// Applies the policy for an index out of range; returns false if there is no element.
    bool bringInside(const Read &read, std::size_t dimension, std::int64_t &index,
                     std::int64_t extent)
    {
        if (read.outside == Read::Outside::Value)
            return false;
        if (read.outside == Read::Outside::Never || extent == 0) {
            refuse("index " + std::to_string(index) + " is outside of dimension " +
                       std::to_string(dimension) + ", which has " + std::to_string(extent) +
                       " elements",
                   read.outside == Read::Outside::Never && read.map[dimension].lookup < 0);
            return false;
        }
        using scalar::ofIntegers;
        if (read.outside == Read::Outside::Clamp) {
            index = std::clamp<std::int64_t>(index, 0, extent - 1);
        } else if (read.outside == Read::Outside::Wrap) {
            index = ofIntegers<Fn::Mod, false>(index, extent);
        } else if (extent == 1) {
            index = 0;
        } else { // reflect
            index = ofIntegers<Fn::Mod, false>(index, 2 * (extent - 1));
            if (index >= extent)
                index = 2 * (extent - 1) - index;
        }
        return true;
    }

    Scalar outside(DataType type, double value) const
    {
        Scalar result = bankOf(type) == Bank::Integer
                            ? integerOf(type, scalar::saturatedTo(type, value))
                            : realOf(type, value);
        result.complex = value;
        return result;
    }

    Scalar element(const StageTensor &tensor, std::int64_t place) const
    {
        Scalar result;
        result.type = tensor.type;
        const std::byte *bytes = tensor.data + place * elementBytes(tensor.type);
        if (tensor.type == DataType::String) {
            result.text = (*tensor.strings)[std::size_t(place)];
        } else if (tensor.type == DataType::Complex64) {
            float parts[2];
            std::memcpy(parts, bytes, sizeof parts);
            result.complex = {parts[0], parts[1]};
        } else if (tensor.type == DataType::Complex128) {
            std::memcpy(&result.complex, bytes, sizeof result.complex);
        } else if (isFloatingPoint(tensor.type)) {
            result.real = decodeReal(tensor.type, bytes);
        } else { // little endian
            std::memcpy(&result.integer, bytes, std::size_t(elementBytes(tensor.type)));
            result.integer = scalar::wrappedTo(tensor.type, result.integer);
        }
        return result;
    }

    void write(const Scalar &value)
    {
        const StageTensor &tensor = m_values.value(m_stage.value);
        std::int64_t place = 0;
        for (std::size_t d = 0; d < tensor.extents.size(); ++d) {
            const std::int64_t index = valueOf(m_stage.write[d], tensor.extents[d]);
            if (index < 0 || index >= tensor.extents[d])
                return refuse("index " + std::to_string(index) + " is outside of dimension " +
                                  std::to_string(d) + ", which has " +
                                  std::to_string(tensor.extents[d]) + " elements",
                              m_stage.write[d].lookup < 0);
            place += index * tensor.strides[d];
        }
        std::byte *bytes = m_values.data(m_stage.value) + place * elementBytes(tensor.type);
        if (tensor.type == DataType::String) {
            m_values.strings(m_stage.value)[std::size_t(place)] = value.text;
        } else if (tensor.type == DataType::Complex64) {
            const float parts[2] = {float(value.complex.real()), float(value.complex.imag())};
            std::memcpy(bytes, parts, sizeof parts);
        } else if (tensor.type == DataType::Complex128) {
            std::memcpy(bytes, &value.complex, sizeof value.complex);
        } else if (isFloatingPoint(tensor.type)) {
            encodeReal(tensor.type,
                       value.isInteger() ? castTo(tensor.type, value).real : value.real, bytes);
        } else {
            const std::int64_t stored = castTo(tensor.type, value).integer;
            std::memcpy(bytes, &stored, std::size_t(elementBytes(tensor.type)));
        }
    }

    std::int64_t number(const Dim &dim)
    {
        if (dim.isConstant())
            return dim.value();
        refuse("the extent " + dim.text() + " is unknown", false);
        return 0;
    }

    void fault(const std::string &message) { refuse(message, true); }
    void refuse(const std::string &message, bool isFault)
    {
        if (!m_error)
            m_error = isFault ? faultOf(m_call, message).value() : m_call.refuse(message).value();
    }

    const Stage &m_stage;
    StageValues &m_values;
    const Call &m_call;
    const std::stop_token &m_stop;
    std::vector<std::int64_t> m_at;
    std::optional<Scalar> m_accumulator; // empty before the first point of a reduction
    Scalar m_best;                       // of an ArgMax
    std::int64_t m_position = 0;
    std::optional<Error> m_error;
};

} // namespace

Result<void> runLiterally(const Stage &stage, StageValues &values, const Call &call,
                          const std::stop_token &stop)
{
    return LiteralRun(stage, values, call, stop).run();
}

} // namespace graphloom
