// SPDX-License-Identifier: Apache-2.0
#include "targets/opencl/opencl_peaks.h"

#include "engine/base/steady_clock.h"
#include "engine/codegen/build/sealed_file.h"
#include "engine/codegen/emit/prelude.h"
#include "engine/system/atomic_file.h"

#include <algorithm>
#include <fstream>
#include <locale>
#include <optional>
#include <sstream>

namespace graphloom::opencl {

namespace {

constexpr int times = 3; // of which the best counts

/// Multiply-adds of independent vectors, more than hide the latency of one.
constexpr std::string_view sources = R"(
#define GL_CHAINS 12
__kernel void peak_flops(__global vf *to, __global const int *rounds)
{
    const int t = get_global_id(0), count = rounds[0];
    vf sums[GL_CHAINS];
    for (int i = 0; i < GL_CHAINS; ++i)
        sums[i] = (vf)((float)(t + i));
    const vf a = (vf)(0.999f), b = (vf)(0.001f);
    for (int round = 0; round < count; ++round)
#pragma unroll
        for (int i = 0; i < GL_CHAINS; ++i)
            sums[i] = fma(sums[i], a, b);
    vf sum = (vf)(0.0f);
    for (int i = 0; i < GL_CHAINS; ++i)
        sum += sums[i];
    to[t] = sum;
}
__kernel void peak_reads(__global const vf *from, __global const int *counts, __global vf *to)
{
    const int t = get_global_id(0), vectors = counts[0], repeats = counts[1];
    const int items = get_global_size(0);
    vf a = (vf)(0.0f), b = a, c = a, d = a;
    for (int repeat = 0; repeat < repeats; ++repeat)
#ifdef GL_IN_PIECES
        for (int i = t * (vectors / items); i + 3 < (t + 1) * (vectors / items); i += 4) {
            a += from[i];
            b += from[i + 1];
            c += from[i + 2];
            d += from[i + 3];
        }
#else
        for (int i = t; i + 3 * items < vectors; i += 4 * items) {
            a += from[i];
            b += from[i + items];
            c += from[i + 2 * items];
            d += from[i + 3 * items];
        }
#endif
    to[t] = a + b + c + d;
}
__kernel void peak_nothing(__global vf *to) {}
)";

template <class T> Result<Memory> memoryWith(const OpenclQueue &queue, std::span<const T> values)
{
    GL_TRY_RESULT(made, queue.memory(values.size_bytes()));
    GL_TRY(queue.write(*made, std::as_bytes(values)));
    return made;
}

/// Measures with the kernels of one program.
class PeakMeter {
public:
    PeakMeter(const OpenclQueue &queue, int lanes, Program program, std::stop_token stop)
        : m_queue(queue), m_lanes(lanes), m_program(std::move(program)), m_stop(std::move(stop))
    {
        // A few items for each unit of a processor, many for those of a GPU.
        const OpenclDevice &device = queue.device();
        m_items.group =
            device.isCpu ? 1 : std::int64_t(std::min<std::size_t>(64, device.mostItems));
        m_items.all = std::int64_t(queue.units()) * (device.isCpu ? 4 : 16 * m_items.group);
    }

    Result<OpenclPeaks> run()
    {
        OpenclPeaks peaks;
        GL_TRY_RESULT(to, m_queue.memory(std::uint64_t(m_items.all * m_lanes) * sizeof(float)));
        m_to = *std::move(to);
        GL_TRY_CONST(flops, multiplyAdds());
        peaks.flops = *flops;
        const OpenclDevice &device = m_queue.device();
        constexpr std::uint64_t large = 256 << 20;
        GL_TRY_CONST(memory, reads(std::min({large, device.mostInOne, device.memory / 4})));
        peaks.memory = *memory;
        if (device.cacheBytes >= (64 << 10)) {
            GL_TRY_CONST(cache, reads(device.cacheBytes / 2));
            peaks.cache = *cache;
        }
        GL_TRY_CONST(launch, launches());
        peaks.launch = *launch;
        return peaks;
    }

private:
    /// Returns the rate of `kernel`, which does so much work in a round, with so many rounds that
    /// it takes some milliseconds. `argument` is that of the rounds, the last one in `counts`.
    Result<double> rateOf(const Kernel &kernel, double workOfRound, cl_uint argument,
                          std::vector<cl_int> counts)
    {
        constexpr double enough = 0.02;
        double best = 0, rounds = 1;
        for (int measured = 0; measured < times;) {
            if (m_stop.stop_requested())
                return stoppedError();
            counts.back() = cl_int(rounds);
            GL_TRY_CONST(memory, memoryWith<cl_int>(m_queue, counts));
            GL_TRY(m_queue.set(kernel, argument, *memory));
            Event event;
            GL_TRY(m_queue.run(kernel, m_items, &event));
            GL_TRY(m_queue.finish());
            GL_TRY_CONST(seconds, m_queue.secondsOf(event));
            constexpr double most = 1e9;
            if (*seconds < enough / 2 && rounds < most) {
                rounds = std::min(std::max(rounds * enough / std::max(*seconds, 1e-6), 2 * rounds),
                                  most);
                continue;
            }
            best = std::max(best, workOfRound * rounds / std::max(*seconds, 1e-9));
            ++measured;
        }
        return best;
    }
    Result<double> multiplyAdds()
    {
        constexpr double chains = 12;
        GL_TRY_CONST(kernel, m_queue.kernel(m_program, "peak_flops"));
        GL_TRY(m_queue.set(*kernel, 0, m_to));
        return rateOf(*kernel, 2 * chains * m_lanes * double(m_items.all), 1, {1});
    }
    Result<double> reads(std::uint64_t bytes)
    {
        const std::uint64_t vectorBytes = std::uint64_t(m_lanes) * sizeof(float);
        const auto whole = std::uint64_t(4 * m_items.all); // vectors, so that no item does less
        const std::uint64_t vectors =
            std::max<std::uint64_t>(bytes / vectorBytes / whole, 1) * whole;
        GL_TRY_CONST(kernel, m_queue.kernel(m_program, "peak_reads"));
        const std::vector<float> zeros(std::size_t(vectors) * std::size_t(m_lanes), 0.F);
        GL_TRY_CONST(from, memoryWith<float>(m_queue, zeros));
        GL_TRY(m_queue.set(*kernel, 0, *from));
        GL_TRY(m_queue.set(*kernel, 2, m_to));
        return rateOf(*kernel, double(vectors * vectorBytes), 1, {cl_int(vectors), 1});
    }
    Result<double> launches()
    {
        constexpr int count = 50;
        GL_TRY_CONST(kernel, m_queue.kernel(m_program, "peak_nothing"));
        GL_TRY(m_queue.set(*kernel, 0, m_to));
        double best = 1;
        for (int i = 0; i < times; ++i) {
            const double start = steadySeconds();
            for (int k = 0; k < count; ++k)
                GL_TRY(m_queue.run(*kernel, m_items));
            GL_TRY(m_queue.finish());
            best = std::min(best, (steadySeconds() - start) / count);
        }
        return best;
    }

