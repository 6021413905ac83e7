// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/entries/statistics.h"

#include <algorithm>

namespace graphloom::build {

namespace {

/// Returns the map with its axes renumbered.
IndexMap renumbered(IndexMap map, const std::vector<int> &axisOf)
{
    for (Index &index : map)
        for (auto &term : index.terms)
            term.axis = axisOf[std::size_t(term.axis)];
    return map;
}

} // namespace

Statistics::Statistics(const Call &call, std::vector<Loop> loops, IndexMap map)
    : m_call(&call), m_loops(std::move(loops)), m_map(std::move(map)),
      m_type(call.type(0) == DataType::Double ? DataType::Double : DataType::Float)
{
    m_description.values.push_back({call.type(0), std::nullopt, {}});
}

Statistics Statistics::along(const Call &call, const std::vector<int> &dimensions)
{
    std::vector<Loop> loops;
    for (const Axis &axis : spaceAxes(call.shape(0)))
        loops.push_back({axis.name, axis.extent, false});
    for (const int d : dimensions)
        loops[std::size_t(d)].gathered = true;
    return Statistics(call, std::move(loops), identityMap(call.rank(0)));
}

void Statistics::addOutput(DataType type)
{
    m_description.values.push_back({type, std::nullopt, {}});
}

void Statistics::replaceElements(Stage stage)
{
    m_elements = {Operand::Kind::Value, stage.value};
    m_description.stages.push_back(std::move(stage));
}

Stage Statistics::loops(bool gathering, std::vector<int> &axisOf) const
{
    Stage stage;
    axisOf.assign(m_loops.size(), 0);
    for (const bool second : {false, true}) // reductions come last
        for (std::size_t l = 0; l < m_loops.size(); ++l) {
            if ((gathering && m_loops[l].gathered) != second)
                continue;
            axisOf[l] = int(stage.axes.size());
            stage.axes.push_back({m_loops[l].name, m_loops[l].extent,
                                  second ? Axis::Kind::Reduce : Axis::Kind::Space});
        }
    stage.reads = {{m_elements, renumbered(m_map, axisOf)}};
    return stage;
}

std::vector<Expr> Statistics::loadGathered(Stage &stage, const std::vector<int> &axisOf) const
{
    IndexMap map;
    for (std::size_t l = 0; l < m_loops.size(); ++l)
        if (!m_loops[l].gathered)
            map.push_back(Index::axis(axisOf[l]));
    std::vector<Expr> loads;
    for (const int value : m_gathered) {
        loads.push_back(
            Expr::load(int(stage.reads.size()), m_description.values[std::size_t(value)].type));
        stage.reads.push_back(readValue(value, map));
    }
    return loads;
}

Expr Statistics::loadElement() const
{
    const bool isInput = m_elements.kind == Operand::Kind::Input;
    const DataType type = isInput ? m_call->type(std::size_t(m_elements.index))
                                  : m_description.values[std::size_t(m_elements.index)].type;
    return Expr::cast(Expr::load(0, type), m_type);
}

int Statistics::gather(std::string name, Combine combine, double initial, const Body &body,
                       const std::function<Expr(const Expr &)> &finish)
{
    std::vector<int> axisOf;
    Stage stage = loops(true, axisOf);
    const int value = int(m_description.values.size());
    stage.name = std::move(name);
    stage.value = value;
    stage.combine = combine;
    stage.initial = initial;
    stage.body = body(loadElement(), loadGathered(stage, axisOf));
    if (finish)
        stage.finish = finish(Expr::accumulator(m_type));
    for (std::size_t l = 0; l < m_loops.size(); ++l)
        if (!m_loops[l].gathered)
            stage.write.push_back(Index::axis(axisOf[l]));
    m_description.values.push_back({m_type, std::nullopt, {}});
    m_description.stages.push_back(std::move(stage));
    m_gathered.push_back(value);
    return value;
}

void Statistics::gatherMoments()
{
    const auto divided = [this](const Expr &sum) { return sum / count(); };
    gather(
        "mean", Combine::Sum, 0, [](const Expr &x, const auto &) { return x; }, divided);
    gather(
        "variance", Combine::Sum, 0,
        [](const Expr &x, const auto &gathered) {
            const Expr difference = x - gathered.back();
            return difference * difference;
        },
        divided);
}

Description Statistics::finish(std::string name,
                               const std::vector<std::pair<int, IndexMap>> &parameters,
                               const Final &body)
{
    std::vector<int> axisOf;
    Stage stage = loops(false, axisOf);
    stage.name = std::move(name);
    const auto gathered = loadGathered(stage, axisOf);
    std::vector<Expr> loads;
    for (const auto &[input, map] : parameters) {
        loads.push_back(Expr::cast(
            Expr::load(int(stage.reads.size()), m_call->type(std::size_t(input))), m_type));
        stage.reads.push_back(readInput(input, renumbered(map, axisOf)));
    }
    stage.write = renumbered(m_map, axisOf);
    stage.body = body(loadElement(), gathered, loads);
    m_description.stages.push_back(std::move(stage));
    return std::move(m_description);
}

Expr Statistics::count() const
{
    Dim points = 1;
    for (const Loop &loop : m_loops)
        if (loop.gathered)
            points *= loop.extent;
    return points.isConstant() ? Expr::real(double(points.value()), m_type)
                               : Expr::cast(Expr::table({points}, Expr::integer(0)), m_type);
}

} // namespace graphloom::build
