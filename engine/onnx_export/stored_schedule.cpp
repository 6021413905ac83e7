// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx_export/stored_schedule.h"

#include "engine/onnx/format/utf8.h"
#include "engine/system/json_text.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <unordered_map>

namespace graphloom {

namespace {

using ScheduleJson = nlohmann::ordered_json; // finds members by linear search
using StoredJson = nlohmann::json;           // for objects with any number of members

constexpr int scheduleSchema = 1;
constexpr std::size_t longestSchedule = std::size_t{1} << 27;
constexpr int arenaAlignment = 64; // of planArena()

/// Reads the members of JSON of any form and reports only the first defect.
class ScheduleReader {
public:
    explicit ScheduleReader(const Graph &graph) : m_graph(graph)
    {
        for (const NodeId id : graph.order())
            m_nodes.emplace(graph.node(id).name, id);
        for (std::uint32_t t = 0; t < graph.tensorBound(); ++t)
            if (graph.contains(TensorId{t}))
                m_tensors.emplace(graph.tensor(TensorId{t}).name, TensorId{t});
    }

    Result<MemorySchedule> read(const StoredJson &stored)
    {
        const StoredJson *version = find(stored, "schema");
        if (!version || !version->is_number_integer())
            return fail(Error::Kind::Model, "the stored memory schedule has no schema number");
        if (*version != scheduleSchema)
            return fail(Error::Kind::Model,
                        "the stored memory schedule has an unsupported format, schema " +
                            version->dump());
        m_schedule.graphHash = m_graph.hash();
        const std::string weights = textOf(stored, "weights");
        if (weights != "counted" && weights != "left-out")
            refuse("\"weights\" is neither counted nor left-out");
        m_schedule.countsWeights = weights == "counted";
        for (const StoredJson &name : listOf(stored, "order"))
            m_schedule.order.push_back(named(m_nodes, name, "node"));
        for (const StoredJson &storage : listOf(stored, "storages"))
            readStorage(storage);
        for (const StoredJson &swap : listOf(stored, "swaps"))
            m_schedule.swaps.push_back({stepOf(swap, "storage"), stepOf(swap, "stored_after"),
                                        stepOf(swap, "away_from"), stepOf(swap, "back_at"),
                                        stepOf(swap, "loaded_before")});
        for (const StoredJson &copy : listOf(stored, "early_copies"))
            m_schedule.copies.push_back({named(m_tensors, member(copy, "tensor"), "tensor"),
                                         named(m_tensors, member(copy, "into"), "tensor")});
        for (const StoredJson &workspace : listOf(stored, "workspaces"))
            m_schedule.workspaces.push_back(
                {stepOf(workspace, "step"), numberOf(workspace, "bytes")});
        m_schedule.arenaBytes = numberOf(member(stored, "arena"), "bytes");
        if (m_reason.empty())
            GL_TRY(checkSchedule(m_graph, m_schedule));
        if (!m_reason.empty())
            return fail(Error::Kind::Model,
                        "the stored memory schedule cannot be used: " + m_reason);
        return std::move(m_schedule);
    }

private:
    void refuse(std::string reason)
    {
        if (m_reason.empty())
            m_reason = std::move(reason);
    }

    static const StoredJson *find(const StoredJson &object, const char *key)
    {
        if (!object.is_object())
            return nullptr;
        const auto at = object.find(key);
        return at != object.end() ? &*at : nullptr;
    }

    const StoredJson &member(const StoredJson &object, const char *key)
    {
        static const StoredJson none;
        const StoredJson *found = find(object, key);
        if (!found)
            refuse("\"" + std::string(key) + "\" is missing");
        return found ? *found : none;
    }

    /// Returns a list, or an empty one if the member is not a list.
    const StoredJson &listOf(const StoredJson &object, const char *key)
    {
        static const StoredJson none = StoredJson::array();
        const StoredJson &list = member(object, key);
        if (list.is_array())
            return list;
        refuse("\"" + std::string(key) + "\" is not a list");
        return none;
    }

    std::string textOf(const StoredJson &object, const char *key)
    {
        const StoredJson &text = member(object, key);
        return text.is_string() ? text.get<std::string>() : std::string();
    }

    std::int64_t number(const StoredJson &value, std::int64_t most)
    {
        // Unsigned numbers beyond the largest signed one would become negative.
        const bool fits = value.is_number_unsigned()
                              ? value.get<std::uint64_t>() <= std::uint64_t(most)
                              : value.is_number_integer() && value.get<std::int64_t>() >= 0 &&
                                    value.get<std::int64_t>() <= most;
        if (!fits)
            refuse("expected a number instead of " + std::string(beginningOf(jsonText(value), 40)));
        return fits ? value.get<std::int64_t>() : 0;
    }

    std::int64_t numberOf(const StoredJson &object, const char *key)
    {
        return number(member(object, key), std::numeric_limits<std::int64_t>::max());
    }

    std::uint32_t stepOf(const StoredJson &object, const char *key)
    {
        return std::uint32_t(number(member(object, key), std::numeric_limits<std::int32_t>::max()));
    }

    template <class Id>
    Id named(const std::unordered_map<std::string_view, Id> &ids, const StoredJson &name,
             const char *what)
    {
        if (!name.is_string()) {
            refuse("a name is not a string");
            return {};
        }
        const auto found = ids.find(name.get_ref<const std::string &>());
        if (found != ids.end())
            return found->second;
        refuse("it names a " + std::string(what) + " that is not in the model, \"" +
               std::string(beginningOf(name.get_ref<const std::string &>(), 200)) + "\"");
        return {};
    }

