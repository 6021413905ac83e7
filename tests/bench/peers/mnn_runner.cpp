// SPDX-License-Identifier: Apache-2.0
// mnn_runner MODEL [--threads N] --inputs DIR
// A runner (README.md) for MNN: the model as MNN's converter makes it, in single precision. The
// converted model stays beside the inputs. Only the session is timed: inputs and outputs are
// brought into and out of MNN's layouts outside of it.
#include "engine/onnx/files/tensor_file.h"
#include "engine/onnx/import.h"
#include "tests/bench/peak_memory.h"
#include "tests/bench/sequence_proto.h"

#include <MNN/Interpreter.hpp>
#include <MNN/Tensor.hpp>

#include <chrono>
#include <cstring>
#include <fstream>
#include <iostream>

#include <sys/wait.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <pmmintrin.h>
#include <xmmintrin.h>
#endif

using namespace graphloom;

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

double millisecondsSince(Clock::time_point start)
{
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// Runs MNN's converter. What it prints, which is a lot, goes to a file beside the result.
Result<void> convert(const fs::path &model, const fs::path &to)
{
    const fs::path unfinished = to.string() + "." + std::to_string(getpid()),
                   log = to.string() + ".log";
    const pid_t child = fork();
    if (child == 0) {
        if (!std::freopen(log.c_str(), "w", stdout) || dup2(STDOUT_FILENO, STDERR_FILENO) < 0)
            _exit(126);
        execl(GRAPHLOOM_MNN_CONVERTER, "MNNConvert", "-f", "ONNX", "--modelFile", model.c_str(),
              "--MNNModel", unfinished.c_str(), "--bizCode", "bench", nullptr);
        _exit(127);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) < 0 || status != 0 || !fs::exists(unfinished))
        return fail(Error::Kind::Model, "MNN's converter does not take the model", log.string());
    fs::rename(unfinished, to);
    return {};
}

MNN::Tensor *hostTensor(const MNN::Tensor *like, halide_type_t type)
{
    return MNN::Tensor::create(like->shape(), type, nullptr, MNN::Tensor::CAFFE);
}

class MnnRunner {
public:
    MnnRunner(fs::path model, fs::path inputs, int threads)
        : m_model(std::move(model)), m_inputs(std::move(inputs)), m_threads(threads)
    {
    }

    Result<void> run()
    {
        GL_TRY_RESULT(model, importOnnx(m_model));
        m_graph = std::move(model->graph);
        const Clock::time_point start = Clock::now();
        GL_TRY(load());
        const double loaded = millisecondsSince(start);
        GL_TRY_CONST(first, timeOne());
        std::printf("ready {\"name\": \"MNN\", \"version\": \"%s\", \"threads\": %d, "
                    "\"load_ms\": %.1f, \"first_run_ms\": %.1f, \"rss_mb\": %.0f}\n",
                    MNN::getVersion(), m_threads, loaded, *first, peakMegabytes());
        std::fflush(stdout);
        for (std::string line; std::getline(std::cin, line) && line != "quit";) {
            if (line == "run") {
                GL_TRY_CONST(time, timeOne());
                std::printf("%.6f\n", *time);
            } else if (line == "rss") {
                std::printf("%.1f\n", peakMegabytes());
            } else if (line.starts_with("output ")) {
                GL_TRY(writeOutputs(line.substr(7)));
                std::printf("written\n");
            } else {
                return fail(Error::Kind::Usage, "unknown command " + line);
            }
            std::fflush(stdout);
        }
        return {};
    }

private:
    Result<void> load()
    {
        const fs::path converted = m_inputs / "model.mnn";
        if (!fs::exists(converted))
            GL_TRY(convert(m_model, converted));
        m_net.reset(MNN::Interpreter::createFromFile(converted.c_str()));
        if (!m_net)
            return fail(Error::Kind::Model, "MNN does not read its converted model",
                        converted.string());
        m_net->setSessionMode(MNN::Interpreter::Session_Release);
        MNN::BackendConfig backend;
        backend.precision = MNN::BackendConfig::Precision_High; // single precision everywhere
        MNN::ScheduleConfig config;
        config.type = MNN_FORWARD_CPU;
        config.numThread = m_threads;
        config.backendConfig = &backend;
        m_session = m_net->createSession(config);
        if (!m_session)
            return fail(Error::Kind::Model, "MNN makes no session", converted.string());
        return setInputs();
    }

