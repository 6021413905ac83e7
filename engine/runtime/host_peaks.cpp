// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/host_peaks.h"

#include "engine/base/integer_division.h"
#include "engine/cost/host.h"
#include "engine/interpreter/stages/stage_runner.h"
#include "engine/runtime/aligned_bytes.h"
#include "engine/runtime/team.h"
#include "engine/system/atomic_file.h"
#include "engine/system/json_text.h"
#include "engine/system/read_file.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <new>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>

namespace graphloom {

namespace {

using Json = nlohmann::json;

/// Twelve chains of multiply-adds keep two units of latency four busy and fit in sixteen registers
/// with their two operands. Sums keep the compiler from dropping reads.
constexpr const char *kernels =
    R"c(// Measures what a processor can do: multiply-adds in registers, reading, and waiting for reads.
#include <stdint.h>
typedef float vec __attribute__((vector_size(4 * LANES)));
enum { CHAINS = 12, ROUNDS = 1000 };

void multiply_add(void *const *buffers, char *scratch, int64_t first, int64_t last, int32_t *status)
{
    const vec factor = *(const vec *)buffers[0];
    vec sum[CHAINS];
    (void)status;
    for (int chain = 0; chain < CHAINS; ++chain)
        sum[chain] = factor * (float)chain;
    for (int64_t round = first * ROUNDS; round < last * ROUNDS; ++round)
#pragma GCC unroll 12
        for (int chain = 0; chain < CHAINS; ++chain)
            sum[chain] = sum[chain] * factor + factor;
    for (int chain = 0; chain < CHAINS; ++chain)
        ((vec *)scratch)[chain] = sum[chain];
}

/* A task is 4 KiB; buffers[1] says how often all are read. */
void read_all(void *const *buffers, char *scratch, int64_t first, int64_t last, int32_t *status)
{
    enum { VECTORS = 1024 / LANES, CHAINS_READ = 8 };
    const vec *data = (const vec *)buffers[0];
    const int64_t repeats = *(const int64_t *)buffers[1];
    vec sum[CHAINS_READ] = {{0}};
    (void)status;
    for (int64_t repeat = 0; repeat < repeats; ++repeat)
        for (int64_t i = first * VECTORS; i < last * VECTORS; i += CHAINS_READ)
#pragma GCC unroll 8
            for (int chain = 0; chain < CHAINS_READ; ++chain)
                sum[chain] += data[i + chain];
    for (int chain = 0; chain < CHAINS_READ; ++chain)
        ((vec *)scratch)[chain] = sum[chain];
}

/* Follows a chain of places, each of which holds the next one, from where it was left in `scratch`:
   the same places again would be in the nearest cache. */
void follow(void *const *buffers, char *scratch, int64_t first, int64_t last, int32_t *status)
{
    enum { STEPS = 1000 };
    const uint32_t *next = (const uint32_t *)buffers[0];
    uint32_t at = *(const uint32_t *)scratch;
    (void)status;
    for (int64_t step = first * STEPS; step < last * STEPS; ++step)
        at = next[at];
    *(uint32_t *)scratch = at;
}
)c";
constexpr double chains = 12, rounds = 1000, chainSteps = 1000;
constexpr std::int64_t taskBytes = 4096, scratchBytes = 1024;

/// Returns memory as plans have it, filled with 0.5, so that no chain ends in subnormal numbers.
/// Null if there is none.
AlignedBytes ones(std::int64_t bytes)
{
    AlignedBytes memory;
    try {
        memory = alignedBytes(bytes);
    } catch (const std::bad_alloc &) {
        return nullptr;
    }
    std::fill_n(reinterpret_cast<float *>(memory.get()), bytes / 4, 0.5F);
    return memory;
}

/// Returns memory whose lines are a chain: the first element of each is the place of that of
/// another line, in random order, so that no prefetcher knows the next one. Null if there is less
/// than two lines, or no memory.
AlignedBytes chainOf(std::int64_t bytes)
{
    constexpr std::int64_t lineElements = 16;
    const std::int64_t lines = bytes / (lineElements * 4);
    if (lines < 2)
        return nullptr;
    AlignedBytes memory = ones(bytes);
    if (!memory)
        return nullptr;
    std::vector<std::uint32_t> order(std::size_t(lines), 0);
    std::iota(order.begin(), order.end(), 0U);
    std::minstd_rand random(1);
    for (std::size_t i = order.size(); i-- > 1;) // one cycle through all lines (Sattolo)
        std::swap(order[i], order[random() % i]);
    auto *places = reinterpret_cast<std::uint32_t *>(memory.get());
    for (std::size_t i = 0; i < order.size(); ++i)
        places[i * lineElements] = order[i] * std::uint32_t(lineElements);
    return memory;
}

/// Returns the seconds of the fastest of the runs that fit in `budget` seconds, at least three.
double fastest(double budget, const std::stop_token &stop, const auto &run)
{
    double best = 1e300, spent = 0;
    for (int i = 0; (i < 3 || spent < budget) && !stop.stop_requested(); ++i) {
        const auto begin = std::chrono::steady_clock::now();
        run();
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
        best = std::min(best, seconds.count());
        spent += seconds.count();
    }
    return best;
}

/// Returns the key of the peaks: all that they depend on, as far as the system reports it.
std::string keyOf(const HostFacts &host, const InstructionSet &set)
{
    return host.cpu + ", " + std::string(set.title) + ", " + std::to_string(host.l3Bytes >> 20) +
           " MiB L3, " + std::to_string(host.cores) + " cores";
}

std::filesystem::path fileIn(const std::filesystem::path &folder)
{
    return folder / "host_peaks.json";
}

Json contentOf(const std::filesystem::path &folder)
{
    Json content = jsonOf(readFile(fileIn(folder)).value_or(std::string()));
    return content.is_object() ? content : Json::object();
}

struct Field {
    const char *name;
    double HostPeaks::*value;
};
constexpr Field fields[] = {{"flops", &HostPeaks::flops},
                            {"flops_of_all", &HostPeaks::flopsOfAll},
                            {"memory", &HostPeaks::memory},
                            {"memory_of_all", &HostPeaks::memoryOfAll},
                            {"l2", &HostPeaks::l2},
                            {"l1", &HostPeaks::l1},
                            {"l3_of_all", &HostPeaks::l3OfAll},
                            {"l3_bytes", &HostPeaks::l3Bytes},
                            {"loop", &HostPeaks::loop},
                            {"l1_latency", &HostPeaks::l1Latency},
                            {"l2_latency", &HostPeaks::l2Latency},
                            {"l3_latency", &HostPeaks::l3Latency},
                            {"memory_latency", &HostPeaks::memoryLatency}};

} // namespace

