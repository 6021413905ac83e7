// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/build/compiled_kernels.h"

#include "engine/base/steady_clock.h"

#include <algorithm>

namespace graphloom {

namespace {

using Phases = std::vector<const BlockKernel::Phase *>;

/// Returns the phases with tasks, equal ones once.
Phases phasesOf(const BlockKernels &kernels)
{
    std::map<std::string, const BlockKernel::Phase *> unique;
    for (const auto &kernel : kernels)
        if (kernel)
            for (const BlockKernel::Phase &phase : kernel->phases)
                if (phase.tasks > 0)
                    unique.emplace(phase.symbol, &phase);
    Phases phases;
    for (const auto &[symbol, phase] : unique)
        phases.push_back(phase);
    return phases;
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

void note(const Phases &phases, const CompileOptions &options)
{
    const KernelSource nothing = translationUnit({}, options.lanes);
    std::vector<std::string> symbols;
    for (const BlockKernel::Phase *phase : phases)
        symbols.push_back(phase->symbol);
    options.cache->note(*options.compiler, nothing.common, flagsOf(options), symbols);
}

/// Takes the phases that some library of the cache has out of `phases`, and returns the libraries.
std::vector<KernelLibrary> takeKnown(Phases &phases, const CompileOptions &options)
{
    const KernelSource nothing = translationUnit({}, options.lanes);
    const std::vector<std::string> flags = flagsOf(options);
    std::map<std::filesystem::path, std::optional<KernelLibrary>> opened;
    std::erase_if(phases, [&](const BlockKernel::Phase *phase) {
        const auto file =
            options.cache->libraryOf(*options.compiler, nothing.common, flags, phase->symbol);
        if (!file)
            return false;
        const auto [at, isNew] = opened.try_emplace(*file);
        if (isNew)
            if (auto library = KernelLibrary::open(*file))
                at->second = *std::move(library);
        return at->second && at->second->kernel(phase->symbol);
    });
    std::vector<KernelLibrary> libraries;
    for (auto &[file, library] : opened)
        if (library)
            libraries.push_back(*std::move(library));
    return libraries;
}

} // namespace

std::vector<KernelSource> translationUnits(std::vector<const BlockKernel::Phase *> phases,
                                           int lanes, unsigned most)
{
    std::ranges::stable_sort(phases, std::greater(),
                             [](const BlockKernel::Phase *phase) { return phase->code.size(); });
    const std::size_t units = std::min<std::size_t>(std::max(most, 1U), phases.size());
    std::vector<Phases> shares(units);
    std::vector<std::size_t> sizes(units, 0);
    for (const BlockKernel::Phase *phase : phases) {
        const std::size_t least = std::size_t(std::ranges::min_element(sizes) - sizes.begin());
        shares[least].push_back(phase);
        sizes[least] += phase->code.size();
    }
    std::vector<KernelSource> sources;
    for (const Phases &share : shares)
        sources.push_back(translationUnit(share, lanes));
    return sources;
}

Result<KernelFunction> CompiledKernels::function(const std::string &symbol) const
{
    for (const KernelLibrary &library : libraries)
        if (auto function = library.kernel(symbol))
            return *function;
    return fail(Error::Kind::Fault, "a compiled library lacks the kernel " + symbol);
}

bool areCached(const BlockKernels &kernels, const CompileOptions &options)
{
    Phases phases = phasesOf(kernels);
    takeKnown(phases, options);
    return std::ranges::all_of(translationUnits(std::move(phases), options.lanes, options.threads),
                               [&](const KernelSource &source) {
                                   return options.cache->holds(*options.compiler, source,
                                                               flagsOf(options));
                               });
}

void noteKernels(const BlockKernels &kernels, const CompileOptions &options)
{
    note(phasesOf(kernels), options);
}

Result<CompiledKernels> compileKernels(const BlockKernels &kernels, const CompileOptions &options)
{
    CompiledKernels result;
    const double begin = steadySeconds();
    Phases phases = phasesOf(kernels);
    result.libraries = takeKnown(phases, options);
    for (const auto &file :
         compiled(translationUnits(phases, options.lanes, options.threads), options)) {
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
    note(phases, options);
    return result;
}

} // namespace graphloom
