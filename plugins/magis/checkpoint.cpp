// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/checkpoint.h"

#include "engine/system/json_text.h"
#include "plugins/magis/checkpoint_field.h"

#include <algorithm>
#include <limits>
#include <sstream>

namespace graphloom::magis {

namespace {

using Json = nlohmann::json;

constexpr int schema = 1;

std::string hashText(const Variant &variant)
{
    std::ostringstream text;
    text << std::hex << variant.graph.hash();
    return text.str();
}

/// Returns one letter per eviction.
std::string textOf(const Policies &policies)
{
    std::string text;
    for (const Policy policy : policies)
        text += policy == Policy::Keep ? '.' : policy == Policy::Swap ? 's' : 'r';
    return text;
}

Json fissionJson(const Variant &variant, const EnabledFission &enabled)
{
    const Fission &fission = variant.space->fissions().fission(enabled.fission);
    Json positions = Json::array();
    for (const NodeId id : fission.nodes())
        positions.push_back(variant.graph.position(id));
    return {{"tensor", fission.dimension().seed.index},
            {"dim", fission.dimension().seedDim},
            {"halos", fission.dimension().halos},
            {"parts", enabled.number},
            {"part_size", enabled.size},
            {"nodes", std::move(positions)}};
}

/// Returns the index of an order in the portfolio, or its steps one by one.
Json orderJson(const SearchSpace &space, OrderIndex order)
{
    if (space.orders().contains(order))
        return order.number();
    Json steps = Json::array();
    for (const StepIndex step : space.order(order))
        steps.push_back(step.number());
    return steps;
}

Json stateJson(const Variant &variant, const State &state)
{
    Json fissions = Json::array();
    for (const EnabledFission &enabled : state.arrangement->fissions())
        fissions.push_back(fissionJson(variant, enabled));
    return {{"order", orderJson(*variant.space, state.order)},
            {"policies", textOf(state.policies)},
            {"fissions", std::move(fissions)}};
}

Json variantJson(const Variant &variant)
{
    Json states = Json::array();
    for (const auto &entry : variant.search->archive().entries())
        states.push_back(stateJson(variant, entry.state));
    return {{"name", variant.name}, {"graph", hashText(variant)}, {"states", std::move(states)}};
}

/// Returns the fission of an entry, with its parts; refuses entries that do not fit the graph.
EnabledFission fissionOf(const Variant &variant, const CheckpointField &entry, int leastParts)
{
    const Graph &graph = variant.graph;
    const auto seed = entry["tensor"];
    const TensorId tensor{std::uint32_t(seed.integer(0, std::int64_t(graph.tensorBound()) - 1))};
    if (!graph.contains(tensor) || !graph.tensor(tensor).shape)
        seed.refuse("is not a tensor of the graph with a known shape");
    const int rank = int(graph.tensor(tensor).shape->size());
    const int dim = int(entry["dim"].integer(0, rank - 1));
    const bool halos = entry["halos"].flag();
    const auto positions = entry["nodes"];
    std::vector<NodeId> nodes;
    std::vector<bool> has(graph.nodeBound(), false);
    for (std::size_t i = 0; i < positions.size(); ++i) {
        const auto position = positions[i];
        nodes.push_back(
            graph.order()[std::size_t(position.integer(0, std::int64_t(graph.nodeCount()) - 1))]);
        if (has[nodes.back().index])
            position.refuse("is a duplicate");
        has[nodes.back().index] = true;
    }
    if (nodes.empty())
        positions.refuse("is empty");
    std::string reason;
    auto fission = Fission::of(*variant.memory, variant.space->dimension(tensor, dim, halos),
                               std::move(nodes), &reason);
    if (!fission)
        positions.refuse("cannot be split: " + reason);
    const auto parts = entry["parts"];
    const auto most = std::min<std::int64_t>(fission->units(), std::numeric_limits<int>::max());
    const int number = int(parts.integer(leastParts, most));
    if (number > 1 && !fission->canBeIn(*variant.memory, number))
        parts.refuse("is invalid: one of the parts would lie entirely in the padding");
    int size = 0;
    if (entry.has("part_size")) {
        const auto given = entry["part_size"];
        size = int(given.integer(0, most));
        if (!Cutting{number, size}.fits(fission->units()) || (size > 0 && fission->hasWindows()))
            given.refuse("is a part size that does not yield that many parts");
    }
    return {variant.space->fissions().add(std::move(*fission)), number, size};
}

Policies policiesOf(const CheckpointField &field, std::size_t count)
{
    const std::string &text = field.text();
    if (text.size() != count)
        field.refuse("has " + std::to_string(text.size()) + " letters, not " +
                     std::to_string(count));
    Policies policies;
    for (const char letter : text) {
        if (letter != '.' && letter != 's' && letter != 'r')
            field.refuse("has other letters than '.', 's' and 'r'");
        policies.push_back(letter == 's'   ? Policy::Swap
                           : letter == 'r' ? Policy::Recompute
                                           : Policy::Keep);
    }
    return policies;
}

/// Reads an order, which is given by its index in the portfolio or step by step.
OrderIndex orderOf(const Variant &variant, const CheckpointField &field)
{
    const SearchSpace &space = *variant.space;
    const auto steps = variant.memory->steps();
    if (!field.isList())
        return OrderIndex(field.integer(0, space.orders().lastIndex().number()));
    if (field.size() != steps.size())
        field.refuse("has " + std::to_string(field.size()) + " steps, not " +
                     std::to_string(steps.size()));
    StepOrder order;
    IndexedVector<StepIndex, bool> done(steps.size(), false);
    for (std::size_t p = 0; p < field.size(); ++p) {
        const auto place = field[p];
        const StepIndex step(place.integer(0, std::ssize(steps) - 1));
        if (done[step])
            place.refuse("is a duplicate");
        if (!std::ranges::all_of(steps[step].before,
                                 [&](StepIndex before) { return done[before]; }))
            place.refuse("precedes a step that it depends on");
        done[step] = true;
        order.push_back(step);
    }
    return space.addOrder(std::move(order));
}

State stateOf(const Variant &variant, Simulator &simulator, const CheckpointField &entry)
{
    const SearchSpace &space = *variant.space;
    const OrderIndex order = orderOf(variant, entry["order"]);
    auto policies = policiesOf(entry["policies"], space.evictions().size());
    const auto list = entry["fissions"];
    // Distinct sets of nodes that are nested or disjoint are fewer than two per node.
    if (list.size() >= 2 * variant.graph.nodeCount())
        list.refuse("are too many for the graph");
    std::vector<EnabledFission> fissions;
    for (std::size_t f = 0; f < list.size(); ++f)
        fissions.push_back(fissionOf(variant, list[f], 2));
    auto arrangement = space.arrange(order, std::move(fissions));
    if (!arrangement)
        list.refuse("do not match");
    auto state = space.evaluate(simulator, order, std::move(arrangement), std::move(policies));
    if (!state)
        entry.refuse("cannot run: a recomputed step needs a tensor that is no longer in memory");
    return *std::move(state);
}

/// Seeds the searches; returns the number of states taken. May throw CheckpointField::Refusal.
Result<std::size_t> take(const CheckpointField &file, std::span<Variant> variants,
                         const std::string &where)
{
    constexpr std::int64_t anyNumber = std::numeric_limits<std::int64_t>::max();
    if (file["schema"].integer(-anyNumber, anyNumber) != schema)
        return fail(Error::Kind::Usage,
                    "the checkpoint was written by another version of Graphloom", where);
    if (const std::string &device = file["device"].text();
        device != variants.front().memory->device().name)
        return fail(Error::Kind::Usage,
                    "the checkpoint is for the device " + device + "; set magis.device to it",
                    where);
    const auto entries = file["variants"];
    std::vector<std::pair<Variant *, State>> found;
    bool known = false;
    for (std::size_t e = 0; e < entries.size(); ++e) {
        const auto entry = entries[e];
        const std::string &graph = entry["graph"].text();
        for (Variant &variant : variants) {
            if (graph != hashText(variant))
                continue;
            known = true;
            Simulator simulator(*variant.memory, variant.space->evictions());
            const auto states = entry["states"];
            for (std::size_t s = 0; s < states.size(); ++s)
                found.emplace_back(&variant, stateOf(variant, simulator, states[s]));
        }
    }
    if (!known)
        return fail(Error::Kind::Usage,
                    "the checkpoint belongs to another graph: the model, the training options, the "
                    "batch size and the passes before magis must be the same",
                    where);
    // Seeding starts only now, so that a file with an error leaves the searches unchanged.
    std::size_t taken = 0;
    for (auto &[variant, state] : found)
        if (variant->optimization->keepsLocks(state)) {
            variant->search->seed(std::move(state));
            ++taken;
        }
    return taken;
}

tl::unexpected<Error> noDecisions(const std::string &where, const std::string &reason = {})
{
    return fail(Error::Kind::Usage,
                "cannot change its fissions: they belong to another graph or device than the plan "
                "has now; run the pass again" +
                    (reason.empty() ? reason : " (" + reason + ')'),
                where);
}

/// Returns the number of parts of a fission in a state; 1 if it is not enabled.
int numberIn(const State &state, FissionIndex fission)
{
    const auto &fissions = state.arrangement->fissions();
    const auto at = std::ranges::find(fissions, fission, &EnabledFission::fission);
    return at == fissions.end() ? 1 : at->number;
}

} // namespace

std::string checkpointOf(std::span<const Variant> variants)
{
    Json file{{"schema", schema},
              {"device", variants.front().memory->device().name},
              {"variants", Json::array()}};
    for (const Variant &variant : variants)
        file["variants"].push_back(variantJson(variant));
    return jsonText(file);
}

Result<std::size_t> readCheckpoint(const Context::Resume &from, std::span<Variant> variants)
{
    const Json file = jsonOf(from.state);
    try {
        return take(CheckpointField(file), variants, from.where);
    } catch (const CheckpointField::Refusal &refusal) {
        return fail(Error::Kind::Usage, "not a checkpoint of magis: " + refusal.reason, from.where);
    }
}

std::string textOf(const Variant &variant, const Decisions &decisions)
{
    Json tree = Json::array();
    for (std::size_t f = 0; f < decisions.tree.size(); ++f) {
        tree.push_back(fissionJson(variant, decisions.tree[f]));
        tree.back()["locked"] = bool(decisions.locked[f]);
    }
    return jsonText(Json{{"schema", schema},
                         {"device", variant.memory->device().name},
                         {"variant", variant.name},
                         {"graph", hashText(variant)},
                         {"state", stateJson(variant, decisions.state)},
                         {"tree", std::move(tree)}});
}

std::optional<std::string> variantIn(const std::string &text)
{
    const Json file = jsonOf(text);
    if (!file.is_object() || !file.contains("variant") || !file["variant"].is_string())
        return std::nullopt;
    return file["variant"].get<std::string>();
}

Result<Decisions> readDecisions(const std::string &text, const Variant &variant,
                                const std::string &where)
{
    const Json parsed = jsonOf(text);
    const CheckpointField file(parsed);
    try {
        if (file["schema"].integer(schema, schema) != schema ||
            file["device"].text() != variant.memory->device().name ||
            file["graph"].text() != hashText(variant))
            return noDecisions(where);
        Simulator simulator(*variant.memory, variant.space->evictions());
        Decisions decisions{variant.name, stateOf(variant, simulator, file["state"]), {}, {}};
        const auto tree = file["tree"];
        for (std::size_t f = 0; f < tree.size(); ++f) {
            const auto entry = tree[f];
            decisions.tree.push_back(fissionOf(variant, entry, 1));
            if (numberIn(decisions.state, decisions.tree.back().fission) !=
                decisions.tree.back().number)
                entry["parts"].refuse("differs from the state");
            decisions.locked.push_back(entry["locked"].flag());
        }
        return decisions;
    } catch (const CheckpointField::Refusal &refusal) {
        return noDecisions(where, refusal.reason);
    }
}

} // namespace graphloom::magis