    void readStorage(const StoredJson &stored)
    {
        MemorySchedule::Storage &storage = m_schedule.storages.emplace_back();
        storage.bytes = numberOf(stored, "bytes");
        storage.resident = find(stored, "weight") != nullptr;
        if (!storage.resident) {
            const StoredJson &steps = listOf(stored, "steps");
            if (steps.size() == 2) {
                storage.first = std::uint32_t(number(steps[0], 0x7fffffff));
                storage.last = std::uint32_t(number(steps[1], 0x7fffffff));
            } else {
                refuse("\"steps\" must be the first and the last step");
            }
        }
        if (find(stored, "takes_over"))
            storage.takesOver = int(stepOf(stored, "takes_over"));
        const StoredJson &tensors = member(stored, "tensors");
        if (!tensors.is_object())
            return refuse("\"tensors\" is not an object");
        for (const auto &[name, offset] : tensors.items()) {
            const auto found = m_tensors.find(name);
            if (found == m_tensors.end())
                return refuse("it names a tensor that is not in the model, \"" +
                              std::string(beginningOf(name, 200)) + "\"");
            storage.tensors.push_back(
                {found->second, number(offset, std::numeric_limits<std::int64_t>::max())});
        }
        if (find(stored, "arena"))
            for (const StoredJson &offset : listOf(stored, "arena"))
                storage.offsets.push_back(number(offset, std::numeric_limits<std::int64_t>::max()));
    }

    const Graph &m_graph;
    std::unordered_map<std::string_view, NodeId> m_nodes;
    std::unordered_map<std::string_view, TensorId> m_tensors;
    MemorySchedule m_schedule;
    std::string m_reason;
};

} // namespace

std::string storeSchedule(const MemorySchedule &schedule, const Graph &graph,
                          const std::vector<std::string> &nodeNames,
                          const std::vector<std::string> &tensorNames)
{
    // Objects with many members are built from pairs: adding a member would search for its name.
    const auto tensorsOf = [&](const MemorySchedule::Storage &storage) {
        std::vector<std::pair<std::int64_t, std::string>> tensors;
        for (const MemorySchedule::Place &place : storage.tensors)
            if (graph.contains(place.tensor))
                tensors.emplace_back(place.offset, tensorNames[place.tensor.index]);
        std::ranges::sort(tensors); // the same text whatever the ids are
        return tensors;
    };
    ScheduleJson order = ScheduleJson::array(), storages = order, swaps = order, copies = order,
                 workspaces = order;
    for (const NodeId id : schedule.order)
        order.push_back(nodeNames[id.index]);
    for (const MemorySchedule::Storage &storage : schedule.storages) {
        ScheduleJson entry = {{"bytes", storage.bytes}};
        if (storage.resident)
            entry["weight"] = true;
        else
            entry["steps"] = {storage.first, storage.last};
        if (storage.takesOver >= 0)
            entry["takes_over"] = storage.takesOver;
        ScheduleJson::object_t tensors;
        for (auto &[offset, name] : tensorsOf(storage))
            tensors.emplace_back(std::move(name), offset);
        entry["tensors"] = std::move(tensors);
        if (!storage.offsets.empty())
            entry["arena"] = storage.offsets;
        storages.push_back(std::move(entry));
    }
    for (const MemorySchedule::Swap &swap : schedule.swaps) {
        const MemorySchedule::Storage &storage = schedule.storages[swap.storage];
        const auto names = tensorsOf(storage);
        swaps.push_back({{"storage", swap.storage},
                         {"tensor", names.empty() ? std::string() : names.front().second},
                         {"bytes", storage.bytes},
                         {"stored_after", swap.storedAfter},
                         {"away_from", swap.awayFrom},
                         {"back_at", swap.backAt},
                         {"loaded_before", swap.loadedBefore}});
    }
    for (const MemorySchedule::EarlyCopy &copy : schedule.copies)
        copies.push_back(
            {{"tensor", tensorNames[copy.tensor.index]}, {"into", tensorNames[copy.into.index]}});
    for (const MemorySchedule::Workspace &workspace : schedule.workspaces)
        workspaces.push_back({{"step", workspace.step}, {"bytes", workspace.bytes}});
    const MemoryPeak peak = peakOf(schedule);
    const ScheduleJson stored = {
        {"schema", scheduleSchema},
        {"weights", schedule.countsWeights ? "counted" : "left-out"},
        {"peak", {{"bytes", peak.bytes}, {"step", peak.step}}},
        {"arena", {{"bytes", schedule.arenaBytes}, {"alignment", arenaAlignment}}},
        {"swaps", std::move(swaps)},
        {"early_copies", std::move(copies)},
        {"workspaces", std::move(workspaces)},
        {"storages", std::move(storages)},
        {"order", std::move(order)}};
    return jsonText(stored);
}

Result<MemorySchedule> readSchedule(std::string_view text, const Graph &graph)
{
    if (text.size() > longestSchedule)
        return fail(Error::Kind::Model, "the stored memory schedule exceeds the maximum length");
    const StoredJson stored = jsonOf(text);
    if (stored.is_discarded())
        return fail(Error::Kind::Model,
                    "the stored memory schedule is not JSON, or is too deeply nested");
    return ScheduleReader(graph).read(stored);
}

} // namespace graphloom
