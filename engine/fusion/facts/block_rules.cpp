// SPDX-License-Identifier: Apache-2.0
#include "engine/fusion/facts/block_rules.h"

#include "engine/fusion/facts/intensive_fusion.h"
#include "engine/fusion/facts/mapping_table.h"
#include "engine/fusion/facts/row_fusion.h"
#include "engine/ops/describe/stage.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>
#include <utility>

namespace graphloom {

namespace {

using Cause = BlockBorder::Cause;

/// Checks one set of nodes.
class BlockCheck {
public:
    BlockCheck(const Ecg &ecg, const BlockLimits &limits, std::span<const NodeId> nodes)
        : m_ecg(ecg), m_graph(ecg.graph()), m_limits(limits), m_nodes(nodes), m_state(nodes.size())
    {
        for (std::size_t i = 0; i < nodes.size(); ++i)
            m_place.emplace(nodes[i], i);
    }

    BlockAnswer run()
    {
        for (std::size_t i = 0; i < m_nodes.size() && !m_answer.refusal; ++i)
            visit(i);
        if (!m_answer.refusal)
            checkLimits();
        if (!m_answer.refusal && !m_rowReads.empty())
            checkRows();
        return std::move(m_answer);
    }

private:
    /// Describes what the block does to the elements up to a node's result.
    struct State {
        MappingType mapping = MappingType::OneToOne;
        bool reduced = false;     // by a reduction or window
        bool contracted = false;  // by a contraction, and not reduced since
        int gathers = 0;          // Many-to-Many nodes on the paths that lead here, itself included
        bool followsRows = false; // it reads rows that the block computes, or siblings read, too
    };

    void visit(std::size_t i);
    void enter(std::size_t i, const EcgRead &read, const State &before);
    bool findSibling(std::size_t i);
    void checkLimits();
    void checkRows();
    std::optional<std::pair<Cause, std::string>> refusalOf(const RowFusion &rows) const;
    void needRow(const RowRead &read, const std::string &cell)
    {
        if (m_rowReads.empty())
            m_firstRowCell = cell;
        m_rowReads.push_back(read);
    }
    MappingType entryType(const EcgNode &facts) const;

    const State *stateOf(NodeId producer) const
    {
        const auto found = producer.valid() ? m_place.find(producer) : m_place.end();
        return found != m_place.end() ? &m_state[found->second] : nullptr;
    }
    void refuse(Cause cause, std::string reason, NodeId producer = {}, NodeId consumer = {})
    {
        m_answer.refusal = {cause, {producer, consumer, std::move(reason)}};
    }

