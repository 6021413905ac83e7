// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/emit/c_emitter.h"

#include <functional>
#include <map>
#include <optional>
#include <unordered_map>

namespace graphloom {

/// Describes a point of a nest's unrolled loops.
struct NestPoint {
    std::vector<IndexForm> at; // iteration of each loop, over variables of running loops
    int laneAxis = -1;         // of the vector loop; -1: a scalar
    int lanes = 0;             // how many of the vector's lanes are in use
    int lane = 0;              // which lane a scalar stands for, counted from 1; 0: none
};

/// Writes the values of a nest as C. A value that is used twice is named once, in the outermost
/// loop of a reduction where it is known.
class CValues {
public:
    CValues(const NestJob &job, const CodeOptions &options);

    const std::optional<Error> &error() const { return m_error; }
    std::string nameOf(int loop) const { return m_loopNames[std::size_t(loop)]; }
    void setExtent(int loop, std::int64_t extent) { m_extents[std::size_t(loop)] = extent; }
    std::string bufferDeclarations() const;

    /// Begins code for one set of points, at this depth of indentation; end() returns it.
    void begin(int depth);
    std::string end();
    void openLoop(int loop, std::int64_t count);
    void closeLoop();

    void declareAccumulator(const std::string &name, const NestPoint &point, bool vector);
    void accumulate(const std::string &name, const NestPoint &point);
    /// Returns the combination of the lanes of an accumulator as one number.
    std::string gathered(const std::string &name);
    void store(const NestStore &store, const NestPoint &point, const std::string &accumulator);

private:
    /// Holds an expression in C.
    struct Value {
        enum class Kind : std::uint8_t { Float, Double, Integer, Mask };
        std::string text;
        Kind kind = Kind::Float;
        bool vector = false;
        bool isUnsigned = false; // a 64-bit integer
        std::size_t level = 0;   // the deepest loop of the reduction that it depends on
    };
    struct Level {
        std::string code;
        std::map<std::string, std::string> names; // of values that are known here
        int depth = 0;
        std::vector<int> loops; // the loops that opened it
    };

    void fail(const std::string &message);
    /// Returns false after an error, or if stopped, which is recorded as an error.
    bool goesOn();
    static std::string padOf(int depth) { return std::string(std::size_t(depth) * 4, ' '); }
    static Value::Kind kindOf(DataType type);
    /// Returns the scalar point that is one lane of a point.
    NestPoint atLane(const NestPoint &point, int lane) const;
    Value valueOf(const Expr &expr, const NestPoint &point);
    Value made(const Expr &expr, const NestPoint &point);
    Value loaded(int read, const NestPoint &point);
    Value loadOf(int read, const NestPoint &point);
    Value insideOf(int read, const NestPoint &point);
    Value function(const Expr &expr, std::vector<Value> arguments);
    /// Converts arguments of a function of vectors to masks or to floats.
    std::vector<Value> asLanes(Fn fn, std::vector<Value> arguments);
    Value vectorFunction(const Expr &expr, const std::vector<Value> &arguments);
    Value scalarFunction(const Expr &expr, const std::vector<Value> &arguments);
    Value converted(const Value &value, DataType type);
    Value asVector(Value value);
    void accumulatePosition(const std::string &name, Value value, const NestPoint &point);
    /// Names the value in the level that it belongs to.
    Value named(Value value, const std::string &type);
    std::string typeOf(const Value &value) const;

    /// Returns the value of an axis at a point, over loop variables and the lane.
    IndexForm axisAt(int axis, const NestPoint &point) const;
    IndexForm formAt(const IndexForm &form, const NestPoint &point);
    IndexForm offsetOf(const std::vector<IndexForm> &map, const Storage &storage,
                       const NestPoint &point);
    /// Visits the indices that the form's lookups read at, and those of lookups in these indices,
    /// each once.
    void forEachLookedUp(const IndexForm &form, const NestPoint &point,
                         const std::function<void(const IndexForm &)> &visit);
    std::size_t levelOf(const IndexForm &form) const;
    std::string textOf(const IndexForm &form, const NestPoint &point);
    /// Returns pointer and constant offset of an element: "x2[12]", as an address "x2 + 12".
    std::pair<std::string, std::int64_t> addressOf(const std::string &buffer,
                                                   const IndexForm &offset, const NestPoint &point);
    std::string bufferOf(int tensor) const;
    bool isLocal(int tensor) const
    {
        return !m_job.scratch.empty() && m_job.scratch[std::size_t(tensor)] >= 0;
    }
    /// Returns the indices of a dimension at which memory holds what a read loads, margins
    /// included.
    Bounds storedOf(const NestRead &read, std::size_t dimension) const;
    /// Returns the condition that each index of an element is within its allowed bounds, or "" if
    /// they always are. Raises `level` to the deepest loop that the condition depends on.
    std::string within(const std::vector<IndexForm> &map, const NestPoint &point,
                       const std::function<Bounds(std::size_t)> &allowed, std::size_t &level);
    /// Returns the condition that a read loads what is stored, as within() does.
    std::string inside(const NestRead &read, const NestPoint &point, std::size_t &level);
    /// Returns `if (…) ` for a guarded store, or "" if it always stays inside.
    std::string guardOf(const NestStore &store, const NestPoint &point);
    IndexForm packedOffset(const PackedOperand &operand, const NestPoint &point) const;

    const NestJob &m_job;
    const Nest &m_nest;
    CodeOptions m_options;
    std::vector<PackedOperand> m_packed;
    std::vector<std::string> m_loopNames;
    std::vector<std::int64_t> m_extents; // by loop; the last one is the lane
    int m_lane;                          // its variable
    std::vector<Level> m_levels;
    std::optional<Level> m_after; // code that comes after the reduction
    int m_names = 0;
    std::unordered_map<const Expr::Node *, Value> m_known; // values at one point
    std::map<std::pair<int, int>, Value> m_loads;          // the same, by read and lane
    std::string m_accumulator;                             // what Fn::Accumulator stands for
    bool m_accumulatorIsVector = false;
    std::optional<Error> m_error;
};

} // namespace graphloom
