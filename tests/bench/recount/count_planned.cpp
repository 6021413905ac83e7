// SPDX-License-Identifier: Apache-2.0
#include "count.h"
#include "rules.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

namespace recount {

namespace {

using Json = nlohmann::json;

constexpr int always = std::numeric_limits<int>::max();
constexpr std::int64_t longestList = 512; // bytes

/// Reads the schedule that a file brings along, and believes it only as far as it has to: sizes,
/// lives and what may share memory are told from the nodes.
class Planned {
public:
    Planned(const Program &program, const Json &stored)
        : m_program(program), m_stored(stored), m_placeOf(program.tensors.size()),
          m_reads(program.tensors.size()), m_copiedInto(program.tensors.size())
    {
    }

    Memory run()
    {
        if (m_stored.at("schema") != 1)
            throw Problem{"the memory schedule has the form " + m_stored.at("schema").dump() +
                          ", which is not known"};
        checkOrder();
        m_memory.countsWeights = m_stored.at("weights") == "counted";
        m_memory.arenaBytes = m_stored.at("arena").at("bytes");
        m_memory.saidPeak = m_stored.at("peak").at("bytes");
        readStorages();
        for (const Json &copy : m_stored.at("early_copies"))
            m_copiedInto[std::size_t(tensor(copy.at("tensor")))].insert(tensor(copy.at("into")));
        findLives();
        readSwaps();
        for (std::size_t s = 0; s < m_members.size(); ++s)
            checkSharing(s);
        checkTakeovers();
        m_memory.workspaces.assign(m_memory.steps.size(), 0);
        for (const Json &workspace : m_stored.at("workspaces"))
            m_memory.workspaces.at(workspace.at("step")) +=
                workspace.at("bytes").get<std::int64_t>();
        return std::move(m_memory);
    }

private:
    struct Place {
        int storage = -1;
        std::int64_t offset = 0;
    };
    struct Read {
        int step;
        std::int64_t begin, end; // bytes of the tensor
    };

    int tensor(const std::string &name) const
    {
        const auto at = m_program.byName.find(name);
        if (at == m_program.byName.end())
            throw Problem{"the schedule names a tensor that is not in the file: " + name};
        return at->second;
    }
    const Tensor &facts(int id) const { return m_program.tensors[std::size_t(id)]; }
    const Place &place(int id) const { return m_placeOf[std::size_t(id)]; }

    void checkOrder()
    {
        const Json &order = m_stored.at("order");
        if (order.size() != m_program.nodes.size())
            throw Problem{"the schedule is of " + std::to_string(order.size()) +
                          " nodes, the file has " + std::to_string(m_program.nodes.size())};
        for (std::size_t n = 0; n < order.size(); ++n) {
            if (order[n] != m_program.nodes[n].name)
                throw Problem{"node " + std::to_string(n) + " is " + m_program.nodes[n].name +
                              ", and " + order[n].dump() + " in the schedule"};
            m_memory.steps.push_back(m_program.nodes[n].name);
        }
    }

    void readStorages()
    {
        for (const Json &stored : m_stored.at("storages")) {
            const int number = int(m_memory.buffers.size());
            Buffer buffer;
            buffer.weight = stored.contains("weight");
            buffer.takesOver = stored.value("takes_over", -1);
            auto &members = m_members.emplace_back();
            for (const auto &[name, offset] : stored.at("tensors").items()) {
                const int id = tensor(name);
                if (place(id).storage >= 0 || facts(id).bytes < 0 || offset.get<std::int64_t>() < 0)
                    throw Problem{"tensor " + name + " has no size, or two places"};
                m_placeOf[std::size_t(id)] = {number, offset};
                members.push_back(id);
                const std::int64_t end = offset.get<std::int64_t>() + facts(id).bytes;
                if (end > buffer.bytes) {
                    buffer.bytes = end;
                    buffer.name = name;
                }
            }
            if (buffer.weight &&
                std::ranges::none_of(members, [&](int id) { return facts(id).weight; }))
                throw Problem{"a storage is said to be of a weight, and has none"};
            m_memory.buffers.push_back(std::move(buffer));
        }
        // Short lists that describe calls need no storage; all else counts.
        for (const Node &node : m_program.nodes) {
            for (const int id : node.inputs)
                if (id >= 0 && place(id).storage < 0)
                    addOwn(id);
            for (const int id : node.outputs)
                if (id >= 0 && place(id).storage < 0)
                    addOwn(id);
        }
    }

    void addOwn(int id)
    {
        const Tensor &own = facts(id);
        if (own.weight && !own.integers.empty() && own.bytes <= longestList)
            return;
        if (own.bytes < 0) {
            m_memory.unknown.push_back(own.name);
            return;
        }
        Buffer buffer;
        buffer.name = own.name;
        buffer.bytes = own.bytes;
        buffer.weight = own.weight;
        m_placeOf[std::size_t(id)] = {int(m_memory.buffers.size()), 0};
        m_memory.buffers.push_back(std::move(buffer));
        m_members.push_back({id});
    }

