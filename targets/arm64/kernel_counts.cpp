// SPDX-License-Identifier: Apache-2.0
#include "targets/arm64/kernel_counts.h"

#include "engine/system/read_file.h"
#include "engine/target/target_plugins.h"

#include <algorithm>
#include <cctype>
#include <sstream>

namespace graphloom::arm64 {

namespace {

namespace fs = std::filesystem;

/// Returns the major version in "qemu-aarch64 version 7.2.22 (Debian …)"; 0 if there is none.
int majorVersion(const std::string &text)
{
    const auto digit = std::ranges::find_if(
        text.begin() + std::ptrdiff_t(std::min(text.find("version"), text.size())), text.end(),
        [](unsigned char c) { return std::isdigit(c); });
    int major = 0;
    for (auto at = digit; at != text.end() && std::isdigit(static_cast<unsigned char>(*at)); ++at)
        major = 10 * major + (*at - '0');
    return major;
}

/// Returns a cache for the plugin. Descriptions do not tell the ways; these are usual ones.
std::string cacheWord(const MemoryLevel &level, int ways)
{
    std::ostringstream text;
    text << std::uint64_t(level.bytes->value) << ':' << ways << ':'
         << (level.line ? std::uint64_t(level.line->value) : 64);
    return text.str();
}

} // namespace

std::uint64_t KernelCounts::instructions() const
{
    std::uint64_t sum = 0;
    for (const Block &block : blocks)
        sum += block.instructions * block.count;
    return sum;
}

Result<std::vector<std::string>> counterWords(const std::string &emulatorVersion,
                                              const UnitKind &unit, const std::string &kernelPrefix,
                                              const fs::path &output)
{
    constexpr int lastWithFirstInterface = 8, firstWays = 4, lastWays = 8;
    const bool isLater = majorVersion(emulatorVersion) > lastWithFirstInterface;
    const fs::path plugin = defaultTargetFolder().parent_path() / "emulator" /
                            (isLater ? "counter-2.so" : "counter-1.so");
    std::error_code none;
    if (!fs::exists(plugin, none))
        return fail(Error::Kind::Missing,
                    "the plugin of QEMU that counts instructions is not there", plugin.string());
    if (unit.memory.size() < 2 || !unit.memory[0].bytes || !unit.memory[1].bytes)
        return fail(Error::Kind::Missing,
                    "the description of " + unit.name + " lacks the size of its caches");
    return std::vector<std::string>{
        "-plugin", plugin.string() + ",out=" + output.string() + ",prefix=" + kernelPrefix +
                       ",outside=run_tasks,l1=" + cacheWord(unit.memory[0], firstWays) +
                       ",l2=" + cacheWord(unit.memory[1], lastWays)};
}

Result<CountsByKernel> readCounts(const fs::path &file)
{
    GL_TRY_CONST(content, readFile(file));
    std::istringstream lines(*content);
    CountsByKernel counts;
    std::string line, kind, name;
    bool isComplete = false;
    while (std::getline(lines, line)) {
        std::istringstream words(line);
        words >> kind >> name;
        if (kind == "kernel") {
            KernelCounts &of = counts[name];
            words >> of.firstMisses >> of.lastMisses >> of.foreseenMisses;
        } else if (kind == "block") {
            KernelCounts::Block &block = counts[name].blocks.emplace_back();
            words >> std::hex >> block.address >> std::dec >> block.instructions >> block.count;
        }
        isComplete = kind == "end";
        kind.clear();
    }
    if (!isComplete)
        return fail(Error::Kind::Fault, "what the emulator counted is not complete", file.string());
    for (auto &[kernel, of] : counts) {
        std::ranges::sort(of.blocks, {}, &KernelCounts::Block::address);
        // A function is entered at its first instruction.
        for (const KernelCounts::Block &block : of.blocks)
            if (block.address == of.blocks.front().address)
                of.calls += block.count;
    }
    return counts;
}

} // namespace graphloom::arm64
