// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/algorithms/block_algorithm.h"

#include "engine/codegen/algorithms/winograd.h"
#include "engine/codegen/algorithms/winograd_choice.h"

#include <charconv>
#include <sstream>

namespace graphloom {

namespace {

std::optional<std::int64_t> numberOf(std::string_view word)
{
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size() || value < 0 || value > 1'000'000)
        return std::nullopt;
    return value;
}

/// Adds one primitive; returns whether it is valid.
bool take(BlockAlgorithm &algorithm, const std::vector<std::string> &words)
{
    const std::string &verb = words.front();
    const auto nest = words.size() > 1 ? numberOf(words[1]) : std::nullopt;
    if (!nest)
        return false;
    if (verb == "direct" && words.size() == 2)
        return algorithm.winograd.try_emplace(NestIndex(*nest), 0).second;
    if (verb == "winograd" && words.size() == 3 && (words[2] == "2x2" || words[2] == "4x4"))
        return algorithm.winograd.try_emplace(NestIndex(*nest), words[2].front() - '0').second;
    GroupChoice group{NestIndex(*nest), 1, {}};
    if (verb == "together" && words.size() >= 3 && words.size() % 2 == 1) {
        const auto last = numberOf(words[2]);
        if (!last || *last <= *nest)
            return false;
        group.count = int(*last - *nest) + 1;
        for (std::size_t i = 3; i < words.size(); i += 2) {
            const auto tile = numberOf(words[i + 1]);
            if (!tile)
                return false;
            group.tiles.push_back({words[i], *tile});
        }
    } else if (verb != "alone" || words.size() != 2) {
        return false;
    }
    algorithm.groups.push_back(std::move(group));
    return true;
}

} // namespace

std::string BlockAlgorithm::text() const
{
    std::ostringstream text;
    std::string_view between;
    const auto next = [&]() -> std::ostream & {
        text << between;
        between = "; ";
        return text;
    };
    for (const auto &[nest, m] : winograd)
        if (m == 0)
            next() << "direct " << nest.number();
        else
            next() << "winograd " << nest.number() << ' ' << m << 'x' << m;
    for (const GroupChoice &group : groups) {
        const int first = group.first.number();
        if (group.count == 1) {
            next() << "alone " << first;
            continue;
        }
        next() << "together " << first << ' ' << first + group.count - 1;
        for (const auto &[axis, tile] : group.tiles)
            text << ' ' << axis << ' ' << tile;
    }
    return text.str();
}

Result<BlockAlgorithm> BlockAlgorithm::fromText(std::string_view text)
{
    BlockAlgorithm algorithm;
    std::istringstream primitives{std::string(text)};
    for (std::string primitive; std::getline(primitives, primitive, ';');) {
        std::istringstream line(primitive);
        std::vector<std::string> words;
        for (std::string word; line >> word;)
            words.push_back(word);
        if (!words.empty() && !take(algorithm, words))
            return fail(Error::Kind::Usage,
                        "\"" + primitive +
                            "\" does not say how a block computes; it may be \"winograd NEST 2x2\" "
                            "or 4x4, \"direct NEST\", \"together FIRST LAST AXIS TILE ...\" or "
                            "\"alone NEST\", each nest once");
    }
    return algorithm;
}

Result<BlockNests> withAlgorithms(BlockNests block, BlockAlgorithm &algorithm,
                                  const ScheduleTarget &target)
{
    for (const auto &[nest, m] : algorithm.winograd) {
        const std::string name = "nest " + std::to_string(nest.number());
        if (!block.nests.contains(nest))
            return fail(Error::Kind::Usage, "there is no " + name + " to be computed " +
                                                (m == 0 ? "directly" : "by Winograd's algorithm"));
        if (m != 0 && !target.winograd)
            return fail(Error::Kind::Usage, name + " is to be computed by Winograd's algorithm, "
                                                   "which is turned off");
        if (m != 0 && !isWinogradCandidate(block.nests[nest], block.tensors))
            return fail(Error::Kind::Usage,
                        name + ", " + block.nests[nest].name +
                            ", cannot be computed by Winograd's algorithm: it is no convolution "
                            "with constant weights, a window of 3 x 3, strides and dilations of 1 "
                            "and one group");
    }
    for (const NestIndex number : block.nests.indices().reversed()) {
        const Nest &nest = block.nests[number];
        if (!target.winograd || !isWinogradCandidate(nest, block.tensors))
            continue;
        const int m = algorithm.winograd
                          .try_emplace(number, chosenWinograd(nest, block.tensors, target.lanes))
                          .first->second;
        if (m != 0)
            block = withWinograd(block, number, m);
    }
    return block;
}

} // namespace graphloom
