// SPDX-License-Identifier: Apache-2.0
#include "engine/tuning/default_kernels.h"

#include "engine/base/stop_after.h"

#include <algorithm>
#include <iterator>

namespace graphloom {

namespace {

std::size_t bytesOf(const BlockKernel &kernel)
{
    std::size_t bytes = 0;
    for (const BlockKernel::Phase &phase : kernel.phases)
        bytes += phase.code.size();
    return bytes;
}

/// Compiles kernels group by group; the first group shows how long the next may be.
class GroupCompiler {
public:
    GroupCompiler(const BlockKernels &kernels, const std::vector<BlockIndex> &blocks,
                  const CompileOptions &options, double seconds,
                  const std::function<double()> &clock)
        : m_kernels(kernels), m_blocks(blocks), m_options(options), m_clock(clock),
          m_end(clock() + seconds)
    {
    }

    Result<CompiledKernels> run()
    {
        while (m_next < m_blocks.size() && !m_options.stop.stop_requested()) {
            const BlockKernels group = nextGroup();
            if (group.empty())
                break;
            const double begin = m_clock(), left = m_end - begin;
            const StopAfter cut(m_options.stop, left);
            CompileOptions options = m_options;
            options.stop = cut.token();
            auto compiled = compileKernels(group, options);
            if (!compiled && compiled.error().kind == Error::Kind::Missing)
                return compiled;
            if (!compiled && cut.token().stop_requested())
                break;
            if (compiled)
                std::ranges::move(compiled->libraries, std::back_inserter(m_result.libraries));
            m_secondsPerByte = (m_clock() - begin) / double(std::max<std::size_t>(m_bytes, 1));
        }
        return std::move(m_result);
    }

private:
    /// Returns the next kernels, or nothing if there is no time for them.
    BlockKernels nextGroup()
    {
        const std::size_t first = 4 * std::max<std::size_t>(m_options.threads, 1);
        BlockKernels group;
        group.resize(m_kernels.size());
        m_bytes = 0;
        for (std::size_t count = 0; m_next < m_blocks.size(); ++m_next, ++count) {
            const auto &kernel = m_kernels[m_blocks[m_next]];
            const std::size_t bytes = kernel ? bytesOf(*kernel) : 0;
            if (m_secondsPerByte > 0
                    ? double(m_bytes + bytes) * m_secondsPerByte > m_end - m_clock()
                    : count >= first)
                break;
            group[m_blocks[m_next]] = kernel;
            m_bytes += bytes;
        }
        return m_bytes > 0 ? std::move(group) : BlockKernels();
    }

    const BlockKernels &m_kernels;
    const std::vector<BlockIndex> &m_blocks;
    const CompileOptions &m_options;
    const std::function<double()> &m_clock;
    const double m_end;
    std::size_t m_next = 0, m_bytes = 0; // the next block; the code of the group
    double m_secondsPerByte = 0;         // of the last group; 0: there was none
    CompiledKernels m_result;
};

} // namespace

Result<CompiledKernels> compileInTime(const BlockKernels &kernels,
                                      const std::vector<BlockIndex> &blocks,
                                      const CompileOptions &options, double seconds,
                                      const std::function<double()> &clock)
{
    if (areCached(kernels, options))
        return compileKernels(kernels, options);
    return GroupCompiler(kernels, blocks, options, seconds, clock).run();
}

} // namespace graphloom