    const OpenclQueue &m_queue;
    int m_lanes;
    Program m_program;
    std::stop_token m_stop;
    WorkItems m_items;
    Memory m_to;
};

MachineFigure measured(double value, const char *source)
{
    return {value, Evidence::Measured, source};
}
MachineFigure reported(double value)
{
    return {value, Evidence::Published, "reported by the driver"};
}

/// Reads peaks that keep() has written; nothing if the file is missing or damaged.
std::optional<OpenclPeaks> keptPeaks(const std::filesystem::path &file)
{
    const auto known = readSealed(file);
    if (!known)
        return std::nullopt;
    std::istringstream text(known->content);
    text.imbue(std::locale::classic());
    OpenclPeaks peaks;
    if (text >> peaks.flops >> peaks.memory >> peaks.cache >> peaks.launch)
        return peaks;
    return std::nullopt;
}

/// Keeps peaks for later starts. What cannot be kept is measured again.
void keep(const OpenclPeaks &peaks, const std::filesystem::path &file)
{
    std::ostringstream text;
    text.imbue(std::locale::classic());
    text << peaks.flops << ' ' << peaks.memory << ' ' << peaks.cache << ' ' << peaks.launch << '\n';
    (void)fillFileAtomically(
        file,
        [&](const std::filesystem::path &temporary) -> Result<void> {
            std::ofstream(temporary, std::ios::binary) << text.str();
            return sealFile(temporary, text.str(), file.stem().native());
        },
        Links::Replace);
}

} // namespace

Result<OpenclPeaks> measuredPeaks(const OpenclQueue &queue, int lanes,
                                  const std::filesystem::path &folder, std::stop_token stop)
{
    const std::string source = "#define GL_LANES " + std::to_string(lanes) + "\n" +
                               (queue.device().isCpu ? "#define GL_IN_PIECES\n" : "") +
                               std::string(openclPrelude()) + std::string(sources);
    const std::filesystem::path file =
        folder / (checksumOf(source, queue.device().identity() + ", peaks") + ".peaks");
    if (const auto kept = keptPeaks(file))
        return *kept;
    GL_TRY_RESULT(program, queue.program(source, folder));
    GL_TRY_CONST(peaks, PeakMeter(queue, lanes, *std::move(program), std::move(stop)).run());
    keep(*peaks, file);
    return *peaks;
}

Machine machineOf(const OpenclDevice &device, int lanes, int registers, const OpenclPeaks &peaks)
{
    constexpr double usualLine = 64;
    const MachineFigure line = device.lineBytes > 0
                                   ? reported(double(device.lineBytes))
                                   : MachineFigure{usualLine, Evidence::Assumed, "usual line"};
    Machine machine;
    machine.name = "opencl";
    machine.title = device.name;
    UnitKind &unit = machine.units.emplace_back();
    unit.name = "compute unit";
    unit.count = reported(device.units);
    unit.flops = measured(peaks.flops / device.units,
                          "fused multiply-adds of all units at once, divided by the units");
    unit.lanes = {double(lanes), Evidence::Assumed, "floats of the vectors in kernels"};
    unit.registers = {double(registers), Evidence::Assumed, "vectors that a work-item keeps"};
    if (peaks.cache > 0)
        machine.memory.push_back({"cache",
                                  reported(double(device.cacheBytes)),
                                  measured(peaks.cache, "reads of half of the cache"),
                                  {},
                                  line,
                                  {}});
    machine.memory.push_back(
        {"memory", {}, measured(peaks.memory, "reads of a large buffer"), {}, line, {}});
    machine.scratch = machine.memory.front().name;
    machine.launch = measured(peaks.launch, "time between kernels that do nothing");
    return machine;
}

} // namespace graphloom::opencl
