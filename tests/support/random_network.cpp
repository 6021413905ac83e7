// SPDX-License-Identifier: Apache-2.0
#include "tests/support/random_network.h"

#include "tests/support/random_calls.h"

namespace graphloom::test {

namespace {

bool addNode(NetworkBuilder &to, bool contractions)
{
    const Known x = to.any();
    switch (to.pick(contractions ? 22 : 12)) {
    case 0:
    case 1:
        return unary(to, x);
    case 2:
    case 3:
        return binary(to, x);
    case 4:
        return compared(to, x);
    case 5:
    case 6:
        return rearranged(to, x);
    case 7:
        return joined(to, x);
    case 8:
        return padded(to, x);
    case 9:
        return picked(to, x);
    case 10:
        return pooled(to, x, true);
    case 11:
        return reduced(to, x, true);
    case 12:
    case 13:
    case 14:
    case 15:
        return convolved(to, x);
    case 16:
    case 17:
        return multiplied(to, x);
    case 18:
        return pooled(to, x, false);
    case 19:
        return reduced(to, x, false);
    case 20:
        return normalized(to, x);
    default:
        return resized(to, x);
    }
}

} // namespace

Graph randomNetwork(Random &random, std::int64_t opset, const RandomNetworkOptions &options)
{
    NetworkBuilder network(random, opset);
    for (int i = 0; i < 1 + network.pick(2); ++i)
        network.addInput();
    for (int made = 0, tries = 0; made < options.nodes && tries < 40 * options.nodes; ++tries)
        made += addNode(network, options.contractions);
    return network.finish();
}

std::vector<std::vector<NodeId>> randomBlocks(const Graph &graph, Random &random, std::size_t most)
{
    std::vector<std::vector<NodeId>> blocks;
    std::size_t room = 0;
    for (const NodeId id : graph.order()) {
        if (room == 0) {
            room = 1 + below(random, most);
            blocks.emplace_back();
        }
        blocks.back().push_back(id);
        --room;
    }
    return blocks;
}

} // namespace graphloom::test
