// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/checkpoint.h"

#include <nlohmann/json.hpp>
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

/// A letter for each eviction.
std::string textOf(const std::vector<Policy> &policies)
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
            {"nodes", std::move(positions)}};
}

Json stateJson(const Variant &variant, const State &state)
{
    Json fissions = Json::array();
    for (const EnabledFission &enabled : state.arrangement->fissions())
        fissions.push_back(fissionJson(variant, enabled));
    return {{"order", state.order},
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

/// None where the entry does not fit the graph.
std::optional<EnabledFission> fissionOf(const Variant &variant, const Json &entry)
{
    const TensorId seed{entry.at("tensor").get<std::uint32_t>()};
    const int dim = entry.at("dim").get<int>();
    if (!variant.graph.contains(seed) || !variant.graph.tensor(seed).shape || dim < 0 ||
        dim >= int(variant.graph.tensor(seed).shape->size()))
        return std::nullopt;
    std::vector<NodeId> nodes;
    for (const Json &position : entry.at("nodes")) {
        const auto p = position.get<std::size_t>();
        if (p >= variant.graph.nodeCount())
            return std::nullopt;
        nodes.push_back(variant.graph.order()[p]);
    }
    if (nodes.empty())
        return std::nullopt;
    auto fission = Fission::of(*variant.memory,
                               variant.space->dimension(seed, dim, entry.at("halos").get<bool>()),
                               std::move(nodes));
    if (!fission)
        return std::nullopt;
    return EnabledFission{variant.space->fissions().add(std::move(*fission)),
                          entry.at("parts").get<int>()};
}

std::optional<State> stateOf(const Variant &variant, Simulator &simulator, const Json &entry)
{
    const int order = entry.at("order").get<int>();
    const auto text = entry.at("policies").get<std::string>();
    if (order < 0 || std::size_t(order) >= variant.space->orders().size() ||
        text.size() != variant.space->evictions().size())
        return std::nullopt;
    std::vector<Policy> policies;
    for (const char letter : text)
        policies.push_back(letter == 's'   ? Policy::Swap
                           : letter == 'r' ? Policy::Recompute
                                           : Policy::Keep);
    std::vector<EnabledFission> fissions;
    for (const Json &fission : entry.at("fissions")) {
        const auto enabled = fissionOf(variant, fission);
        if (!enabled)
            return std::nullopt;
        fissions.push_back(*enabled);
    }
    auto arrangement = variant.space->arrange(order, std::move(fissions));
    if (!arrangement)
        return std::nullopt;
    return variant.space->evaluate(simulator, order, std::move(arrangement), std::move(policies));
}

/// May throw Json::exception where the file is none of ours.
Result<std::size_t> take(const Json &file, std::span<Variant> variants, const std::string &where)
{
    if (file.at("schema").get<int>() != schema)
        return fail(Error::Kind::Usage, "the checkpoint is of another version of Graphloom", where);
    if (file.at("device").get<std::string>() != variants.front().memory->device().name)
        return fail(Error::Kind::Usage,
                    "the checkpoint is for the device " + file.at("device").get<std::string>() +
                        "; set magis.device to it",
                    where);
    std::size_t taken = 0;
    bool known = false;
    for (const Json &entry : file.at("variants"))
        for (Variant &variant : variants) {
            if (entry.at("graph").get<std::string>() != hashText(variant))
                continue;
            known = true;
            Simulator simulator(*variant.memory, variant.space->evictions());
            for (const Json &state : entry.at("states"))
                if (auto found = stateOf(variant, simulator, state);
                    found && variant.optimization->keepsLocks(*found)) {
                    variant.search->seed(std::move(*found));
                    ++taken;
                }
        }
    if (!known)
        return fail(Error::Kind::Usage,
                    "the checkpoint is of another graph: the model, the options of training, the "
                    "batch and the passes before magis have to be the same",
                    where);
    return taken;
}

tl::unexpected<Error> noDecisions(const std::string &where)
{
    return fail(Error::Kind::Usage,
                "its fissions cannot be changed: they are of another graph or device than the plan "
                "has now; run the pass again",
                where);
}

} // namespace

std::string checkpointOf(std::span<const Variant> variants)
{
    Json file{{"schema", schema},
              {"device", variants.front().memory->device().name},
              {"variants", Json::array()}};
    for (const Variant &variant : variants)
        file["variants"].push_back(variantJson(variant));
    return file.dump();
}

Result<std::size_t> readCheckpoint(const Context::Resume &from, std::span<Variant> variants)
{
    const Json file = Json::parse(from.state, nullptr, false);
    try {
        return take(file, variants, from.where);
    } catch (const Json::exception &) {
        return fail(Error::Kind::Usage, "this is no checkpoint of magis", from.where);
    }
}

std::string textOf(const Variant &variant, const Decisions &decisions)
{
    Json tree = Json::array();
    for (std::size_t f = 0; f < decisions.tree.size(); ++f) {
        tree.push_back(fissionJson(variant, decisions.tree[f]));
        tree.back()["locked"] = bool(decisions.locked[f]);
    }
    return Json{{"schema", schema},
                {"device", variant.memory->device().name},
                {"variant", variant.name},
                {"graph", hashText(variant)},
                {"state", stateJson(variant, decisions.state)},
                {"tree", std::move(tree)}}
        .dump();
}

std::optional<std::string> variantIn(const std::string &text)
{
    const Json file = Json::parse(text, nullptr, false);
    if (!file.is_object() || !file.contains("variant") || !file["variant"].is_string())
        return std::nullopt;
    return file["variant"].get<std::string>();
}

Result<Decisions> readDecisions(const std::string &text, const Variant &variant,
                                const std::string &where)
{
    const Json file = Json::parse(text, nullptr, false);
    try {
        if (file.at("schema").get<int>() != schema ||
            file.at("device").get<std::string>() != variant.memory->device().name ||
            file.at("graph").get<std::string>() != hashText(variant))
            return noDecisions(where);
        Decisions decisions;
        decisions.variant = variant.name;
        Simulator simulator(*variant.memory, variant.space->evictions());
        auto state = stateOf(variant, simulator, file.at("state"));
        if (!state)
            return noDecisions(where);
        decisions.state = std::move(*state);
        for (const Json &entry : file.at("tree")) {
            const auto fission = fissionOf(variant, entry);
            if (!fission)
                return noDecisions(where);
            decisions.tree.push_back(*fission);
            decisions.locked.push_back(entry.at("locked").get<bool>());
        }
        return decisions;
    } catch (const Json::exception &) {
        return noDecisions(where);
    }
}

} // namespace graphloom::magis
