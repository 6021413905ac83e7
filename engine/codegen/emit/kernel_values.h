// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/emit/kernel_emitter.h"
#include "engine/codegen/index/c_names.h"
#include "engine/ops/describe/expr.h"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

namespace graphloom {

/// Counts the lanes of a vector.
using Lane = TypedIndex<struct LaneTag>;

/// Return the variable that stands for a loop in the index forms of generated code, and the loop
/// back: these forms count the loops that are running, and after them the lane, in place of axes.
inline AxisIndex variableOf(LoopIndex loop)
{
    return AxisIndex(loop.number());
}
inline LoopIndex loopOf(AxisIndex variable)
{
    return LoopIndex(variable.number());
}

/// Holds the iteration of each loop, over variables of running loops.
using LoopForms = IndexedVector<LoopIndex, IndexForm>;

/// Describes a point of a nest's unrolled loops.
struct NestPoint {
    LoopForms at;
    AxisIndex laneAxis; // of the vector loop; invalid for a scalar
    int lanes = 0;      // how many of the vector's lanes are in use
    Lane lane;          // which lane a scalar stands for, if any
    /// The innermost unrolled loop of a reduction, if this iteration and its neighbours fill a
    /// vector: what all lanes share may be loaded for them together (CodeOptions::byElement).
    LoopIndex elementLoop = {};
    int element = 0; // of that vector
};

/// Writes the values of a nest as C. A value that is used twice is named once, in the outermost
/// loop of a reduction where it is known.
class KernelValues {
public:
    KernelValues(const NestJob &job, const CodeOptions &options);

    const std::optional<Error> &error() const { return m_error; }
    std::string nameOf(LoopIndex loop) const { return m_loopNames[loop]; }
    void setExtent(LoopIndex loop, std::int64_t extent) { m_extents[variableOf(loop)] = extent; }
    const NestDeclarations &declarations() const { return m_declarations; }
    std::string bufferOf(BlockTensorIndex tensor) const;

    /// Begins code for one set of points, at this depth of indentation; end() returns it.
    void begin(int depth);
    std::string end();
    void openLoop(LoopIndex loop, std::int64_t count);
    void closeLoop();

    /// Prefetches the next tiles of packed operands as the schedule says: writes what an iteration
    /// of these loops of a reduction, inside of which nothing but unrolled code is, does of it.
    void prefetchTiles(const std::vector<LoopIndex> &reductions, const LoopForms &at);
    /// Declares the accumulator of a point, `vector`: one whose lanes are to be combined. With
    /// `once`, no loop is around what is accumulated, whose first value the accumulator then takes.
    void declareAccumulator(const std::string &name, const NestPoint &point, bool vector,
                            bool once);
    void accumulate(const std::string &name, const NestPoint &point);
    /// Finds elements that all lanes share and that lie side by side in memory among what the body
    /// reads at these points, which are accumulated next: such as those of neighbouring windows.
    /// Where elements of vectors can be multiplied by, whole vectors of them are loaded.
    void findRuns(const std::vector<NestPoint> &uses);
    /// Returns the combination of the lanes of an accumulator as one number.
    std::string gathered(const std::string &name);
    /// Computes values before they are stored at a point (Nest::first).
    void prepare(const std::vector<Expr> &values, const NestPoint &point);
    /// Writes what is stored at these points, step by step for all of them, so that a processor
    /// that does not change the order of instructions need not wait for each result.
    /// `accumulators` are those of the points, or empty.
    void store(const NestStore &store, const std::vector<NestPoint> &points,
               const std::vector<std::string> &accumulators);

private:
    void store(const NestStore &store, const NestPoint &point, const std::string &accumulator);
    /// Counts the open loops of a reduction from outside, where nothing is open yet.
    using LevelIndex = TypedIndex<struct LevelTag>;
    static constexpr LevelIndex outermost{0};

    /// Holds an expression in C.
    struct Value {
        enum class Kind : std::uint8_t { Float, Double, Integer, Mask };
        std::string text;
        Kind kind = Kind::Float;
        bool vector = false;
        bool isUnsigned = false;      // a 64-bit integer
        LevelIndex level = outermost; // the deepest loop of the reduction that it depends on
    };
    struct Level {
        std::string code;
        std::map<std::string, std::string> names; // of values that are known here
        int depth = 0;
        LoopIndex loop; // that opened it
    };
    /// Describes where a read loads from.
    struct LoadSource {
        const NestRead &read;
        DataType type;
        std::string buffer;
        const PackedOperand *packed; // null if the tensor itself is read
        bool guarded;                // some elements may not be stored
        bool isImage;                // of the buffer

        bool isMask() const { return type == DataType::Bool; }
        bool isHalf() const { return !cHalf(type).empty(); }
    };

