// SPDX-License-Identifier: Apache-2.0
#include "targets/arm64/machine_code.h"

#include "engine/connection/command.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <nlohmann/json.hpp>

namespace graphloom::arm64 {

namespace {

constexpr double patience = 300;

std::string trimmed(std::string_view text)
{
    const auto first = text.find_first_not_of(" \t");
    const auto last = text.find_last_not_of(" \t");
    return first == std::string_view::npos ? std::string()
                                           : std::string(text.substr(first, last - first + 1));
}

/// Returns the name of a processor that llvm-mca has a precise model of. LLVM 19 takes a Cortex-A57
/// for these.
std::string modelledProcessor(const std::string &processor)
{
    static const std::map<std::string, std::string> alike = {
        {"cortex-a75", "neoverse-n1"},  {"cortex-a76", "neoverse-n1"},
        {"cortex-a77", "neoverse-n1"},  {"cortex-a78", "neoverse-n1"},
        {"cortex-a710", "neoverse-n2"}, {"cortex-x1", "neoverse-v1"},
        {"cortex-x2", "neoverse-v2"},   {"cortex-x3", "neoverse-v2"}};
    const auto found = alike.find(processor);
    return found == alike.end() ? processor : found->second;
}

/// Makes an instruction one that the assembler reads alone: targets of jumps have names there.
std::string assembled(const std::string &instruction)
{
    std::string text = instruction;
    if (const auto comment = text.find("//"); comment != std::string::npos)
        text.erase(comment);
    if (const auto symbol = text.find(" <"); symbol != std::string::npos)
        text.erase(symbol);
    const std::string mnemonic = text.substr(0, text.find_first_of(" \t"));
    const bool jumps = mnemonic == "b" || mnemonic.starts_with("b.") || mnemonic == "bl" ||
                       mnemonic.starts_with("cb") || mnemonic.starts_with("tb") ||
                       mnemonic == "adr" || mnemonic == "adrp";
    if (const auto target = text.rfind("0x"); jumps && target != std::string::npos)
        text.replace(target, std::string::npos, mnemonic == "adrp" ? "#0" : "#8");
    return trimmed(text);
}

} // namespace

Result<LlvmTools> llvmTools(std::stop_token stop)
{
    constexpr int newest = 30, oldest = 19; // earlier ones do not pass over unknown instructions
    constexpr double patienceForVersion = 10;
    for (int version = newest; version >= oldest; --version) {
        const std::string suffix = "-" + std::to_string(version);
        LlvmTools tools{"llvm-objdump" + suffix, "llvm-mca" + suffix, {}};
        const auto answer = runCommand({tools.analyzer, "--version"}, stop, patienceForVersion);
        if (!answer && answer.error().kind == Error::Kind::Stopped)
            return tl::unexpected(answer.error());
        if (!answer || answer->ending != 0)
            continue;
        for (const std::string &line : answer->lines)
            if (line.find("version") != std::string::npos && tools.version.empty())
                tools.version = trimmed(line);
        return tools;
    }
    return fail(
        Error::Kind::Missing,
        "llvm-mca, which estimates the throughput of kernels, is not there: install llvm-19");
}

Result<MachineCode> disassembled(const LlvmTools &tools, const std::filesystem::path &program,
                                 const std::string &prefix, std::stop_token stop)
{
    GL_TRY_CONST(listing, runCommand({tools.disassembler, "-d", "--no-show-raw-insn",
                                      "--mattr=+v8.2a,+dotprod,+fullfp16", program.string()},
                                     std::move(stop), patience));
    if (listing->ending != 0)
        return fail(Error::Kind::Fault, "cannot read the program: " + lastLines(*listing),
                    tools.disassembler);
    MachineCode code;
    bool isWanted = false;
    for (const std::string &line : listing->lines) {
        if (line.ends_with(">:")) { // "0000000000400720 <model_k_1>:"
            isWanted = line.find(" <" + prefix) != std::string::npos;
            continue;
        }
        const auto colon = line.find(':');
        if (!isWanted || colon == std::string::npos)
            continue;
        const std::string digits = trimmed(std::string_view(line).substr(0, colon));
        std::uint64_t address = 0;
        const auto [end, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), address, 16);
        if (error == std::errc() && end == digits.data() + digits.size())
            code.emplace(address, trimmed(std::string_view(line).substr(colon + 1)));
    }
    return code;
}

Result<std::vector<double>> cyclesOf(const LlvmTools &tools, const std::string &processor,
                                     const std::vector<std::vector<std::string>> &sequences,
                                     std::stop_token stop)
{
    std::string text;
    for (std::size_t i = 0; i < sequences.size(); ++i) {
        text += "# LLVM-MCA-BEGIN s" + std::to_string(i) + "\n";
        for (const std::string &instruction : sequences[i])
            text += assembled(instruction) + "\n";
        text += "# LLVM-MCA-END s" + std::to_string(i) + "\n";
    }
    GL_TRY_CONST(answer, runCommand({tools.analyzer, "-json", "-mtriple=aarch64-linux-gnu",
                                     "-mcpu=" + modelledProcessor(processor),
                                     "-mattr=+v8.2a,+dotprod,+fullfp16", "-iterations=100",
                                     "-instruction-info=0", "-resource-pressure=0",
                                     "-skip-unsupported-instructions=any"},
                                    std::move(stop), patience, text));
    std::string json;
    for (const std::string &line : answer->lines)
        if (!json.empty() || line.starts_with("{"))
            json += line + '\n';
    const auto report = nlohmann::json::parse(json, nullptr, false);
    if (answer->ending != 0 || !report.is_object() || !report.contains("CodeRegions"))
        return fail(Error::Kind::Fault, "cannot analyze kernels: " + lastLines(*answer),
                    tools.analyzer);
    std::vector<double> cycles(sequences.size(), 0);
    for (const auto &region : report["CodeRegions"]) {
        const std::string name = region.value("Name", "");
        std::size_t number = 0;
        if (!name.starts_with('s') ||
            std::from_chars(name.data() + 1, name.data() + name.size(), number).ec != std::errc() ||
            number >= cycles.size() || !region.contains("SummaryView"))
            continue;
        const auto &summary = region["SummaryView"];
        const double iterations = summary.value("Iterations", 0.0);
        if (iterations > 0)
            cycles[number] = summary.value("TotalCycles", 0.0) / iterations;
    }
    return cycles;
}

bool isSpill(const std::string &instruction)
{
    const bool moves = instruction.starts_with("ld") || instruction.starts_with("st");
    const auto operands = instruction.find_first_of(" \t");
    return moves && operands != std::string::npos &&
           trimmed(std::string_view(instruction).substr(operands)).starts_with('q') &&
           instruction.find("[sp") != std::string::npos;
}

} // namespace graphloom::arm64
