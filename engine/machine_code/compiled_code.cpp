// SPDX-License-Identifier: Apache-2.0
#include "engine/machine_code/compiled_code.h"

#include "engine/machine_code/llvm_tools.h"
#include "engine/system/temporary.h"

#include <algorithm>
#include <fstream>

namespace graphloom {

namespace {

using Loop = KernelCode::Loop;

/// Returns the file with the definition of a function; comments and calls name it, too.
const SourceFile *definingFile(std::span<const SourceFile> files, const std::string &symbol)
{
    const auto found = std::ranges::find_if(files, [&](const SourceFile &file) {
        return file.content.find("void " + symbol + "(") != std::string::npos;
    });
    return found == files.end() ? nullptr : &*found;
}

std::vector<std::string> textsOf(const KernelCode &code, const Loop &loop)
{
    std::vector<std::string> texts;
    for (std::size_t i = loop.first; i <= loop.last; ++i)
        texts.push_back(code.instructions[i].text);
    return texts;
}

/// Estimates the loops, and with them multiply-adds of each kind that wait for nothing: the peak.
Result<void> estimate(KernelCode &code, const LlvmTools &tools, const Architecture &architecture,
                      const CodeRequest &request)
{
    std::vector<std::vector<std::string>> sequences;
    for (const Loop &loop : code.loops)
        sequences.push_back(textsOf(code, loop));
    std::vector<std::size_t> peaks(code.loops.size(), 0); // by loop: of the sequences
    std::map<std::vector<std::string>, std::size_t> known;
    for (std::size_t i = 0; i < code.loops.size(); ++i) {
        const auto first = std::ranges::find_if(sequences[i], [&](const std::string &text) {
            return architecture.isMultiplyAdd(text);
        });
        if (first == sequences[i].end())
            continue;
        std::vector<std::string> independent = architecture.independent(*first);
        const auto [at, isNew] = known.try_emplace(independent, sequences.size());
        peaks[i] = at->second;
        if (isNew)
            sequences.push_back(std::move(independent));
    }
    GL_TRY_CONST(uses,
                 pipelineUse(tools, architecture, request.processor, sequences, request.stop));
    for (std::size_t i = 0; i < code.loops.size(); ++i) {
        Loop &loop = code.loops[i];
        loop.cycles = (*uses)[i].cycles;
        loop.limit = (*uses)[i].limit;
        if (peaks[i] == 0 || loop.cycles <= 0)
            continue;
        const double best = (*uses)[peaks[i]].cycles / double(sequences[peaks[i]].size());
        loop.peakShare = loop.multiplyAdds * best / loop.cycles;
    }
    return {};
}

} // namespace

std::vector<Loop> innermostLoops(const Architecture &architecture,
                                 std::span<const KernelCode::Instruction> instructions)
{
    std::vector<Loop> loops;
    for (std::size_t i = 0; i < instructions.size(); ++i) {
        const auto target = jumpTarget(architecture, instructions[i].text);
        if (!target || *target > instructions[i].address)
            continue;
        const auto first =
            std::ranges::lower_bound(instructions, *target, {}, &KernelCode::Instruction::address);
        if (first == instructions.end() || first->address != *target)
            continue;
        Loop loop;
        loop.first = std::size_t(first - instructions.begin());
        loop.last = i;
        loops.push_back(loop);
    }
    // Of two loops one in the other, the outer one goes, also if they begin together, as those with
    // two jumps back do.
    const auto hasInner = [&](const Loop &outer) {
        return std::ranges::any_of(loops, [&](const Loop &inner) {
            return (inner.first != outer.first || inner.last != outer.last) &&
                   inner.first >= outer.first && inner.last <= outer.last;
        });
    };
    std::vector<Loop> innermost;
    std::ranges::copy_if(loops, std::back_inserter(innermost),
                         [&](const Loop &loop) { return !hasInner(loop); });
    std::ranges::sort(innermost, {}, &Loop::first);
    for (Loop &loop : innermost)
        for (std::size_t i = loop.first; i <= loop.last; ++i) {
            loop.spills += architecture.isSpill(instructions[i].text);
            loop.multiplyAdds += architecture.isMultiplyAdd(instructions[i].text);
        }
    return innermost;
}

Result<KernelCode> compiledCode(const CodeRequest &request)
{
    constexpr double patience = 120;
    const Architecture *architecture = findArchitecture(request.compiler.triple);
    if (!architecture)
        return fail(Error::Kind::Usage, "machine code of this architecture cannot be shown: " +
                                            request.compiler.triple);
    const SourceFile *file = definingFile(request.files, request.symbol);
    if (!file)
        return fail(Error::Kind::Usage, "no source file defines " + request.symbol);
    GL_TRY_CONST(tools, llvmTools(request.stop));
    GL_TRY_CONST(folder, Temporary::folder(std::filesystem::temp_directory_path()));
    for (const SourceFile &header : request.files) {
        // Files of a session may have any name; none is written to another folder.
        const std::filesystem::path name = std::filesystem::path(header.name).filename();
        if (name.extension() == ".h" && !(std::ofstream(folder->path() / name, std::ios::binary)
                                          << header.content << std::flush))
            return fail(Error::Kind::Missing, "cannot write here", folder->path().string());
    }
    std::vector<std::string> flags = request.flags;
    flags.insert(flags.end(), {"-I", folder->path().string(), "-fPIC", "-g1"});
    const std::filesystem::path object = folder->path() / "kernel.o";
    GL_TRY(compileObject(request.compiler, file->content, flags, object, request.stop, patience));
    GL_TRY_CONST(listing,
                 disassembled(*tools, *architecture, object, request.symbol + ">", request.stop,
                              std::filesystem::path(object).replace_extension(".c")));
    KernelCode code;
    code.file = file->name;
    for (const auto &[address, instruction] : *listing)
        code.instructions.push_back(instruction);
    code.compiler = request.compiler.version;
    code.loops = innermostLoops(*architecture, code.instructions);
    const auto estimated = estimate(code, *tools, *architecture, request);
    if (!estimated && estimated.error().kind == Error::Kind::Stopped)
        return tl::unexpected(estimated.error());
    if (!estimated)
        code.problem = estimated.error().text();
    code.model = "llvm-mca " + tools->version + ", " + modelledProcessor(*tools, request.processor);
    return code;
}

} // namespace graphloom
