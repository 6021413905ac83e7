// SPDX-License-Identifier: Apache-2.0
// Reads models that were changed at random, keeps what could be read in a file, reads that again,
// and runs it. Whatever the file is, each of these gives a result or an error that says why.
#include "engine/interpreter/interpreter.h"
#include "engine/onnx/import.h"
#include "engine/onnx_export/export.h"
#include "engine/ops/derive/infer.h"
#include "tests/fuzz/message_mutator.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <thread>
#include <unistd.h>

using namespace graphloom;

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t *data, std::size_t size, std::size_t most);

namespace {

/// A folder of this process, removed when it ends.
class Folder {
public:
    Folder()
    {
        std::string pattern = (std::filesystem::temp_directory_path() / "importer_fuzz-XXXXXX");
        m_path = mkdtemp(pattern.data());
    }
    ~Folder() { std::filesystem::remove_all(m_path); }
    std::filesystem::path file(const char *name) const { return m_path / name; }

private:
    std::filesystem::path m_path;
};

/// Asks for a stop after a while, unless it is over before.
class TimeLimit {
public:
    explicit TimeLimit(std::chrono::milliseconds limit)
        : m_thread([this, limit](const std::stop_token &over) {
              std::mutex mutex;
              std::unique_lock lock(mutex);
              std::condition_variable_any waiting;
              waiting.wait_for(lock, over, limit, [] { return false; });
              m_source.request_stop();
          })
    {
    }
    std::stop_token token() const { return m_source.get_token(); }

private:
    std::stop_source m_source;
    std::jthread m_thread;
};

/// What must hold does not.
[[noreturn]] void defect(const std::string &what)
{
    std::fprintf(stderr, "%s\n", what.c_str());
    std::abort();
}

ImportOptions limits()
{
    ImportOptions options;
    options.maxFileBytes = 1 << 24;
    options.maxNodes = 10'000;
    options.maxTensors = 40'000;
    options.maxExpandedBytes = 1 << 24;
    options.maxMessageBytes = 1 << 26;
    return options;
}

/// What a model asks its user for is not its own doing.
bool hasLargeInputs(const Graph &graph)
{
    constexpr std::int64_t most = 1 << 18;
    return std::ranges::any_of(graph.inputs(), [&](TensorId id) {
        const auto &shape = graph.tensor(id).shape;
        const auto elements = shape ? staticElements(*shape) : std::nullopt;
        return elements && *elements > most;
    });
}

void run(const Model &model)
{
    if (hasLargeInputs(model.graph))
        return;
    const auto inputs = randomInputs(model.graph, 1);
    if (!inputs)
        return;
    const TimeLimit limit(std::chrono::milliseconds(500));
    InterpreterOptions options;
    options.stop = limit.token();
    options.threads = 1;
    options.maxBytes = 1 << 26;
    const auto outputs = interpret(model.graph, opsetsOf(model), *inputs, options);
    if (!outputs && outputs.error().message.empty())
        defect("an error without a message");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    static const Folder folder;
    const auto path = folder.file("in.onnx"), written = folder.file("out.onnx");
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char *>(data), std::streamsize(size));
    const auto model = importOnnx(path, limits());
    if (!model) {
        if (!model.error().where.starts_with(path.string()))
            defect("an error that does not name the file: " + model.error().text());
        return 0;
    }
    Plan plan;
    plan.model = std::make_shared<const Model>(*model);
    plan.graph = model->graph;
    if (exportOnnx(plan, written)) {
        const auto again = importOnnx(written, limits());
        if (!again)
            defect("what was written cannot be read: " + again.error().text());
        // Hashes may differ: of an attribute that is only kept, the file need not state the kind.
        if (again->graph.nodeCount() != model->graph.nodeCount() ||
            again->graph.outputs().size() != model->graph.outputs().size())
            defect("what was written is another graph");
    }
    run(*model);
    return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t *data, std::size_t size,
                                               std::size_t most, unsigned seed)
{
    test::MessageMutator mutator(seed, LLVMFuzzerMutate);
    onnx::ModelProto model;
    // Broken files are of interest too, but a parser soon refuses them.
    if (seed % 16 == 0 || !model.ParseFromArray(data, int(size)))
        return LLVMFuzzerMutate(data, size, most);
    for (int tries = 0; tries < 4; ++tries) {
        onnx::ModelProto changed = model;
        mutator.mutate(changed);
        if (changed.ByteSizeLong() > most)
            continue;
        changed.SerializeToArray(data, int(most));
        return changed.ByteSizeLong();
    }
    return size;
}

extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t *first, std::size_t firstSize,
                                                 const std::uint8_t *second, std::size_t secondSize,
                                                 std::uint8_t *out, std::size_t most, unsigned seed)
{
    onnx::ModelProto model, donor;
    if (!model.ParseFromArray(first, int(firstSize)) ||
        !donor.ParseFromArray(second, int(secondSize)))
        return 0;
    test::MessageMutator(seed, LLVMFuzzerMutate).transplant(model, donor);
    if (model.ByteSizeLong() > most || !model.SerializeToArray(out, int(most)))
        return 0;
    return model.ByteSizeLong();
}
