// SPDX-License-Identifier: Apache-2.0
// DNNFusion's Table 5: the pass "dnnfusion" on the models of a folder, beside the paper's figures
// and our fixed-pattern baseline. --set parameter=value sets parameters of the pass; --fired FILE
// writes how often each rule was applied, with which plugins/dnnfusion/rules/fired.json is kept.
#include "engine/onnx/import.h"
#include "engine/system/atomic_file.h"
#include "plugins/dnnfusion/dnnfusion_pass.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

using namespace graphloom;

namespace {

/// A row of Table 5: layers and megabytes of intermediate results before and after.
struct Paper {
    const char *file;
    double layersBefore, layersAfter, bytesBefore, bytesAfter;
};
constexpr Paper papers[] = {{"efficientnet_b0", 309, 97, 108, 26},
                            {"vgg16", 51, 17, 161, 52},
                            {"mobilenetv1_ssd", 202, 71, 110, 37},
                            {"yolov4_416", 398, 135, 329, 205},
                            {"c3d", 27, 16, 195, 90},
                            {"s3d", 272, 98, 996, 356},
                            {"unet_256", 292, 82, 312, 158},
                            {"faster_rcnn_800", 3640, 942, 914, 374},
                            {"mask_rcnn_800", 3999, 981, 1524, 543},
                            {"tinybert_4l", 366, 74, 183, 55},
                            {"distilbert", 457, 109, 540, 197},
                            {"albert_base", 936, 225, 1260, 320},
                            {"bert_base", 976, 216, 915, 196},
                            {"mobilebert", 2387, 510, 744, 255},
                            {"gpt2_124m", 2533, 254, 1389, 356}};

/// The paper's fused count where we begin with fewer layers, else what its fusion rate gives.
double layersAllowed(const Paper &paper, double ours)
{
    return ours <= paper.layersBefore ? paper.layersAfter
                                      : std::floor(paper.layersAfter / paper.layersBefore * ours);
}

/// How often each rule was applied, by name.
using Fired = std::map<std::string, int>;

bool measure(const std::filesystem::path &file, const Settings &settings, int rounds, Fired &fired)
{
    auto model = importOnnx(file);
    if (!model) {
        std::printf("%-18s %s\n", file.stem().c_str(), model.error().text().c_str());
        return false;
    }
    const auto plan = initialPlan(std::make_shared<const Model>(std::move(*model)));
    if (!plan) {
        std::printf("%-18s %s\n", file.stem().c_str(), plan.error().text().c_str());
        return false;
    }
    Context context;
    context.settings = settings;
    std::vector<double> seconds;
    Result<Plan> result = *plan;
    for (int round = 0; round < rounds && result; ++round) {
        result = runPass(dnnfusion::DnnFusionPass(), *plan, context);
        if (result)
            seconds.push_back(result->history.back().seconds);
    }
    if (!result) {
        std::printf("%-18s %s\n", file.stem().c_str(), result.error().text().c_str());
        return false;
    }
    if (result->rewrite)
        for (const RewriteStep &step : result->rewrite->steps)
            ++fired[step.rule];
    std::ranges::sort(seconds);
    const FusionStatistics &ours = result->fusion->statistics;
    const auto paper = std::ranges::find(papers, file.stem().string(), &Paper::file);
    const double ratio = double(ours.after.irsBytes) / double(ours.before.irsBytes);
    std::printf(
        "%-18s %5lld %5lld %5zu | %5lld %5lld | %7.1f %7.1f %5.3f | ", file.stem().c_str(),
        (long long)ours.before.layers, (long long)ours.before.computeIntensive,
        result->graph.nodeCount(), (long long)ours.after.layers,
        (long long)(result->baselineFusion ? result->baselineFusion->statistics.after.layers : 0),
        double(ours.before.irsBytes) / 1e6, double(ours.after.irsBytes) / 1e6, ratio);
    bool good = true;
    if (paper != std::end(papers)) {
        const double allowed = layersAllowed(*paper, double(ours.before.layers));
        const double paperRatio = paper->bytesAfter / paper->bytesBefore;
        good = double(ours.after.layers) <= allowed && ratio <= paperRatio;
        std::printf("%5.0f %5.0f %5.0f %5.3f %s ", paper->layersBefore, paper->layersAfter, allowed,
                    paperRatio, good ? "  ok" : "MORE");
    }
    std::printf("| %8.1f %8.1f\n", 1e3 * seconds.front(), 1e3 * seconds[seconds.size() / 2]);
    return good;
}

} // namespace

int main(int argc, char **argv)
{
    std::filesystem::path models = GRAPHLOOM_SAMPLES;
    std::filesystem::path firedFile;
    Fired fired;
    for (const RuleFacts &rule : dnnfusion::DnnFusionPass().rules())
        fired[rule.name] = 0;
    int rounds = 3;
    const dnnfusion::DnnFusionPass pass;
    Settings settings(pass.parameters(), pass.rules());
    for (int i = 1; i + 1 < argc; ++i) {
        if (std::strcmp(argv[i], "--models") == 0)
            models = argv[i + 1];
        if (std::strcmp(argv[i], "--fired") == 0)
            firedFile = argv[i + 1];
        if (std::strcmp(argv[i], "--rounds") == 0)
            rounds = std::max(1, std::atoi(argv[i + 1]));
        if (std::strcmp(argv[i], "--set") == 0) {
            const std::string text = argv[i + 1];
            const auto equals = text.find('=');
            const std::string value = equals == text.npos ? "" : text.substr(equals + 1);
            if (auto set = settings.set(text.substr(0, equals), value); !set) {
                std::printf("%s\n", set.error().text().c_str());
                return 2;
            }
        }
    }
    std::printf("%-18s %17s | %11s | %21s | %26s | milliseconds\n%-18s %5s %5s %5s | %5s %5s | %7s "
                "%7s %5s | %5s %5s %5s %5s %4s | %8s %8s\n",
                "", "layers before", "layers", "intermediate MB", "paper, and what it allows",
                "model", "all", "CIL", "rewr.", "ours", "OurB+", "before", "after", "ratio", "all",
                "after", "allow", "ratio", "", "min", "median");
    std::vector<std::filesystem::path> files;
    for (const auto &entry : std::filesystem::recursive_directory_iterator(models))
        if (entry.path().extension() == ".onnx")
            files.push_back(entry.path());
    std::ranges::sort(files);
    int failed = 0;
    for (const auto &file : files)
        failed += !measure(file, settings, rounds, fired);
    if (!firedFile.empty()) {
        nlohmann::ordered_json json = {{"models", nlohmann::ordered_json::array()}};
        for (const auto &file : files)
            json["models"].push_back(file.stem().string());
        json["rules"] = fired;
        if (auto written = writeFileAtomically(firedFile, json.dump(1) + "\n"); !written) {
            std::printf("%s\n", written.error().text().c_str());
            return 1;
        }
    }
    std::printf("%zu models, %d above the paper\n", files.size(), failed);
    return failed != 0;
}