    void use(int id, int step)
    {
        if (place(id).storage < 0)
            return;
        Buffer &buffer = m_memory.buffers[std::size_t(place(id).storage)];
        if (buffer.first < 0)
            buffer.first = step;
        buffer.first = std::min(buffer.first, step);
        buffer.last = std::max(buffer.last, step);
        m_uses.resize(m_memory.buffers.size());
        m_uses[std::size_t(place(id).storage)].insert(step);
    }

    void read(int id, int step, std::int64_t begin, std::int64_t end)
    {
        m_reads[std::size_t(id)].push_back({step, begin, end});
        use(id, step);
    }
    void read(int id, int step) { read(id, step, 0, std::max<std::int64_t>(0, facts(id).bytes)); }

    /// The last step that reads of a tensor what is in the place of another one; -1: none does.
    int lastRead(int id, int over) const
    {
        int last = -1;
        const std::int64_t begin = place(over).offset - place(id).offset,
                           end = begin + facts(over).bytes;
        for (const Read &read : m_reads[std::size_t(id)])
            if (read.begin < end && begin < read.end)
                last = std::max(last, read.step);
        return last;
    }

    void findLives()
    {
        m_uses.resize(m_memory.buffers.size());
        for (const int id : m_program.inputs)
            use(id, 0);
        const int steps = int(m_program.nodes.size());
        for (int step = 0; step < steps; ++step) {
            const Node &node = m_program.nodes[std::size_t(step)];
            const std::int64_t cut = sliceOffset(m_program, node); // reads no more than its piece
            for (const int id : node.inputs)
                if (id >= 0 && cut >= 0 && id == node.inputs[0])
                    read(id, step, cut, cut + facts(node.outputs[0]).bytes);
                else if (id >= 0 && (node.op != "Concat" ||
                                     !m_copiedInto[std::size_t(id)].contains(node.outputs[0])))
                    read(id, step);
            for (const int id : node.captures)
                read(id, step);
            for (const int id : node.outputs)
                if (id >= 0) {
                    use(id, step);
                    for (const int into : m_copiedInto[std::size_t(id)])
                        use(into, step);
                }
        }
        for (const int id : m_program.outputs) {
            use(id, steps - 1);
            m_reads[std::size_t(id)].push_back({always, 0, facts(id).bytes});
        }
    }

    void readSwaps()
    {
        for (const Json &swap : m_stored.at("swaps")) {
            const auto number = swap.at("storage").get<std::size_t>();
            const int stored = swap.at("stored_after"), from = swap.at("away_from"),
                      back = swap.at("back_at"), needed = swap.at("loaded_before");
            Buffer &buffer = m_memory.buffers.at(number);
            if (buffer.weight || stored < buffer.first || stored >= from || from >= back ||
                back > needed || needed > buffer.last)
                throw Problem{buffer.name + " is swapped at times that cannot be"};
            const auto use = m_uses[number].lower_bound(from);
            if (use != m_uses[number].end() && *use < needed)
                throw Problem{buffer.name + " is used by step " + std::to_string(*use) +
                              " while it is swapped out"};
            buffer.away.emplace_back(from, back);
            ++m_memory.swaps;
            m_memory.swappedBytes += buffer.bytes;
        }
    }

    /// Is what the node gives there already, since it only hands on, cuts out or joins what is in
    /// the same place?
    bool isInPlace(const Node &node) const
    {
        if (node.outputs.size() != 1)
            return false;
        const int id = node.outputs[0];
        const auto isAt = [&](int from, std::int64_t offset) {
            return place(from).storage == place(id).storage &&
                   place(from).offset + offset == place(id).offset;
        };
        if (const int from = viewed(m_program, node); from >= 0 && isAt(from, 0))
            return true;
        if (const std::int64_t offset = sliceOffset(m_program, node);
            offset >= 0 && isAt(node.inputs[0], offset))
            return true;
        if (node.op != "Concat" || !node.domain.empty())
            return false;
        return std::ranges::any_of(node.inputs, [&](int part) { return isPartOf(part, id); });
    }

    /// Is a tensor where it belongs in what is joined of it, or copied there early?
    bool isPartOf(int part, int whole) const
    {
        const int step = facts(whole).producer;
        if (step < 0 || m_program.nodes[std::size_t(step)].op != "Concat")
            return false;
        const Node &concat = m_program.nodes[std::size_t(step)];
        const std::size_t axis = concatAxis(m_program, concat);
        std::int64_t offset = place(whole).offset;
        for (const int input : concat.inputs) {
            const Tensor &one = facts(input);
            if (input == part &&
                (m_copiedInto[std::size_t(part)].contains(whole) ||
                 (isPieceAlong(one, axis) && place(part).storage == place(whole).storage &&
                  place(part).offset == offset)))
                return true;
            std::int64_t outer = 1;
            for (std::size_t d = 0; d < axis && d < one.shape.size(); ++d)
                outer *= std::max<std::int64_t>(1, one.shape[d]);
            offset += one.bytes / outer;
        }
        return false;
    }

