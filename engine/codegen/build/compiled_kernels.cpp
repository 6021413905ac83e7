// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/build/compiled_kernels.h"

#include "engine/base/steady_clock.h"

#include <algorithm>

namespace graphloom {

namespace {

/// Distributes the phases over translation units of about equal length.
std::vector<KernelSource> unitsOf(const BlockKernels &kernels, const CompileOptions &options)
{
    std::map<std::string, const BlockKernel::Phase *> unique;
    for (const auto &kernel : kernels)
        if (kernel)
            for (const BlockKernel::Phase &phase : kernel->phases)
                if (phase.tasks > 0)
                    unique.emplace(phase.symbol, &phase);
    std::vector<const BlockKernel::Phase *> phases;
    for (const auto &[symbol, phase] : unique)
        phases.push_back(phase);
    std::ranges::stable_sort(phases, std::greater(),
                             [](const BlockKernel::Phase *phase) { return phase->code.size(); });
    const std::size_t units = std::min<std::size_t>(std::max(options.threads, 1U), phases.size());
    std::vector<std::vector<const BlockKernel::Phase *>> shares(units);
    std::vector<std::size_t> sizes(units, 0);
    for (const BlockKernel::Phase *phase : phases) {
        const std::size_t least = std::size_t(std::ranges::min_element(sizes) - sizes.begin());
        shares[least].push_back(phase);
        sizes[least] += phase->code.size();
    }
    std::vector<KernelSource> sources;
    for (const auto &share : shares)
        sources.push_back(translationUnit(share, options.lanes));
    return sources;
}

std::vector<std::string> flagsOf(const CompileOptions &options)
{
    std::vector<std::string> flags = kernelFlags(options.lanes);
    flags.insert(flags.end(), options.flags.begin(), options.flags.end());
    return flags;
}

std::vector<Result<std::filesystem::path>> compiled(const std::vector<KernelSource> &sources,
                                                    const CompileOptions &options)
{
    return options.cache->libraries(*options.compiler, sources, flagsOf(options),
                                    std::max(options.threads, 1U), options.stop, options.seconds);
}

/// Tells whether the compiler itself hangs, whatever it compiles.
bool hangs(const CompileOptions &options)
{
    constexpr double patience = 10; // seconds, for a trivial source
    const auto folder = Temporary::folder(options.cache->folder());
    return folder && !compileShared(*options.compiler, "int graphloom_answers;\n",
                                    kernelFlags(options.lanes), folder->path() / "answers.so",
                                    options.stop, std::min(patience, options.seconds));
}

/// Compiles each block by itself and returns those that fail.
RefusedBlocks failing(const BlockKernels &kernels, const CompileOptions &options)
{
    std::vector<BlockIndex> blocks; // of the sources
    std::vector<KernelSource> sources;
    for (const BlockIndex b : kernels.indices()) {
        if (!kernels[b])
            continue;
        std::vector<const BlockKernel::Phase *> phases;
        for (const BlockKernel::Phase &phase : kernels[b]->phases)
            phases.push_back(&phase);
        blocks.push_back(b);
        sources.push_back(translationUnit(phases, options.lanes));
    }
    RefusedBlocks failed;
    const auto files = compiled(sources, options);
    for (std::size_t i = 0; i < files.size(); ++i)
        if (!files[i])
            failed.emplace(blocks[i], files[i].error().text());
    return failed;
}

} // namespace

Result<KernelFunction> CompiledKernels::function(const std::string &symbol) const
{
    for (const KernelLibrary &library : libraries)
        if (auto function = library.kernel(symbol))
            return *function;
    return fail(Error::Kind::Fault, "a compiled library lacks the kernel " + symbol);
}

bool areCached(const BlockKernels &kernels, const CompileOptions &options)
{
    return std::ranges::all_of(unitsOf(kernels, options), [&](const KernelSource &source) {
        return options.cache->holds(*options.compiler, source, flagsOf(options));
    });
}

Result<CompiledKernels> compileKernels(const BlockKernels &kernels, const CompileOptions &options)
{
    CompiledKernels result;
    const double begin = steadySeconds();
    for (const auto &file : compiled(unitsOf(kernels, options), options)) {
        if (file) {
            GL_TRY_RESULT(library, KernelLibrary::open(*file));
            result.libraries.push_back(std::move(*library));
            continue;
        }
        const Error &error = file.error();
        if (error.kind != Error::Kind::Fault || options.stop.stop_requested())
            return tl::unexpected(error);
        if (steadySeconds() - begin >= options.seconds && hangs(options))
            return fail(Error::Kind::Missing, "the C compiler does not finish: " + error.message,
                        error.where);
        result.libraries.clear();
        result.failed = failing(kernels, options);
        if (result.failed.empty() || options.stop.stop_requested())
            return tl::unexpected(error);
        return result;
    }
    return result;
}

} // namespace graphloom
