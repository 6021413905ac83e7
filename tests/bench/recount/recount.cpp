// SPDX-License-Identifier: Apache-2.0
// recount MODEL.onnx... [--expect REPORT.json] [--top N] [--weights counted|left-out]
// Counts the peak memory of ONNX files from the files alone, and compares it with a report's
// figures of the same: README.md. Exit codes: 0 done; 1 a figure differs, or a file's schedule does
// not hold; 2 wrong usage.
#include "count.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

using namespace recount;

namespace {

constexpr double tolerance = 0.01;

struct Options {
    std::vector<std::string> models;
    std::string expect;
    std::size_t top = 10;
    std::optional<bool> countsWeights;
};

double mega(std::int64_t bytes)
{
    return double(bytes) / 1e6;
}

/// Is the peak what the report says of the graph before, or after?
bool isExpected(const std::string &path, bool planned, std::int64_t bytes)
{
    std::ifstream stream(path);
    const auto report = nlohmann::json::parse(stream, nullptr, false);
    const char *key = planned ? "peak_bytes_after" : "peak_bytes_before";
    if (!report.is_object() || !report.contains("memory") || !report["memory"].contains(key)) {
        std::printf("  %s has no figure memory.%s\n", path.c_str(), key);
        return false;
    }
    const double said = report["memory"][key].get<double>();
    const double error = said > 0 ? double(bytes) / said - 1 : 1;
    const bool fits = std::abs(error) <= tolerance;
    std::printf("  report    %14.3f MB memory.%s: %+.3f %%, %s\n", said / 1e6, key, 100 * error,
                fits ? "as counted" : "NOT as counted");
    return fits;
}

bool recountFile(const std::string &path, const Options &options)
{
    const Program program = readProgram(path);
    const auto schedule = program.metadata.find("graphloom.memory");
    const bool planned = schedule != program.metadata.end();
    Memory memory = planned ? memoryPlanned(program, schedule->second) : memoryAlone(program);
    if (options.countsWeights)
        memory.countsWeights = *options.countsWeights;
    const Peak peak = peakOf(memory);
    std::printf("%s: %zu steps, %s\n", path.c_str(), memory.steps.size(),
                planned ? "by the schedule in the file" : "by ONNX's operators alone");
    std::printf("  peak      %14.3f MB (%lld bytes), of it weights %.3f MB, workspace %.3f MB\n",
                mega(peak.bytes), static_cast<long long>(peak.bytes), mega(peak.weights),
                memory.steps.empty() ? 0. : mega(memory.workspaces[std::size_t(peak.step)]));
    if (!memory.steps.empty())
        std::printf("  at        step %d, %s\n", peak.step,
                    memory.steps[std::size_t(peak.step)].c_str());
    if (planned)
        std::printf("  planned   %14.3f MB peak, %.3f MB arena, %zu swaps of %.3f MB\n",
                    mega(memory.saidPeak), mega(memory.arenaBytes), memory.swaps,
                    mega(memory.swappedBytes));
    std::int64_t rest = 0;
    for (std::size_t i = 0; i < peak.alive.size(); ++i) {
        const Buffer &buffer = memory.buffers[std::size_t(peak.alive[i])];
        if (i < options.top)
            std::printf("  alive     %14.3f MB %s, steps %d to %d\n", mega(buffer.bytes),
                        buffer.name.c_str(), buffer.first, buffer.last);
        else
            rest += buffer.bytes;
    }
    if (peak.alive.size() > options.top)
        std::printf("  alive     %14.3f MB in %zu more\n", mega(rest),
                    peak.alive.size() - options.top);
    bool fits = memory.unknown.empty();
    for (std::size_t i = 0; i < std::min<std::size_t>(5, memory.unknown.size()); ++i)
        std::printf("  UNKNOWN   the file does not tell the size of %s\n",
                    memory.unknown[i].c_str());
    if (!options.expect.empty())
        fits = isExpected(options.expect, planned, peak.bytes) && fits;
    return fits;
}

int usage()
{
    std::printf("usage: recount MODEL.onnx... [--expect REPORT.json] [--top N] "
                "[--weights counted|left-out]\n");
    return 2;
}

} // namespace

int main(int argc, char **argv)
{
    Options options;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        if (!word.starts_with("--")) {
            options.models.push_back(word);
            continue;
        }
        if (i + 1 >= argc)
            return usage();
        const std::string value = argv[++i];
        if (word == "--expect")
            options.expect = value;
        else if (word == "--top")
            options.top = std::size_t(std::strtoul(value.c_str(), nullptr, 10));
        else if (word == "--weights" && (value == "counted" || value == "left-out"))
            options.countsWeights = value == "counted";
        else
            return usage();
    }
    if (options.models.empty())
        return usage();
    bool all = true;
    for (const std::string &model : options.models) {
        try {
            all = recountFile(model, options) && all;
        } catch (const Problem &problem) {
            std::printf("%s: %s\n", model.c_str(), problem.text.c_str());
            all = false;
        }
    }
    return all ? 0 : 1;
}
