// SPDX-License-Identifier: Apache-2.0
#include "engine/machine_code/llvm_tools.h"

#include "engine/connection/command.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <nlohmann/json.hpp>

namespace graphloom {

namespace {

constexpr double patience = 300;

/// Makes an instruction one that the assembler reads alone: targets of jumps have names there.
std::string assembled(const Architecture &architecture, const std::string &instruction)
{
    std::string text = instruction;
    for (const char *comment : {"//", "#"})
        // ARM writes immediate operands with a number sign.
        if (const auto at = text.find(comment);
            at != std::string::npos && (comment[0] == '/' || architecture.name != "aarch64"))
            text.erase(at);
    if (const auto symbol = text.find(" <"); symbol != std::string::npos)
        text.erase(symbol);
    const std::string_view mnemonic = mnemonicOf(text);
    const bool isAddress = mnemonic == "adr" || mnemonic == "adrp";
    if (const auto target = text.rfind("0x");
        target != std::string::npos && (isAddress || architecture.jumps(mnemonic)))
        text.replace(target, std::string::npos, mnemonic == "adrp" ? "#0" : "8");
    return std::string(trimmed(text));
}

/// Returns the name of a resource without the number of a unit in its group, which llvm-mca writes
/// as a character: "Zn4FP45." and a character.
std::string resourceName(std::string name)
{
    if (name.size() > 2 && name[name.size() - 2] == '.' &&
        std::iscntrl(static_cast<unsigned char>(name.back())))
        name.erase(name.size() - 2);
    return name;
}

/// Returns what bounds a region of llvm-mca's report.
std::string limitOf(const nlohmann::json &region, const nlohmann::json &resources, double cycles)
{
    constexpr double busy = .9; // of all cycles: waiting for results fills the rest
    const auto &summary = region["SummaryView"];
    const double begun = summary.value("TotaluOps", 0.0) / summary.value("Iterations", 1.0) /
                         std::max(summary.value("DispatchWidth", 1.0), 1.0);
    // The use of all instructions together is listed after that of the last one.
    const std::size_t all = region.value("Instructions", nlohmann::json::array()).size();
    std::vector<std::pair<double, std::string>> uses;
    const auto pressure = region.find("ResourcePressureView");
    if (pressure != region.end())
        for (const auto &use : pressure->value("ResourcePressureInfo", nlohmann::json::array())) {
            const auto resource = use.value("ResourceIndex", std::size_t(-1));
            if (use.value("InstructionIndex", std::size_t(0)) == all && resource < resources.size())
                uses.emplace_back(use.value("ResourceUsage", 0.0),
                                  resourceName(resources[resource].get<std::string>()));
        }
    double most = 0;
    for (const auto &[use, name] : uses)
        most = std::max(most, use);
    if (most >= busy * cycles && most >= begun) {
        std::string names;
        for (const auto &[use, name] : uses)
            if (use >= busy * most && names.find(name) == std::string::npos)
                names += (names.empty() ? "" : ", ") + name;
        return "the pipes " + names;
    }
    if (begun >= busy * cycles)
        return "the " + std::to_string(summary.value("DispatchWidth", 0)) +
               " operations that can begin in a cycle";
    return "waiting for results of earlier instructions";
}

} // namespace

std::string modelledProcessor(const LlvmTools &tools, const std::string &processor)
{
    if (processor == "native")
        return tools.thisProcessor;
    // LLVM 19 takes a Cortex-A57 for these.
    static const std::map<std::string, std::string> alike = {
        {"cortex-a75", "neoverse-n1"},  {"cortex-a76", "neoverse-n1"},
        {"cortex-a77", "neoverse-n1"},  {"cortex-a78", "neoverse-n1"},
        {"cortex-a710", "neoverse-n2"}, {"cortex-x1", "neoverse-v1"},
        {"cortex-x2", "neoverse-v2"},   {"cortex-x3", "neoverse-v2"}};
    const auto found = alike.find(processor);
    return found == alike.end() ? processor : found->second;
}

Result<LlvmTools> llvmTools(std::stop_token stop)
{
    constexpr int newest = 30, oldest = 19; // earlier ones do not pass over unknown instructions
    constexpr double patienceForVersion = 10;
    const auto behind = [](const std::string &line, std::string_view word, std::string &to) {
        if (const auto at = line.find(word); at != std::string::npos && to.empty())
            to = std::string(trimmed(std::string_view(line).substr(at + word.size())));
    };
    for (int version = newest; version >= oldest; --version) {
        const std::string suffix = "-" + std::to_string(version);
        LlvmTools tools{"llvm-objdump" + suffix, "llvm-mca" + suffix, {}, {}};
        const auto answer = runCommand({tools.analyzer, "--version"}, stop, patienceForVersion);
        if (!answer && answer.error().kind == Error::Kind::Stopped)
            return tl::unexpected(answer.error());
        if (!answer || answer->ending != 0)
            continue;
        for (const std::string &line : answer->lines) {
            behind(line, "version ", tools.version);
            behind(line, "Host CPU:", tools.thisProcessor);
        }
        return tools;
    }
    return fail(
        Error::Kind::Missing,
        "llvm-mca, which estimates the throughput of kernels, is not there: install llvm-19");
}

Result<MachineCode> disassembled(const LlvmTools &tools, const Architecture &architecture,
                                 const std::filesystem::path &program, const std::string &prefix,
                                 std::stop_token stop, const std::filesystem::path &source)
{
    std::vector<std::string> words = {tools.disassembler, "-d", "--no-show-raw-insn"};
    words.insert(words.end(), architecture.disassembling.begin(), architecture.disassembling.end());
    if (!source.empty())
        words.emplace_back("--line-numbers");
    words.push_back(program.string());
    GL_TRY_CONST(listing, runCommand(words, std::move(stop), patience));
    if (listing->ending != 0)
        return fail(Error::Kind::Fault, "cannot read the program: " + lastLines(*listing),
                    tools.disassembler);
    MachineCode code;
    bool isWanted = false;
    std::uint32_t sourceLine = 0;
    for (const std::string &line : listing->lines) {
        if (line.ends_with(">:")) { // "0000000000400720 <model_k_1>:"
            isWanted = line.find(" <" + prefix) != std::string::npos;
            sourceLine = 0;
            continue;
        }
        if (line.starts_with("; ")) { // "; /folder/block.c:12", or the name of the function
            const std::string_view place = std::string_view(line).substr(2);
            const auto colon = place.rfind(':');
            if (colon == std::string_view::npos)
                continue;
            const std::string_view digits = place.substr(colon + 1);
            std::uint32_t number = 0;
            if (std::from_chars(digits.data(), digits.data() + digits.size(), number).ec ==
                std::errc())
                sourceLine = place.substr(0, colon) == source.string() ? number : 0;
            continue;
        }
        const auto colon = line.find(':');
        if (!isWanted || colon == std::string::npos)
            continue;
        constexpr int hexadecimal = 16;
        const std::string digits(trimmed(std::string_view(line).substr(0, colon)));
        std::uint64_t address = 0;
        const auto [end, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), address, hexadecimal);
        if (error == std::errc() && end == digits.data() + digits.size())
            code.emplace(address,
                         KernelCode::Instruction{
                             address,
                             std::string(trimmed(std::string_view(line).substr(colon + 1))),
                             sourceLine});
    }
    return code;
}