    bool overlap(int a, int b) const
    {
        return place(a).offset < place(b).offset + facts(b).bytes &&
               place(b).offset < place(a).offset + facts(a).bytes;
    }

    /// What is written over is not read any more, but by the step that writes, element by element.
    void checkSharing(std::size_t storage)
    {
        const auto &members = m_members[storage];
        for (const int written : members) {
            const int step = facts(written).producer;
            if (step < 0 || members.size() < 2 || isInPlace(m_program.nodes[std::size_t(step)]))
                continue;
            const Node &node = m_program.nodes[std::size_t(step)];
            for (const int other : members) {
                if (other == written || facts(other).producer > step || !overlap(written, other))
                    continue;
                const int last = lastRead(other, written);
                if (last < step)
                    continue;
                bool over = last == step && place(other).offset == place(written).offset;
                for (std::size_t i = 0; over && i < node.inputs.size(); ++i)
                    if (node.inputs[i] == other)
                        over = isElementwise(m_program, node, i);
                if (!over)
                    throw Problem{facts(written).name + " overwrites " + facts(other).name +
                                  ", which is read later, by step " + std::to_string(last)};
            }
        }
        // Parts that are copied to where they belong.
        for (const int whole : members)
            if (const int step = facts(whole).producer; step >= 0)
                for (const int part : m_program.nodes[std::size_t(step)].inputs)
                    if (part >= 0 && m_copiedInto[std::size_t(part)].contains(whole))
                        checkCopy(part, whole, members);
    }

    void checkCopy(int part, int whole, const std::vector<int> &members) const
    {
        const int step = facts(part).producer;
        for (const int other : members)
            if (other != whole && overlap(other, whole) && facts(other).producer <= step &&
                !belongsTo(other, whole) && lastRead(other, whole) >= step)
                throw Problem{facts(part).name + " is copied over " + facts(other).name +
                              ", which is read later"};
    }

    /// Is a tensor a part of what is joined, a sum on the way to one, or a view of it?
    bool belongsTo(int tensor, int whole) const
    {
        const int step = facts(whole).producer;
        for (const int part : m_program.nodes[std::size_t(step)].inputs)
            if (part >= 0 && place(part).storage == place(tensor).storage && overlap(part, tensor))
                return true;
        return false;
    }

    void checkTakeovers() const
    {
        std::set<std::pair<int, int>> taken;
        for (std::size_t s = 0; s < m_memory.buffers.size(); ++s) {
            const Buffer &to = m_memory.buffers[s];
            if (to.takesOver < 0)
                continue;
            const Buffer &from = m_memory.buffers.at(std::size_t(to.takesOver));
            const int step = to.first;
            const bool leaves =
                from.last == step ||
                std::ranges::any_of(from.away, [&](auto range) { return range.first == step + 1; });
            const Node &node = m_program.nodes[std::size_t(step)];
            bool over = false;
            for (std::size_t i = 0; i < node.inputs.size(); ++i)
                over = over ||
                       (node.inputs[i] >= 0 && place(node.inputs[i]).storage == to.takesOver &&
                        place(node.inputs[i]).offset == 0 && isElementwise(m_program, node, i));
            const char *why =
                !leaves                                      ? "which stays"
                : !over                                      ? "which is not what it is computed of"
                : from.weight                                ? "which is a weight"
                : from.bytes < to.bytes                      ? "which is smaller"
                : place(node.outputs[0]).storage != int(s)   ? "as the node's second result"
                : !taken.insert({to.takesOver, step}).second ? "which is taken already"
                                                             : nullptr;
            if (why)
                throw Problem{to.name + " cannot come in the place of " + from.name + ", " + why +
                              ", at " + node.name};
        }
    }

    const Program &m_program;
    const Json &m_stored;
    std::vector<Place> m_placeOf;            // by tensor
    std::vector<std::vector<Read>> m_reads;  // by tensor
    std::vector<std::set<int>> m_copiedInto; // by tensor
    std::vector<std::vector<int>> m_members; // tensors, by storage
    std::vector<std::set<int>> m_uses;       // steps, by storage
    Memory m_memory;
};

} // namespace

Memory memoryPlanned(const Program &program, const std::string &schedule)
{
    const Json stored = Json::parse(schedule, nullptr, false);
    if (stored.is_discarded())
        throw Problem{"the memory schedule is no JSON"};
    try {
        return Planned(program, stored).run();
    } catch (const Json::exception &error) {
        throw Problem{std::string("the memory schedule has another form than it says: ") +
                      error.what()};
    } catch (const std::out_of_range &) {
        throw Problem{"the memory schedule names steps or storages that are not there"};
    }
}

} // namespace recount
