// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/nests/shared_axes.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

namespace graphloom {

SharedAxes::SharedAxes(const BlockNests &block, int first, int count)
    : m_block(block), m_first(first), m_count(count)
{
    for (int n = 0; n < count; ++n) {
        m_base.push_back(int(m_parent.size()));
        for (std::size_t a = 0; a < nest(n).axes.size(); ++a) {
            m_parent.push_back(int(m_parent.size()));
            m_usable.push_back(!nest(n).axes[a].reduces && nest(n).axes[a].extent > 1);
        }
    }
    std::unordered_map<int, std::vector<std::pair<int, const NestRead *>>> readers; // by tensor
    for (int n = 0; n < count; ++n)
        for (const NestRead &read : nest(n).reads)
            readers[read.tensor].emplace_back(n, &read);
    for (int writer = 0; writer < count; ++writer)
        for (const NestStore &store : nest(writer).stores)
            for (const auto &[reader, read] : readers[store.tensor]) {
                connect(writer, store.map, reader, read->map);
                m_connected = m_connected || reader == count - 1;
            }
}

std::vector<std::vector<int>> SharedAxes::classes()
{
    std::map<int, std::vector<std::pair<int, int>>> members;
    std::set<int> spoilt;
    for (int n = 0; n < m_count; ++n)
        for (int a = 0; a < int(nest(n).axes.size()); ++a) {
            const int root = find(m_base[std::size_t(n)] + a);
            members[root].emplace_back(n, a);
            if (!m_usable[std::size_t(m_base[std::size_t(n)] + a)])
                spoilt.insert(root);
        }
    std::vector<std::vector<int>> result;
    for (const auto &[root, axes] : members) {
        if (spoilt.contains(root) || int(axes.size()) != m_count)
            continue;
        std::vector<int> byNest(std::size_t(m_count), -1);
        for (const auto &[n, a] : axes)
            byNest[std::size_t(n)] = a;
        const std::int64_t extent = nest(0).axes[std::size_t(byNest[0])].extent;
        bool same = true;
        for (int n = 0; n < m_count; ++n)
            same = same && byNest[std::size_t(n)] >= 0 &&
                   nest(n).axes[std::size_t(byNest[std::size_t(n)])].extent == extent;
        if (same)
            result.push_back(std::move(byNest));
    }
    std::ranges::sort(result); // as the first nest has them
    return result;
}

int SharedAxes::find(int member)
{
    while (m_parent[std::size_t(member)] != member)
        member = m_parent[std::size_t(member)];
    return member;
}

void SharedAxes::spoil(int n, const IndexForm &form)
{
    form.forEachVariable(
        [&](int axis) { m_usable[std::size_t(m_base[std::size_t(n)] + axis)] = false; });
}

void SharedAxes::connect(int writer, const std::vector<IndexForm> &write, int reader,
                         const std::vector<IndexForm> &read)
{
    for (std::size_t d = 0; d < write.size(); ++d) {
        const auto from = write[d].asVariable(), to = read[d].asVariable();
        if (from && to) {
            const int a = find(m_base[std::size_t(writer)] + *from);
            const int b = find(m_base[std::size_t(reader)] + *to);
            m_parent[std::size_t(a)] = b;
        } else {
            spoil(writer, write[d]);
            spoil(reader, read[d]);
        }
    }
}

} // namespace graphloom