Result<std::vector<PipelineUse>>
pipelineUse(const LlvmTools &tools, const Architecture &architecture, const std::string &processor,
            const std::vector<std::vector<std::string>> &sequences, std::stop_token stop)
{
    std::string text = std::string(architecture.syntax) + "\n";
    for (std::size_t i = 0; i < sequences.size(); ++i) {
        text += "# LLVM-MCA-BEGIN s" + std::to_string(i) + "\n";
        for (const std::string &instruction : sequences[i])
            text += assembled(architecture, instruction) + "\n";
        text += "# LLVM-MCA-END s" + std::to_string(i) + "\n";
    }
    std::vector<std::string> words = {tools.analyzer,
                                      "-json",
                                      "-mtriple=" + std::string(architecture.triple),
                                      "-mcpu=" + modelledProcessor(tools, processor),
                                      "-iterations=100",
                                      "-instruction-info=0",
                                      "-skip-unsupported-instructions=any"};
    words.insert(words.end(), architecture.analyzing.begin(), architecture.analyzing.end());
    GL_TRY_CONST(answer, runCommand(words, std::move(stop), patience, text));
    std::string json;
    for (const std::string &line : answer->lines)
        if (!json.empty() || line.starts_with("{"))
            json += line + '\n';
    const auto report = nlohmann::json::parse(json, nullptr, false);
    if (answer->ending != 0 || !report.is_object() || !report.contains("CodeRegions"))
        return fail(Error::Kind::Fault, "cannot analyze kernels: " + lastLines(*answer),
                    tools.analyzer);
    const auto resources = report.value("TargetInfo", nlohmann::json::object())
                               .value("Resources", nlohmann::json::array());
    std::vector<PipelineUse> uses(sequences.size());
    for (const auto &region : report["CodeRegions"]) {
        const std::string name = region.value("Name", "");
        std::size_t number = 0;
        if (!name.starts_with('s') ||
            std::from_chars(name.data() + 1, name.data() + name.size(), number).ec != std::errc() ||
            number >= uses.size() || !region.contains("SummaryView"))
            continue;
        const auto &summary = region["SummaryView"];
        const double iterations = summary.value("Iterations", 0.0);
        if (iterations <= 0)
            continue;
        uses[number].cycles = summary.value("TotalCycles", 0.0) / iterations;
        uses[number].limit = limitOf(region, resources, uses[number].cycles);
    }
    return uses;
}

} // namespace graphloom