    NestDeclarations declarationsOf() const;
    void fail(const std::string &message);
    /// Returns false after an error, or if stopped, which is recorded as an error.
    bool goesOn();
    static std::string padOf(int depth) { return std::string(std::size_t(depth) * 4, ' '); }
    static Value::Kind kindOf(DataType type);
    /// Returns the scalar point that is one lane of a point.
    NestPoint atLane(const NestPoint &point, Lane lane) const;
    Value valueOf(const Expr &expr, const NestPoint &point);
    Value made(const Expr &expr, const NestPoint &point);
    Value loaded(ReadIndex read, const NestPoint &point);
    Value loadOf(ReadIndex read, const NestPoint &point);
    LoadSource sourceOf(ReadIndex read) const;
    bool isImage(ReadIndex read) const { return m_job.images.contains(read); }
    /// Returns an element, or so many lanes from an offset, of a source that is an image.
    std::string texelOf(const LoadSource &source, const IndexForm &offset, const NestPoint &point);
    std::string texelsOf(const LoadSource &source, const IndexForm &offset, const NestPoint &point);
    IndexForm offsetOf(const LoadSource &source, const NestPoint &point);
    /// Returns one element as a scalar, or the value outside of the tensor.
    std::string elementOf(const LoadSource &source, const NestPoint &point);
    /// Tells whether the lanes of a point differ in whether what they read is stored.
    bool guardsLanes(const LoadSource &source, const NestPoint &point);
    /// Tells whether the lanes of a point that guardsLanes() are always inside together.
    bool lanesAreTogether(const LoadSource &source, const NestPoint &point);
    /// Returns the lanes as one load from an offset, or joined from one load each. Both raise
    /// `level` to the deepest loop that a guard depends on.
    std::string vectorOf(const LoadSource &source, const IndexForm &offset, const NestPoint &point,
                         LevelIndex &level);
    std::string joinedLanes(const LoadSource &source, const NestPoint &point, LevelIndex &level);
    /// Returns a scalar as the element of a vector of neighbours along the point's elementLoop, if
    /// they are neighbours in memory, too.
    std::optional<Value> elementOfVector(ReadIndex read, const LoadSource &source,
                                         const IndexForm &offset, const NestPoint &point);
    /// Returns where the neighbours of an element begin that fill a vector, if they are all used:
    /// along the point's elementLoop, or as findRuns() has found them.
    std::optional<IndexForm> beginOfVector(ReadIndex read, const LoadSource &source,
                                           const IndexForm &offset, const NestPoint &point);
    Value insideOf(ReadIndex read, const NestPoint &point);
    Value function(const Expr &expr, std::vector<Value> arguments);
    /// Converts arguments of a function of vectors to masks or to floats.
    std::vector<Value> asLanes(Fn fn, std::vector<Value> arguments);
    Value vectorFunction(const Expr &expr, const std::vector<Value> &arguments);
    Value scalarFunction(const Expr &expr, const std::vector<Value> &arguments);
    Value converted(const Value &value, DataType type);
    Value asVector(Value value);
    /// Adds the product of a vector and an element of another one to an accumulator, if that is
    /// what the body is and it is computed in half precision; otherwise, returns false.
    bool addProduct(const std::string &name, const NestPoint &point);
    void accumulatePosition(const std::string &name, Value value, const NestPoint &point);
    /// Names the value in the level that it belongs to.
    Value named(Value value, const std::string &type);
    std::string typeOf(const Value &value) const;

    /// Returns the value of an axis at a point, over loop variables and the lane.
    IndexForm axisAt(AxisIndex axis, const NestPoint &point) const;
    IndexForm formAt(const IndexForm &form, const NestPoint &point);
    IndexForm offsetOf(const std::vector<IndexForm> &map, const Storage &storage,
                       const NestPoint &point);
    /// Visits the indices that the form's lookups read at, and those of lookups in these indices,
    /// each once.
    void forEachLookedUp(const IndexForm &form, const NestPoint &point,
                         const std::function<void(const IndexForm &)> &visit);
    LevelIndex levelOf(const IndexForm &form) const;
    std::string textOf(const IndexForm &form, const NestPoint &point);
    /// Returns pointer and constant offset of an element: "x2[12]", as an address "x2 + 12". Of an
    /// image, it is the number of the element.
    std::pair<std::string, std::int64_t> addressOf(const std::string &buffer,
                                                   const IndexForm &offset, const NestPoint &point);
    bool isLocal(BlockTensorIndex tensor) const
    {
        return !m_job.scratch.empty() && m_job.scratch[tensor] >= 0;
    }
    /// Returns the indices of a dimension at which memory holds what a read loads, margins
    /// included.
    Bounds storedOf(const NestRead &read, std::size_t dimension) const;
    /// Returns the condition that each index of an element is within its allowed bounds, or "" if
    /// they always are. Raises `level` to the deepest loop that the condition depends on.
    std::string within(const std::vector<IndexForm> &map, const NestPoint &point,
                       const std::function<Bounds(std::size_t)> &allowed, LevelIndex &level);
    /// Returns the condition that a read loads what is stored, as within() does.
    std::string inside(const NestRead &read, const NestPoint &point, LevelIndex &level);
    /// Returns `if (…) ` for a guarded store, or "" if it always stays inside.
    std::string guardOf(const NestStore &store, const NestPoint &point);
    IndexForm packedOffset(const PackedOperand &operand, const NestPoint &point) const;

    const NestJob &m_job;
    const Nest &m_nest;
    CodeOptions m_options;
    PackedOperands m_packed;
    NestDeclarations m_declarations;
    std::map<std::string, const DeclaredTensor *> m_declared; // by name
    IndexedVector<LoopIndex, std::string> m_loopNames;
    AxisExtents m_extents; // of the variables of loops, and at last of the lane
    AxisIndex m_lane;      // its variable
    IndexedVector<LevelIndex, Level> m_levels;
    std::optional<Level> m_after; // code that comes after the reduction
    int m_names = 0;
    std::unordered_map<const Expr::Node *, Value> m_known; // values at one point
    std::map<std::pair<ReadIndex, Lane>, Value> m_loads;   // the same
    std::string m_accumulator;                             // what Fn::Accumulator stands for
    bool m_accumulatorIsVector = false;
    /// Values that are elements of vectors, by their text: the name of the vector, and which one.
    std::map<std::string, std::pair<std::string, int>> m_elements;
    std::map<ReadIndex, std::vector<IndexForm>> m_runs; // where vectors of elements begin
    std::set<std::string> m_undeclared;                 // accumulators that take their first value
    const ReadIndex m_start;                            // accumulatorStart()
    bool m_startsThere = false;
    std::optional<Error> m_error;
};

} // namespace graphloom
