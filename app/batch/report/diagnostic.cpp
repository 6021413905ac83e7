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
                   "The file is broken, or asks for more than is permitted. The message names the "
                   "byte, node or tensor and the reason. Export the model again; a Git LFS pointer "
                   "in place of the model needs git lfs pull.",
                   errorLevel},
    DiagnosticRule{"GL1002", "OddModel", "Something in the model is odd but could be read.",
                   "The loader says what it has made of it. Other tools may refuse it or read it "
                   "otherwise; look at how the model was exported.",
                   warningLevel},
    DiagnosticRule{
        "GL2001", "OpaqueOperator", "An operator is opaque: a barrier to fusion and fission.",
        "What an opaque operator computes cannot be described by loops, as where extents "
        "depend on data, or is not known. Passes work around it. graphloom --list ops "
        "says which operators are described.",
        noteLevel},
    DiagnosticRule{"GL2002", "InterpretedBlock", "No kernel was generated for a block.",
                   "The block runs in the interpreter, which is far slower than a kernel. The "
                   "message says what the generator cannot do.",
                   warningLevel},
    DiagnosticRule{
        "GL2003", "UnrealizedPlan", "A memory plan could not be made a graph.",
        "The figures of the plan are modelled only: the exported model does not have its "
        "parts and repetitions as nodes. The message says why and what to do.",
        warningLevel},
    DiagnosticRule{"GL2004", "LimitsNotMet", "A search did not reach the limits that were set.",
                   "The best plan that was found exceeds --memory-limit or --latency-limit. Give "
                   "the search more time (--budget), or looser limits.",
                   warningLevel},
    DiagnosticRule{"GL2005", "CallNotMeasured", "A call was modelled in place of measured.",
                   "A pass that prices plans by measured calls could not run this one; its latency "
                   "is from the device's description.",
                   noteLevel},
    DiagnosticRule{"GL2006", "PassFailed", "A pass or what follows it refused the model.",
                   "The message names the node and the reason. Without the pass the model can be "
                   "worked on.",
                   errorLevel},
    DiagnosticRule{"GL3001", "VerificationFailed", "Original and result do not agree.",
                   "On the same random inputs the outputs differ by more than --verify permits, or "
                   "cannot be compared. Nothing was exported. Run the passes one by one, or with "
                   "rules switched off, to find which one it is, and report it.",
                   errorLevel},
    DiagnosticRule{"GL3002", "WeakVerification",
                   "The verification passed, but says less than it seems.",
                   "The message says what was not put to the test.", warningLevel},
    DiagnosticRule{"GL3003", "TestDataFailed", "Stored outputs are not reproduced.",
                   "The model gives other outputs than those of --test-data on its inputs.",
                   errorLevel},
    DiagnosticRule{"GL3004", "AssertionFailed", "A condition of --assert does not hold.",
                   "The message has the values that were looked at.", errorLevel},
    DiagnosticRule{"GL3005", "WorseThanBaseline", "A figure is worse than in the baseline.",
                   "It is worse by more than its --tolerance. Where that is meant, make the new "
                   "report the baseline.",
                   errorLevel},
    DiagnosticRule{
        "GL3006", "NotComparableWithBaseline",
        "A figure was obtained otherwise than in the baseline.",
        "Provenance, target, device, threads or processor differ, so nothing can be said "
        "about which one is better. Make the baseline again in this environment.",
        errorLevel},
    DiagnosticRule{"GL3007", "MissingFigure", "A figure of the baseline is not in this report.",
                   "The baseline was made with other options, such as --measure, or other passes.",
                   errorLevel},
    DiagnosticRule{"GL3008", "OtherModelInBaseline", "The baseline is of another model.",
                   "The figures are compared all the same. Where the model was changed on purpose, "
                   "make the new report the baseline.",
                   warningLevel},
    DiagnosticRule{"GL4001", "OutputWithheld", "An output was not put in place.",
                   "A check failed, and what is made of a plan that failed is not written.",
                   warningLevel},
    DiagnosticRule{"GL5001", "DamagedKernel", "A compiled kernel that was kept was damaged.",
                   "It was found before it was loaded, and was made anew: nothing is to be done. "
                   "Where it happens again and again, the disk may be failing.",
                   noteLevel},
    DiagnosticRule{"GL5002", "NoKernelFolder", "Compiled kernels cannot be kept.",
                   "Their folder cannot be written, or other users could put kernels into it that "
                   "this program would run. They were kept in a temporary folder instead, and are "
                   "compiled anew the next time. The message names the folder and the reason.",
                   warningLevel},
    DiagnosticRule{"GL5003", "NoProfileDatabase",
                   "The user's database of measured kernels cannot be used.",
                   "Passes and tuning did without what was measured before, and nothing that was "
                   "measured now is kept. Move the database away where it is damaged.",
                   warningLevel},
    DiagnosticRule{"GL5004", "KernelsFailed", "Kernels do not compile, or failed when tried.",
                   "Their blocks are interpreted, which is far slower. Each of them is told of as "
                   "an interpreted block, with the compiler's reason.",
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