    Result<void> setInputs()
    {
        std::vector<TensorData> data;
        for (std::size_t i = 0; i < m_graph.inputs().size(); ++i) {
            GL_TRY_RESULT(read, readTensorFile(m_inputs / ("input_" + std::to_string(i) + ".pb")));
            data.push_back(*std::move(read));
            const std::string &name = m_graph.tensor(m_graph.inputs()[i]).name;
            MNN::Tensor *tensor = m_net->getSessionInput(m_session, name.c_str());
            if (!tensor)
                return fail(Error::Kind::Model, "MNN's model has no such input", name);
            const auto &extents = data.back().extents();
            m_net->resizeTensor(tensor, {extents.begin(), extents.end()});
        }
        m_net->resizeSession(m_session);
        m_net->releaseModel();
        for (std::size_t i = 0; i < data.size(); ++i) {
            const std::string &name = m_graph.tensor(m_graph.inputs()[i]).name;
            MNN::Tensor *tensor = m_net->getSessionInput(m_session, name.c_str());
            std::unique_ptr<MNN::Tensor> host(hostTensor(tensor, tensor->getType()));
            // MNN has no integers of 64 bits.
            const bool integers = tensor->getType().code == halide_type_int;
            for (std::int64_t e = 0; e < data[i].elements(); ++e)
                if (integers)
                    host->host<std::int32_t>()[e] = std::int32_t(data[i].integer(e));
                else
                    host->host<float>()[e] = float(data[i].real(e));
            m_inputsOf.emplace_back(tensor, std::move(host));
        }
        return {};
    }

    /// Returns the milliseconds of one inference. MNN uses the memory of inputs for other tensors,
    /// too, so they are set before each.
    Result<double> timeOne() const
    {
        for (const auto &[tensor, host] : m_inputsOf)
            tensor->copyFromHostTensor(host.get());
        const Clock::time_point before = Clock::now();
        const MNN::ErrorCode code = m_net->runSession(m_session);
        const double time = millisecondsSince(before);
        if (code != MNN::NO_ERROR)
            return fail(Error::Kind::Model, "MNN's session fails with " + std::to_string(code));
        return time;
    }

    Result<void> writeOutputs(const std::string &path) const
    {
        std::vector<TensorData> results;
        for (const TensorId output : m_graph.outputs()) {
            const std::string &name = m_graph.tensor(output).name;
            const MNN::Tensor *tensor = m_net->getSessionOutput(m_session, name.c_str());
            if (!tensor)
                return fail(Error::Kind::Model, "MNN's model has no such output", name);
            const std::unique_ptr<MNN::Tensor> host(hostTensor(tensor, tensor->getType()));
            tensor->copyToHostTensor(host.get());
            const std::vector<int> shape = host->shape();
            const DataType type =
                tensor->getType().code == halide_type_int ? DataType::Int32 : DataType::Float;
            results.push_back(TensorData::fromValues<std::uint32_t>(
                type, {shape.begin(), shape.end()},
                {host->host<std::uint32_t>(), std::size_t(host->elementSize())}));
        }
        std::ofstream file(path, std::ios::binary);
        file << sequenceProto(results);
        file.close();
        return file ? Result<void>{} : fail(Error::Kind::Fault, "cannot be written", path);
    }

    fs::path m_model, m_inputs;
    int m_threads;
    Graph m_graph;
    std::unique_ptr<MNN::Interpreter> m_net;
    MNN::Session *m_session = nullptr; // the interpreter's
    /// The session's inputs, and their values.
    std::vector<std::pair<MNN::Tensor *, std::unique_ptr<MNN::Tensor>>> m_inputsOf;
};

/// Lets numbers below the normal ones be 0, here and in threads that start later: MNN computes with
/// them where inputs lead to some, which takes a processor ten times as long, and has no option
/// against it.
void flushSubnormals()
{
#if defined(__x86_64__)
    _MM_SET_FLUSH_ZERO_MODE(_MM_FLUSH_ZERO_ON);
    _MM_SET_DENORMALS_ZERO_MODE(_MM_DENORMALS_ZERO_ON);
#endif
}

} // namespace

int main(int argc, char **argv)
{
    flushSubnormals();
    fs::path model, inputs;
    int threads = 1;
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i];
        if (argument == "--threads" && i + 1 < argc)
            threads = std::atoi(argv[++i]);
        else if (argument == "--inputs" && i + 1 < argc)
            inputs = argv[++i];
        else
            model = argument;
    }
    const auto ran = MnnRunner(model, inputs, threads).run();
    if (!ran)
        std::fprintf(stderr, "%s\n", ran.error().text().c_str());
    return ran ? 0 : 1;
}
