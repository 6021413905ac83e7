// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/report/diagnostic.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>

namespace graphloom {

namespace {

constexpr DiagnosticLevel noteLevel = DiagnosticLevel::Note,
                          warningLevel = DiagnosticLevel::Warning,
                          errorLevel = DiagnosticLevel::Error;

constexpr std::array rulesOfDiagnostics = {
    DiagnosticRule{"GL1001", "UnreadableModel", "The model cannot be read.",
                   "The file is damaged or exceeds a limit. The message names the byte, node or "
                   "tensor and the reason. Export the model again; if the file is a Git LFS "
                   "pointer, run git lfs pull.",
                   errorLevel},
    DiagnosticRule{"GL1002", "OddModel", "The model has an irregularity that was tolerated.",
                   "The message says how the loader interprets it. Other tools may reject it or "
                   "interpret it differently; check how the model was exported.",
                   warningLevel},
    DiagnosticRule{
        "GL2001", "OpaqueOperator", "An operator is opaque: a barrier to fusion and fission.",
        "The computation of an opaque operator is unknown or cannot be described by loops, "
        "such as when extents depend on data. Passes leave it unchanged. graphloom --list ops "
        "lists the operators that are described.",
        noteLevel},
    DiagnosticRule{"GL2002", "InterpretedBlock", "No kernel was generated for a block.",
                   "The block runs in the interpreter, which is far slower than a kernel. The "
                   "message says what the generator does not support.",
                   warningLevel},
    DiagnosticRule{
        "GL2003", "UnrealizedPlan", "A memory plan could not be realized in the graph.",
        "The figures of the plan are only modelled: the exported model does not have its "
        "parts and recomputations as nodes. The message gives the reason and a remedy.",
        warningLevel},
    DiagnosticRule{"GL2004", "LimitsNotMet", "A search did not meet the limits.",
                   "The best plan exceeds --memory-limit or --latency-limit. Give the search more "
                   "time (--budget) or looser limits.",
                   warningLevel},
    DiagnosticRule{"GL2005", "CallNotMeasured", "A call was modelled instead of measured.",
                   "A pass that prices plans by measured calls could not run this one; its latency "
                   "comes from the description of the device.",
                   noteLevel},
    DiagnosticRule{"GL2006", "PassFailed", "A pass, or a later step, rejected the model.",
                   "The message names the node and the reason. The model can be processed without "
                   "the pass.",
                   errorLevel},
    DiagnosticRule{"GL3001", "VerificationFailed", "Original and result do not agree.",
                   "On the same random inputs the outputs differ by more than --verify permits, or "
                   "cannot be compared. Nothing was exported. Run the passes one by one, or with "
                   "rules disabled, to find the cause, and report it.",
                   errorLevel},
    DiagnosticRule{"GL3002", "WeakVerification",
                   "The verification passed, but did not test everything.",
                   "The message says what was not tested.", warningLevel},
    DiagnosticRule{
        "GL3003", "TestDataFailed", "Stored outputs are not reproduced.",
        "On the inputs of --test-data, the outputs of the model differ from the stored ones.",
        errorLevel},
    DiagnosticRule{"GL3004", "AssertionFailed", "A condition of --assert does not hold.",
                   "The message lists the values that were evaluated.", errorLevel},
    DiagnosticRule{"GL3005", "WorseThanBaseline", "A figure is worse than in the baseline.",
                   "It is worse by more than its --tolerance. If that is intended, make the new "
                   "report the baseline.",
                   errorLevel},
    DiagnosticRule{
        "GL3006", "NotComparableWithBaseline",
        "A figure was not obtained in the same way as in the baseline.",
        "Provenance, target, device, threads or processor differ, so the figures cannot be "
        "compared. Create the baseline again in this environment.",
        errorLevel},
    DiagnosticRule{
        "GL3007", "MissingFigure", "A figure of the baseline is not in this report.",
        "The baseline was created with other options, such as --measure, or other passes.",
        errorLevel},
    DiagnosticRule{"GL3008", "OtherModelInBaseline", "The baseline belongs to another model.",
                   "The figures are compared nevertheless. If the model was changed on purpose, "
                   "make the new report the baseline.",
                   warningLevel},
    DiagnosticRule{"GL4001", "OutputWithheld", "An output was not written.",
                   "A check failed, and outputs of a plan that failed a check are not written.",
                   warningLevel},
    DiagnosticRule{"GL5001", "DamagedKernel", "A cached compiled kernel was damaged.",
                   "The damage was found before loading, and the kernel was rebuilt: no action is "
                   "needed. If this happens repeatedly, the disk may be failing.",
                   noteLevel},
    DiagnosticRule{"GL5002", "NoKernelFolder", "Compiled kernels cannot be cached.",
                   "The cache folder cannot be written, or other users could put kernels into it "
                   "that this program would run. The kernels were kept in a temporary folder and "
                   "will be compiled again next time. The message names the folder and the reason.",
                   warningLevel},
    DiagnosticRule{"GL5003", "NoProfileDatabase",
                   "The user's database of measured kernels cannot be used.",
                   "Passes and tuning did not use earlier measurements, and new ones were not "
                   "stored. If the database is damaged, move it away.",
                   warningLevel},
    DiagnosticRule{"GL5004", "KernelsFailed", "Kernels do not compile, or failed in a trial.",
                   "Their blocks are interpreted, which is far slower. Each of them is reported as "
                   "an interpreted block, with the compiler's message.",
                   warningLevel},
    DiagnosticRule{"GL5005", "OtherDevice", "Passes planned for another device.",
                   "The figures of the chosen device, by default this machine, must be measured "
                   "and could not be. The message gives the reason and the device that was used; "
                   "the option --device chooses one that needs no measuring.",
                   warningLevel},
    DiagnosticRule{"GL5006", "TunedByModel", "Kernels were tuned by a model of the device.",
                   "Tools that count what kernels do on a device that is not here are missing. The "
                   "message names what to install; kernels can then be tuned again.",
                   warningLevel},
};

} // namespace

std::span<const DiagnosticRule> diagnosticRules()
{
    return rulesOfDiagnostics;
}

std::size_t ruleIndexOf(std::string_view id)
{
    const auto found = std::ranges::find(rulesOfDiagnostics, id, &DiagnosticRule::id);
    assert(found != rulesOfDiagnostics.end());
    return std::size_t(found - rulesOfDiagnostics.begin());
}

std::optional<std::uint64_t> byteIn(std::string_view text)
{
    constexpr std::string_view mark = ", byte ";
    const auto at = text.find(mark);
    if (at == std::string_view::npos)
        return std::nullopt;
    std::uint64_t byte = 0;
    const auto [end, error] =
        std::from_chars(text.data() + at + mark.size(), text.data() + text.size(), byte);
    return error == std::errc() ? std::optional(byte) : std::nullopt;
}

std::vector<std::string> nodesIn(std::string_view text)
{
    constexpr std::string_view mark = "node \"", finish = "\" (";
    std::vector<std::string> nodes;
    for (std::size_t at = 0; (at = text.find(mark, at)) != std::string_view::npos;) {
        at += mark.size();
        const auto end = text.find(finish, at);
        if (end == std::string_view::npos)
            break;
        std::string name(text.substr(at, end - at));
        if (std::ranges::find(nodes, name) == nodes.end())
            nodes.push_back(std::move(name));
        at = end;
    }
    return nodes;
}

} // namespace graphloom
