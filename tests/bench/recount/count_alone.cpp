// SPDX-License-Identifier: Apache-2.0
#include "count.h"
#include "rules.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace recount {

namespace {

/// Does the plan in the file have calls of functions as fused blocks?
bool fusesCalls(const Program &program)
{
    const auto at = program.metadata.find("graphloom.plan");
    if (at == program.metadata.end())
        return false;
    const auto plan = nlohmann::json::parse(at->second, nullptr, false);
    return plan.is_object() && plan.contains("fusion");
}

struct Step {
    std::string name;
    std::vector<int> nodes;
    std::vector<int> reads, writes; // buffers, each once
    std::vector<int> overwrites; // of reads: those that the first of `writes` may come in place of
};

class Alone {
public:
    explicit Alone(const Program &program)
        : m_program(program), m_bufferOf(program.tensors.size(), -1)
    {
    }

    Memory run()
    {
        makeSteps();
        for (const int input : m_program.inputs)
            if (m_program.tensors[std::size_t(input)].bytes > 0)
                m_facts[std::size_t(bufferOf(input))].given = true;
        for (std::size_t s = 0; s < m_steps.size(); ++s)
            walk(int(s));
        for (const int output : m_program.outputs)
            if (const int b = bufferOf(output); b >= 0)
                m_facts[std::size_t(b)].kept = true;
        findUpdates();
        findLives();
        for (std::size_t s = 0; s < m_steps.size(); ++s)
            takeOver(int(s));
        for (const Step &step : m_steps)
            m_memory.steps.push_back(step.name);
        m_memory.workspaces.assign(m_steps.size(), 0);
        return std::move(m_memory);
    }

private:
    struct Facts {
        int producer = -1;
        std::vector<int> readers; // steps, ascending
        bool kept = false, updates = false, given = false;
    };

    void makeSteps()
    {
        const bool fuses = fusesCalls(m_program);
        int last = -1;
        for (std::size_t n = 0; n < m_program.nodes.size(); ++n) {
            const Node &node = m_program.nodes[n];
            const int call = fuses ? node.call : -1;
            if (call < 0 || call != last)
                m_steps.push_back(
                    {call < 0 ? node.name : m_program.calls[std::size_t(call)], {}, {}, {}, {}});
            m_steps.back().nodes.push_back(int(n));
            last = call;
        }
    }

    int bufferOf(int tensor)
    {
        int &number = m_bufferOf[std::size_t(tensor)];
        const Tensor &facts = m_program.tensors[std::size_t(tensor)];
        if (number != -1)
            return number;
        if (facts.bytes < 0) {
            m_memory.unknown.push_back(facts.name);
            return number = -2;
        }
        number = int(m_memory.buffers.size());
        Buffer buffer;
        buffer.name = facts.name;
        buffer.bytes = facts.bytes;
        buffer.weight = facts.weight;
        m_memory.buffers.push_back(std::move(buffer));
        m_facts.emplace_back();
        return number;
    }

    void walk(int number)
    {
        Step &step = m_steps[std::size_t(number)];
        int kernels = 0;
        std::vector<int> over;
        for (const int n : step.nodes) {
            const Node &node = m_program.nodes[std::size_t(n)];
            if (const int from = viewed(m_program, node); from >= 0) {
                m_bufferOf[std::size_t(node.outputs[0])] = bufferOf(from);
                continue;
            }
            ++kernels;
            for (std::size_t i = 0; i < node.inputs.size(); ++i)
                if (node.inputs[i] >= 0) {
                    const int b = bufferOf(node.inputs[i]);
                    read(step, b);
                    if (b >= 0 && isElementwise(m_program, node, i))
                        over.push_back(b);
                }
            for (const int captured : node.captures)
                read(step, bufferOf(captured));
            for (const int output : node.outputs)
                if (output >= 0)
                    if (const int b = bufferOf(output); b >= 0) {
                        m_facts[std::size_t(b)].producer = number;
                        step.writes.push_back(b);
                    }
        }
        for (const int b : step.reads)
            m_facts[std::size_t(b)].readers.push_back(number);
        if (kernels == 1) // what a block of several reads when, nobody knows
            step.overwrites = over;
    }

    static void read(Step &step, int buffer)
    {
        if (buffer >= 0 && std::ranges::find(step.reads, buffer) == step.reads.end())
            step.reads.push_back(buffer);
    }

