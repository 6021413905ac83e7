// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/nodes/graph_build.h"

#include <algorithm>
#include <functional>
#include <queue>

namespace graphloom {

TensorId GraphBuild::capture(GraphBuild &owner, TensorId id)
{
    if (this == &owner || !id.valid())
        return id;
    const TensorId outer = parent->capture(owner, id);
    const auto [found, added] = standIns.try_emplace(outer);
    if (added) {
        Tensor standIn = parent->editor.graph().tensor(outer);
        standIn.constant = nullptr;
        found->second = editor.addTensor(std::move(standIn));
        originals.emplace(found->second, outer);
        captured.push_back(found->second);
        capturedFrom.push_back(outer);
    }
    return found->second;
}

const TensorData *GraphBuild::constantOf(TensorId id) const
{
    const GraphBuild *build = this;
    for (auto at = originals.find(id); at != build->originals.end();
         at = build->originals.find(id)) {
        id = at->second;
        build = build->parent;
    }
    return build->editor.graph().tensor(id).constant.get();
}

Result<std::optional<std::size_t>> GraphBuild::sortPending()
{
    using Position = std::uint32_t;
    constexpr Position none = ~Position{0};
    std::vector<Position> producer(editor.graph().tensorBound(), none);
    for (Position i = 0; i < pending.size(); ++i)
        for (const TensorId output : pending[i].node.outputs)
            if (output.valid())
                producer[output.index] = i;
    std::optional<std::size_t> moved;
    for (Position i = 0; i < pending.size() && !moved; ++i)
        forEachRead(pending[i].node, [&](TensorId input, std::uint32_t) {
            if (producer[input.index] != none && producer[input.index] >= i)
                moved = i;
        });
    if (!moved)
        return moved;

    // Kahn's algorithm; among the ready nodes, the first one in the file comes next.
    std::vector<std::vector<Position>> readers(pending.size());
    std::vector<std::uint32_t> waiting(pending.size(), 0);
    for (Position i = 0; i < pending.size(); ++i)
        forEachRead(pending[i].node, [&](TensorId input, std::uint32_t) {
            if (const Position before = producer[input.index]; before != none) {
                readers[before].push_back(i);
                ++waiting[i];
            }
        });
    std::priority_queue<Position, std::vector<Position>, std::greater<>> ready;
    for (Position i = 0; i < pending.size(); ++i)
        if (waiting[i] == 0)
            ready.push(i);
    std::vector<Pending> sorted;
    sorted.reserve(pending.size());
    while (!ready.empty()) {
        const Position next = ready.top();
        ready.pop();
        for (const Position reader : readers[next])
            if (--waiting[reader] == 0)
                ready.push(reader);
        sorted.push_back(std::move(pending[next]));
    }
    if (sorted.size() == pending.size()) {
        pending = std::move(sorted);
        return moved;
    }

    // Every remaining node waits for another remaining node, so following these edges closes a
    // cycle.
    std::vector<Position> path;
    std::vector<char> onPath(pending.size(), 0);
    Position at =
        Position(std::ranges::find_if(waiting, [](auto n) { return n > 0; }) - waiting.begin());
    while (!onPath[at]) {
        onPath[at] = 1;
        path.push_back(at);
        Position before = none;
        forEachRead(pending[at].node, [&](TensorId input, std::uint32_t) {
            const Position candidate = producer[input.index];
            if (candidate != none && waiting[candidate] > 0)
                before = candidate;
        });
        at = before;
    }
    path.erase(path.begin(), std::ranges::find(path, at));
    std::ranges::reverse(path);
    constexpr std::size_t named = 8;
    std::string text;
    for (std::size_t i = 0; i < std::min(path.size(), named); ++i)
        text += pending[path[i]].node.label() + " -> ";
    text += path.size() > named ? "... -> " : "";
    return fail(Error::Kind::Model, "nodes form a cycle: " + text + pending[path[0]].node.label());
}

std::optional<TensorId> Region::find(std::string_view name) const
{
    for (const Region *region = this; region; region = region->outer) {
        const auto found = region->names.find(name);
        if (found != region->names.end())
            return build.capture(region->build, found->second);
    }
    return std::nullopt;
}

} // namespace graphloom