std::optional<HostPeaks> readHostPeaks(const std::filesystem::path &folder,
                                       const InstructionSet &set)
{
    const Json content = contentOf(folder);
    const auto entry = content.find(keyOf(hostFacts(), set));
    if (entry == content.end() || !entry->is_object())
        return std::nullopt;
    HostPeaks peaks;
    for (const Field &field : fields) {
        const auto value = entry->find(field.name);
        if (value == entry->end() || !value->is_number())
            return std::nullopt;
        peaks.*field.value = value->get<double>();
        if (!std::isfinite(peaks.*field.value) || peaks.*field.value < 0)
            return std::nullopt;
    }
    return peaks;
}

Result<HostPeaks> measureHostPeaks(const InstructionSet &set, KernelCache &cache,
                                   const CCompiler &compiler, std::stop_token stop)
{
    const HostFacts &host = hostFacts();
    std::vector<std::string> flags(set.flags.begin(), set.flags.end());
    flags.insert(flags.end(),
                 {"-O2", "-ffp-contract=fast", "-DLANES=" + std::to_string(set.lanes)});
    constexpr double patience = 60;
    const auto file = cache.library(compiler, {kernels, {"multiply_add", "read_all", "follow"}},
                                    flags, stop, patience);
    const auto library = file ? KernelLibrary::open(*file) : tl::unexpected(file.error());
    const auto multiplyAdd =
        library ? library->kernel("multiply_add") : tl::unexpected(library.error());
    const auto readAll = library ? library->kernel("read_all") : tl::unexpected(library.error());
    const auto follow = library ? library->kernel("follow") : tl::unexpected(library.error());
    for (const auto *kernel : {&multiplyAdd, &readAll, &follow})
        if (!*kernel)
            return tl::unexpected(kernel->error());

    // Twice the largest cache, so that none of a sweep's data are left in it for the next.
    const std::int64_t memoryBytes =
        std::clamp<std::int64_t>(2 * host.l3Bytes, 64 << 20, 512 << 20) / taskBytes * taskBytes;
    AlignedBytes memory = ones(memoryBytes);
    const AlignedBytes scratch = ones(scratchBytes * host.cores);
    if (!memory || !scratch)
        return fail(Error::Kind::Missing,
                    "not enough memory to measure: " + std::to_string(memoryBytes >> 20) + " MiB");
    std::int64_t repeats = 1;
    void *buffers[] = {memory.get(), &repeats};
    const auto seconds = [&](int threads, double budget, KernelFunction kernel,
                             std::int64_t tasks) {
        Team team(unsigned(threads), Team::Pinning::OneCoreEach);
        Team::Session session(team);
        return fastest(budget, stop, [&] {
            session.parallel(tasks, [&](std::int64_t first, std::int64_t last, unsigned worker) {
                std::int32_t status = 0;
                kernel(buffers, reinterpret_cast<char *>(scratch.get()) + worker * scratchBytes,
                       first, last, &status);
            });
        });
    };
    const auto flops = [&](int threads) {
        const std::int64_t tasks = 20 * threads; // a few hundred microseconds
        const double count = double(tasks) * rounds * chains * set.lanes * 2;
        return count / seconds(threads, 0.06, *multiplyAdd, tasks);
    };
    const auto bandwidth = [&](int threads, std::int64_t bytes, double budget) {
        const std::int64_t tasks = std::max<std::int64_t>(1, bytes / taskBytes);
        repeats = std::max<std::int64_t>(1, (4 << 20) / (tasks * taskBytes));
        return double(tasks * taskBytes * repeats) / seconds(threads, budget, *readAll, tasks);
    };
    HostPeaks peaks;
    peaks.flops = flops(1);
    peaks.flopsOfAll = flops(host.cores);
    peaks.memory = bandwidth(1, memoryBytes, 0.08);
    peaks.memoryOfAll = bandwidth(host.cores, memoryBytes, 0.08);
    if (host.l2Bytes)
        peaks.l2 = bandwidth(1, host.l2Bytes / 2, 0.04);
    if (host.l1Bytes)
        peaks.l1 = bandwidth(1, host.l1Bytes / 2, 0.04);
    if (host.l3Bytes) {
        // What leaves the cores' own caches, up to where others or the system take their share.
        std::int64_t bytes = std::min(host.l3Bytes / 2, 4 * host.cores * host.l2Bytes);
        if (bytes == 0)
            bytes = host.l3Bytes / 2;
        peaks.l3OfAll = bandwidth(host.cores, bytes, 0.04);
        peaks.l3Bytes = double(host.l3Bytes);
        for (; bytes < host.l3Bytes / 2; bytes *= 2)
            if (const auto next = std::min(2 * bytes, host.l3Bytes / 2);
                bandwidth(host.cores, next, 0.04) < std::sqrt(peaks.l3OfAll * peaks.memoryOfAll)) {
                peaks.l3Bytes = double(bytes);
                break;
            }
    }
    // What a loop of one task for each core takes longer than its task alone. Tasks of no work
    // would be done before the other threads have noticed.
    constexpr double leastLoop = 1e-8; // the resolution of the clock
    peaks.loop = std::max(leastLoop, seconds(host.cores, 0.02, *multiplyAdd, host.cores) -
                                         seconds(1, 0.02, *multiplyAdd, 1));
    const auto latency = [&](std::int64_t bytes) {
        const AlignedBytes chain = chainOf(bytes);
        if (!chain)
            return 0.0;
        buffers[0] = chain.get();
        std::memset(scratch.get(), 0, scratchBytes); // where the chain begins
        constexpr std::int64_t tasks = 20;
        return seconds(1, 0.02, *follow, tasks) / (double(tasks) * chainSteps);
    };
    memory.reset(); // a chain may be as large
    peaks.l1Latency = latency(host.l1Bytes / 2);
    peaks.l2Latency = latency(host.l2Bytes / 2);
    peaks.l3Latency = latency(std::int64_t(peaks.l3Bytes) / 2);
    peaks.memoryLatency = latency(memoryBytes);
    if (stop.stop_requested())
        return stopped();

    Json content = contentOf(cache.folder());
    Json &entry = content[keyOf(host, set)] = Json::object();
    for (const Field &field : fields)
        entry[field.name] = peaks.*field.value;
    GL_TRY(writeFileAtomically(fileIn(cache.folder()), jsonText(content, 2) + "\n"));
    std::error_code ignored; // the folder is its owner's in any case
    std::filesystem::permissions(fileIn(cache.folder()), std::filesystem::perms(0600), ignored);
    return peaks;
}

} // namespace graphloom