    Buffer &buffer(int b) { return m_memory.buffers[std::size_t(b)]; }
    Facts &facts(int b) { return m_facts[std::size_t(b)]; }

    /// What the model gives may come in the place of a weight or input that is read the last time.
    void findUpdates()
    {
        for (std::size_t s = 0; s < m_steps.size(); ++s) {
            std::vector<int> places = m_steps[s].overwrites;
            std::erase_if(places, [&](int b) {
                return facts(b).producer >= 0 || facts(b).kept || facts(b).readers.back() != int(s);
            });
            std::ranges::stable_sort(places, std::greater{},
                                     [&](int b) { return buffer(b).weight; });
            for (const int written : m_steps[s].writes) {
                const auto place = std::ranges::find_if(
                    places, [&](int b) { return buffer(b).bytes == buffer(written).bytes; });
                if (!facts(written).kept || place == places.end())
                    continue;
                facts(written).updates = true;
                buffer(written).bytes = 0;
                if (!buffer(*place).weight)
                    facts(*place).kept = true; // under its new name
                places.erase(place);
            }
        }
    }

    void findLives()
    {
        const int end = int(m_steps.size()) - 1;
        for (std::size_t b = 0; b < m_memory.buffers.size(); ++b) {
            Buffer &one = m_memory.buffers[b];
            const Facts &known = m_facts[b];
            if (one.weight)
                continue;
            // Of a block, what it reads itself only is in no memory.
            const bool inside = known.producer >= 0 && !known.kept && !known.readers.empty() &&
                                known.readers.back() == known.producer;
            if (inside)
                continue;
            one.first = std::max(known.producer, 0);
            one.last = known.kept ? end : known.readers.empty() ? one.first : known.readers.back();
        }
    }

    void takeOver(int number)
    {
        const Step &step = m_steps[std::size_t(number)];
        if (step.writes.empty() || facts(step.writes[0]).updates)
            return;
        Buffer &to = buffer(step.writes[0]);
        for (const int b : step.overwrites) {
            const Buffer &from = buffer(b);
            if (from.weight || facts(b).kept || from.last != number || from.bytes < to.bytes)
                continue;
            to.takesOver = b;
            return;
        }
    }

    const Program &m_program;
    std::vector<int> m_bufferOf;
    std::vector<Step> m_steps;
    std::vector<Facts> m_facts; // by buffer
    Memory m_memory;
};

} // namespace

Memory memoryAlone(const Program &program)
{
    return Alone(program).run();
}

Peak peakOf(const Memory &memory)
{
    const std::size_t steps = memory.steps.size();
    std::vector<std::int64_t> change(steps + 1, 0), besides = memory.workspaces;
    Peak peak;
    for (const Buffer &buffer : memory.buffers) {
        if (buffer.weight)
            peak.weights += memory.countsWeights ? buffer.bytes : 0;
        if (buffer.weight || buffer.first < 0)
            continue;
        change[std::size_t(buffer.first)] += buffer.bytes;
        change[std::size_t(buffer.last) + 1] -= buffer.bytes;
        for (const auto &[from, to] : buffer.away) {
            change[std::size_t(from)] -= buffer.bytes;
            change[std::size_t(to)] += buffer.bytes;
        }
        if (buffer.takesOver >= 0)
            besides[std::size_t(buffer.first)] -= buffer.bytes;
    }
    std::int64_t alive = peak.bytes = peak.weights;
    for (std::size_t s = 0; s < steps; ++s) {
        alive += change[s];
        if (alive + besides[s] > peak.bytes) {
            peak.bytes = alive + besides[s];
            peak.step = int(s);
        }
    }
    std::vector<bool> taken(memory.buffers.size(), false);
    for (const Buffer &buffer : memory.buffers)
        if (buffer.takesOver >= 0 && buffer.first == peak.step)
            taken[std::size_t(buffer.takesOver)] = true;
    for (std::size_t b = 0; b < memory.buffers.size(); ++b) {
        const Buffer &buffer = memory.buffers[b];
        const bool there = !buffer.weight && buffer.first >= 0 && buffer.first <= peak.step &&
                           peak.step <= buffer.last && !taken[b];
        if (there && std::ranges::none_of(buffer.away, [&](const auto &range) {
                return range.first <= peak.step && peak.step < range.second;
            }))
            peak.alive.push_back(int(b));
    }
    std::ranges::stable_sort(peak.alive, std::greater{},
                             [&](int b) { return memory.buffers[std::size_t(b)].bytes; });
    return peak;
}

} // namespace recount