    const Ecg &m_ecg;
    const Graph &m_graph;
    const BlockLimits &m_limits;
    std::span<const NodeId> m_nodes;
    std::unordered_map<NodeId, std::size_t> m_place;
    std::vector<State> m_state;
    std::vector<RowRead> m_rowReads;
    std::string m_firstRowCell;
    int m_gathers = 0;
    NodeId m_lastGathering;
    BlockAnswer m_answer;
};

/// Returns the mapping type of a node that begins the block: that of its largest operand, since
/// operands that are broadcast to it are small and read from outside.
MappingType BlockCheck::entryType(const EcgNode &facts) const
{
    const EcgRead *largest = nullptr;
    for (const EcgRead &read : facts.reads)
        if (read.mapping && !read.constant &&
            (!largest || m_ecg.estimatedBytes(read.tensor) > m_ecg.estimatedBytes(largest->tensor)))
            largest = &read;
    return largest ? *largest->mapping : facts.mapping;
}

void BlockCheck::enter(std::size_t i, const EcgRead &read, const State &before)
{
    const NodeId id = m_nodes[i];
    const EcgNode &facts = m_ecg.node(id);
    State &state = m_state[i];
    const MappingType pair = read.mapping.value_or(MappingType::OneToOne);
    const FusionCell cell = fusionCell(before.mapping, pair);
    // The cause comes first, the paper's terms last. Most cells are green and need no text.
    const auto because = [&](std::string_view cause) {
        return std::string(cause) + " (" + textOfCell(before.mapping, pair) + ")";
    };
    const std::string_view meaning = meaningOf(cell.verdict);
    const bool contracts = facts.operatorClass == OperatorClass::Contraction;
    const bool gathers = pair == MappingType::ManyToMany;
    if (cell.verdict == FusionVerdict::Red) {
        if (!m_limits.reductions || !gathers)
            return refuse(Cause::MappingTypes, because(meaning), read.producer, id);
        std::string how = read.once ? "each element is needed once" : "it can run row by row";
        if (contracts && before.contracted) {
            if (m_limits.contractions != BlockLimits::Contractions::Intensive)
                return refuse(Cause::MappingTypes,
                              because("two contractions in one kernel: only intensive fusion (ago) "
                                      "can merge them"),
                              read.producer, id);
            const IntensiveFusion intensive = intensiveFusionOf(facts, read);
            if (!intensive.isPossible())
                return refuse(Cause::MappingTypes, because(intensive.text()), read.producer, id);
            how = "it runs in " + intensive.text();
        }
        m_answer.undecided.push_back({read.producer, id, because(how)});
        if (!read.once) {
            needRow({read.producer, id, read.tensor, true}, textOfCell(before.mapping, pair));
            state.followsRows = true;
        }
    } else if (cell.verdict == FusionVerdict::Yellow) {
        m_answer.undecided.push_back({read.producer, id, because(meaning)});
    }
    if (pair == MappingType::OneToMany && before.reduced) {
        if (!m_limits.reductions && before.mapping == MappingType::ManyToMany &&
            facts.reads.size() > 1)
            return refuse(Cause::MappingTypes,
                          because("a reduction's result is read together with the reduced operand"),
                          read.producer, id);
        needRow({read.producer, id, read.tensor, false}, textOfCell(before.mapping, pair));
    }
    state.mapping = std::max(state.mapping, cell.mapping);
    state.reduced = state.reduced || before.reduced;
    state.gathers = std::max(state.gathers, before.gathers);
    state.contracted = state.contracted || (before.contracted && !gathers);
}

void BlockCheck::visit(std::size_t i)
{
    const NodeId id = m_nodes[i];
    const EcgNode &facts = m_ecg.node(id);
    if (facts.isOpaque() && m_nodes.size() > 1)
        return refuse(Cause::Opaque, m_graph.node(id).label() +
                                         " has no index maps: " + facts.description->opaque);
    bool begins = true;
    for (const EcgRead &read : facts.reads)
        if (const State *before = stateOf(read.producer)) {
            begins = false;
            enter(i, read, *before);
            if (m_answer.refusal)
                return;
        }
    State &state = m_state[i];
    if (begins)
        state.mapping = m_nodes.size() == 1 ? facts.mapping : entryType(facts);
    if (facts.operatorClass == OperatorClass::Contraction)
        state.contracted = true;
    if (facts.operatorClass == OperatorClass::Window) {
        state.reduced = true;
        state.contracted = false;
    }
    m_answer.mapping = std::max(m_answer.mapping, state.mapping);
    if (facts.mapping != MappingType::ManyToMany)
        return;
    // A loop nest can run one gathering after another, but two side by side only in the loop over
    // rows that they both read.
    const bool joins = m_limits.contractions == BlockLimits::Contractions::Intensive;
    if (state.gathers < m_gathers && !(joins && (state.followsRows || findSibling(i))))
        return refuse(Cause::MappingTypes,
                      m_graph.node(m_lastGathering).label() + " and " + m_graph.node(id).label() +
                          " are on parallel branches, but one kernel can only run such operators "
                          "in sequence (" +
                          textOfCell(MappingType::ManyToMany, MappingType::ManyToMany) + ")");
    state.gathers = ++m_gathers;
    m_lastGathering = id;
}

/// Tells whether another node before gathers from the same tensor from outside; if so, both are to
/// follow its rows.
bool BlockCheck::findSibling(std::size_t i)
{
    const auto isShared = [this](const EcgRead &read) {
        return read.mapping == MappingType::ManyToMany && !read.constant && !stateOf(read.producer);
    };
    for (const EcgRead &read : m_ecg.node(m_nodes[i]).reads) {
        if (!isShared(read))
            continue;
        for (const NodeId sibling : m_nodes.first(i)) {
            const auto reads = [&](const EcgRead &other) {
                return other.tensor == read.tensor && isShared(other);
            };
            if (!std::ranges::any_of(m_ecg.node(sibling).reads, reads))
                continue;
            for (const NodeId reader : {sibling, m_nodes[i]})
                needRow({{}, reader, read.tensor, true},
                        textOfCell(MappingType::ManyToMany, MappingType::ManyToMany));
            m_state[i].followsRows = true;
            return true;
        }
    }
    return false;
}

void BlockCheck::checkLimits()
{
    const auto above = [&](const char *what, std::size_t count, int limit) {
        if (count > std::size_t(limit) && m_nodes.size() > 1 && !m_answer.refusal)
            refuse(Cause::Constraint, std::string("too many ") + what + ": " +
                                          std::to_string(count) +
                                          " (limit: " + std::to_string(limit) + ")");
    };
    above("operators", m_nodes.size(), m_limits.operators);
    const BlockInterface crossing = interfaceOf(m_graph, {m_nodes.begin(), m_nodes.end()});
    above("inputs", crossing.inputs.size(), m_limits.inputs);
    above("outputs", crossing.outputs.size(), m_limits.outputs);
    if (m_limits.contractions == BlockLimits::Contractions::One)
        above("complex operators",
              std::size_t(std::ranges::count_if(m_nodes,
                                                [&](NodeId id) {
                                                    return m_ecg.node(id).operatorClass ==
                                                           OperatorClass::Contraction;
                                                })),
              1);
    // A value is live from its node to the last node of the block that reads it.
    std::vector<std::size_t> lastReader(m_nodes.size(), 0);
    for (std::size_t i = 0; i < m_nodes.size(); ++i)
        for (const EcgRead &read : m_ecg.node(m_nodes[i]).reads)
            if (const auto found = m_place.find(read.producer); found != m_place.end())
                lastReader[found->second] = i;
    std::vector<int> ends(m_nodes.size(), 0);
    int live = 0, most = 0;
    for (std::size_t i = 0; i < m_nodes.size(); ++i) {
        live -= ends[i];
        if (lastReader[i] > i) {
            ++live;
            ++ends[lastReader[i]];
        }
        most = std::max(most, live);
    }
    above("simultaneously live values", std::size_t(most), m_limits.liveValues);
}

void BlockCheck::checkRows()
{
    const bool joins = m_limits.contractions == BlockLimits::Contractions::Intensive;
    for (const RowFusion &rows : rowFusionsOf(m_ecg, m_nodes, m_rowReads, joins)) {
        const auto refusal = refusalOf(rows);
        if (!refusal) {
            const double fitting =
                rows.keptBytes > 0 ? std::floor(m_limits.scratchBytes / rows.keptBytes) : rows.rows;
            m_answer.refusal.reset();
            m_answer.rereadBytes =
                rows.rereadBytes(std::min(fitting, std::ceil(rows.rows / m_limits.leastRows)));
            return;
        }
        if (!m_answer.refusal)
            refuse(refusal->first, refusal->second + " (" + m_firstRowCell + ")",
                   m_rowReads.front().producer, m_rowReads.front().consumer);
    }
}

/// Returns why a block cannot run by these rows; none if it can.
std::optional<std::pair<Cause, std::string>> BlockCheck::refusalOf(const RowFusion &rows) const
{
    using Refusal = std::pair<Cause, std::string>;
    if (!rows.refusal.empty())
        return Refusal{Cause::MappingTypes, rows.refusal};
    const auto kib = [](double bytes) { return std::to_string(std::llround(bytes / 1024)); };
    if (rows.keptBytes > m_limits.scratchBytes)
        return Refusal{Cause::Constraint, "a row needs " + kib(rows.keptBytes) +
                                              " KiB of scratch memory; the limit is " +
                                              kib(m_limits.scratchBytes) + " KiB"};
    if (!rows.operands.empty() && rows.rows < m_limits.leastRows)
        return Refusal{
            Cause::Constraint,
            "too few rows to share among cores: " + std::to_string(std::llround(rows.rows)) +
                " (minimum: " + std::to_string(std::llround(m_limits.leastRows)) + ")"};
    for (const RowFusion::Operand &operand : rows.operands)
        if (operand.bytes > m_limits.operandBytes && operand.slices < rows.rows)
            return Refusal{Cause::Constraint,
                           "\"" + m_graph.tensor(operand.tensor).name + "\" (" +
                               kib(operand.bytes) +
                               " KiB) would be read again for every row tile; the limit is " +
                               kib(m_limits.operandBytes) + " KiB"};
    return std::nullopt;
}

} // namespace

BlockAnswer BlockRules::check(std::span<const NodeId> nodes) const
{
    if (m_within)
        for (const NodeId id : nodes) {
            const auto own = m_within->subgraphOf[id.index];
            const auto first = m_within->subgraphOf[nodes.front().index];
            if (own != first) {
                BlockAnswer answer;
                answer.refusal = {Cause::Subgraph,
                                  {{},
                                   {},
                                   "the two are in subgraphs " + std::to_string(first) + " and " +
                                       std::to_string(own) + " of the partition"}};
                return answer;
            }
        }
    return BlockCheck(m_ecg, m_limits, nodes).run();
}

} // namespace graphloom
