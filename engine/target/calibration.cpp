// SPDX-License-Identifier: Apache-2.0
#include "engine/target/calibration.h"

#include "engine/base/steps.h"
#include "engine/cost/call_work.h"
#include "engine/cost/machine_keys.h"
#include "engine/ops/derive/infer.h"
#include "engine/ops/describe/operator_table.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>

namespace graphloom {

namespace {

using Extents = TensorData::Extents;

/// Kernels are timed so often, one after the other: the machine may be slower for a second.
constexpr int calibrationTimes = 3;

constexpr std::string_view launch = "launch_us", products = "product_gflops",
                           windows = "window_gflops", streams = "stream_gflops",
                           operations = "giga_operations", functions = "giga_functions",
                           strided = "strided_gb_per_s", transforms = "giga_transforms",
                           pointRows = "point_rows", windowRows = "window_rows";

constexpr std::size_t mapRank = 4; // of feature maps: batch, channels, two of space

/// Writes kernels into one graph. Around each kernel are others, which are not timed: tensors are
/// stored in the order that these request, as in a model.
class Writer {
public:
    /// Begins the next kernel.
    void begin(std::string_view rate) { m_kernels.push_back({rate, {}, {}}); }
    /// Returns a result of other kernels, of pointwise convolutions if it has feature maps.
    TensorId given(const Extents &extents)
    {
        const bool isMap = extents.size() == mapRank;
        Extents first = extents;
        if (isMap)
            first[1] = fewChannels;
        const TensorId given = input(first);
        return isMap ? add("Conv", {given, weights({extents[1], fewChannels, 1, 1})}, {}).second
                     : add("Neg", {given}, {}).second;
    }
    /// Returns an input of the graph, which is stored in ONNX's order.
    TensorId input(const Extents &extents)
    {
        Tensor tensor;
        tensor.name = name("given");
        tensor.type = DataType::Float;
        tensor.shape = Shape(extents.begin(), extents.end());
        m_inputs.push_back(m_editor.addTensor(std::move(tensor)));
        return m_inputs.back();
    }
    TensorId weights(const Extents &extents)
    {
        constexpr float small = 0.01F; // sums stay finite
        std::vector<std::byte> element(sizeof(float));
        encodeReal(DataType::Float, small, element.data());
        Tensor tensor;
        tensor.name = name("weights");
        tensor.type = DataType::Float;
        tensor.shape = Shape(extents.begin(), extents.end());
        tensor.constant = std::make_shared<const TensorData>(
            TensorData::splat(DataType::Float, extents, std::move(element)));
        return m_editor.addTensor(std::move(tensor));
    }
    /// Adds a call to the kernel.
    TensorId call(const char *op, std::vector<TensorId> inputs,
                  std::vector<Attribute> attributes = {})
    {
        const auto [node, result] = add(op, std::move(inputs), std::move(attributes));
        m_kernels.back().nodes.push_back(node);
        return result;
    }
    /// Ends the kernel, whose result has this number of channels; 0: it has no feature maps.
    void end(TensorId result, std::int64_t channels = 0)
    {
        m_outputs.push_back(
            channels > 0 ? add("Conv", {result, weights({fewChannels, channels, 1, 1})}, {}).second
                         : add("Neg", {result}, {}).second);
    }

    /// Ends the kernel, whose result is an output of the graph.
    void output(TensorId result) { m_outputs.push_back(result); }

    Result<RateKernels> finish() &&
    {
        m_editor.setInputs(std::move(m_inputs));
        m_editor.setOutputs(std::move(m_outputs));
        GL_TRY_RESULT(graph, std::move(m_editor).finish());
        RateKernels made;
        made.opsets = [](std::string_view) { return normalOpset; };
        GL_TRY_RESULT(inferred, inferShapes(*graph, made.opsets));
        made.graph = std::move(inferred->graph);
        made.kernels = std::move(m_kernels);
        return made;
    }

private:
    static constexpr std::int64_t fewChannels = 8;

    std::string name(const char *what)
    {
        return what + std::to_string(m_editor.graph().tensorBound());
    }
    std::pair<NodeId, TensorId> add(const char *op, std::vector<TensorId> inputs,
                                    std::vector<Attribute> attributes)
    {
        Tensor tensor;
        tensor.name = name(op);
        tensor.type = DataType::Float;
        const TensorId result = m_editor.addTensor(std::move(tensor));
        Node node;
        node.op = op;
        node.name = name("node");
        node.inputs = std::move(inputs);
        node.outputs = {result};
        node.attributes = Attributes(std::move(attributes));
        return {m_editor.addNode(std::move(node)), result};
    }

    GraphEditor m_editor;
    std::vector<RateKernel> m_kernels;
    std::vector<TensorId> m_inputs, m_outputs;
};

std::vector<std::int64_t> all(std::int64_t value, std::size_t count)
{
    return std::vector<std::int64_t>(count, value);
}

/// Describes a convolution of square feature maps, padded so that a stride of 1 keeps the extent.
struct Convolution {
    std::int64_t inputs, outputs, edge, window = 1, stride = 1, groups = 1;
};

/// Adds the convolution and an activation, with feature maps in the order that suits them, or else
/// in ONNX's order.
void convolve(Writer &writer, const Convolution &of, bool inOnnxOrder = false)
{
    const Extents extents = {1, of.inputs, of.edge, of.edge};
    const TensorId x = inOnnxOrder ? writer.input(extents) : writer.given(extents);
    const TensorId w = writer.weights({of.outputs, of.inputs / of.groups, of.window, of.window});
    const TensorId y = writer.call(
        "Conv", {x, w},
        {{"strides", all(of.stride, 2)}, {"pads", all(of.window / 2, 4)}, {"group", of.groups}});
    const TensorId z = writer.call("Relu", {y});
    if (inOnnxOrder)
        writer.output(z);
    else
        writer.end(z, of.outputs);
}

void multiply(Writer &writer, std::int64_t rows, std::int64_t depth, std::int64_t columns)
{
    writer.end(
        writer.call("MatMul", {writer.given({rows, depth}), writer.weights({depth, columns})}));
}

void apply(Writer &writer, const char *op, const Extents &extents,
           std::vector<Attribute> attributes = {})
{
    writer.end(writer.call(op, {writer.given(extents)}, std::move(attributes)),
               extents.size() == mapRank ? extents[1] : 0);
}

void writeProducts(Writer &writer)
{
    for (const Convolution &of :
         {Convolution{96, 576, 14}, Convolution{116, 116, 14}, Convolution{960, 320, 7},
          Convolution{24, 144, 28}, Convolution{232, 232, 7}, Convolution{64, 128, 28, 3, 2}}) {
        writer.begin(products);
        convolve(writer, of);
    }
    for (const std::int64_t width : {128, 512}) {
        writer.begin(products);
        multiply(writer, 128, width, width);
    }
    for (const auto &[channels, edge] :
         {std::pair<std::int64_t, std::int64_t>{64, 28}, {128, 28}, {256, 14}}) {
        writer.begin(transforms);
        convolve(writer, {channels, channels, edge, 3});
    }
    for (const auto &[channels, edge, window, stride] : {std::array<std::int64_t, 4>{96, 28, 3, 1},
                                                         {384, 14, 3, 1},
                                                         {144, 28, 3, 2},
                                                         {240, 14, 5, 1},
                                                         {960, 7, 3, 1}}) {
        writer.begin(windows);
        convolve(writer, {channels, channels, edge, window, stride, channels});
    }
    for (const Convolution &of :
         {Convolution{96, 576, 14}, Convolution{24, 144, 28}, Convolution{128, 64, 28}}) {
        writer.begin(pointRows);
        convolve(writer, of, true);
    }
    for (const Convolution &of :
         {Convolution{96, 96, 28, 3, 1, 96}, Convolution{384, 384, 14, 3, 1, 384},
          Convolution{64, 128, 28, 3, 2}}) {
        writer.begin(windowRows);
        convolve(writer, of, true);
    }
    for (const auto &[depth, columns] :
         {std::pair<std::int64_t, std::int64_t>{1280, 1000}, {512, 512}, {960, 240}}) {
        writer.begin(streams);
        multiply(writer, 1, depth, columns);
    }
}

void writeOthers(Writer &writer)
{
    for (const std::int64_t count : {16, 64}) {
        writer.begin(launch);
        apply(writer, "Relu", {count});
    }
    writer.begin(operations);
    apply(writer, "HardSwish", {1, 64, 28, 28});
    writer.begin(operations);
    apply(writer, "MaxPool", {1, 64, 28, 28}, {{"kernel_shape", all(3, 2)}, {"pads", all(1, 4)}});
    writer.begin(operations);
    writer.end(writer.call("GlobalAveragePool", {writer.given({1, 480, 14, 14})}), 480);
    for (const std::int64_t width : {128, 312}) {
        writer.begin(operations);
        const TensorId x = writer.given({128, width});
        writer.end(writer.call("LayerNormalization",
                               {x, writer.weights({width}), writer.weights({width})}));
    }
    for (const char *op : {"Sigmoid", "Erf", "Tanh", "Softmax"}) {
        writer.begin(functions);
        apply(writer, op, {12, 64, 128});
    }
    for (const Extents &extents : {Extents{4, 196, 64}, {12, 128, 64}, {1, 128, 312}}) {
        writer.begin(strided);
        apply(writer, "Transpose", extents, {{"perm", std::vector<std::int64_t>{0, 2, 1}}});
    }
}

double sizeOf(const Tensor &tensor)
{
    return double(bytesOf(tensor.type, std::uint64_t(*staticElements(*tensor.shape))));
}

Result<void> describeWork(const RateKernels &made, RateKernel &kernel)
{
    for (const NodeId id : kernel.nodes) {
        const Node &node = made.graph.node(id);
        const Call call(node, operandsOf(made.graph, node), made.opsets(node.domain));
        GL_TRY_CONST(description, describe(call));
        const KernelWork work = CallWork::whole(*description, call).work();
        kernel.work.flops += work.flops;
        kernel.work.functions += work.functions;
        kernel.work.products.insert(kernel.work.products.end(), work.products.begin(),
                                    work.products.end());
    }
    const BlockInterface crossing = interfaceOf(made.graph, kernel.nodes);
    for (const auto *list : {&crossing.inputs, &crossing.outputs})
        for (const TensorId tensor : *list)
            kernel.work.bytes += sizeOf(made.graph.tensor(tensor));
    if (kernel.rate == strided)
        kernel.work.strided = kernel.work.bytes / 2;
    return {};
}

/// The rates in the order in which they are learned: kernels of the later ones do work that the
/// earlier ones count.
constexpr std::string_view learned[] = {launch,     operations, functions, windows,   products,
                                        transforms, streams,    strided,   pointRows, windowRows};

MachineFigure &addedTo(std::optional<MachineFigure> &figure)
{
    return figure ? *figure : figure.emplace();
}

/// Returns the figure of a machine with rates by its key, with the scale of the key. An optional
/// one is added if there is none.
std::pair<MachineFigure *, double> figureOf(Machine &machine, std::string_view name)
{
    using namespace machine_keys;
    for (const FigureKey<KernelRates> &key : rateKeys)
        if (key.name == name)
            return {key.field ? &(*machine.rates.*key.field)
                              : &addedTo(*machine.rates.*key.optional),
                    key.scale};
    return {&machine.launch, micro};
}

/// Finds the value of a figure by which the model takes `seconds` for a kernel.
class Solver {
public:
    Solver(std::shared_ptr<Machine> machine, std::string_view name)
        : m_machine(std::move(machine)), m_name(name)
    {
        m_figure = figureOf(*m_machine, name).first;
    }

    /// Returns nothing if no value explains the time: the rest of the model takes longer, or the
    /// figure does not matter.
    std::optional<double> solve(const KernelWork &work, double seconds)
    {
        // Seconds of a unit of work; times grow with it.
        double low = -14, high = -4; // decimal logarithms
        if (!(secondsWith(work, low) < seconds && seconds < secondsWith(work, high)))
            return std::nullopt;
        constexpr int halvings = 50;
        for (int i = 0; i < halvings; ++i) {
            const double middle = (low + high) / 2;
            (secondsWith(work, middle) < seconds ? low : high) = middle;
        }
        return figureAt((low + high) / 2);
    }

private:
    double figureAt(double logarithm) const
    {
        return std::pow(10, m_name == launch ? logarithm : -logarithm);
    }
    double secondsWith(const KernelWork &work, double logarithm)
    {
        m_figure->value = figureAt(logarithm);
        return kernelSeconds(deviceOf(m_machine), work);
    }

    std::shared_ptr<Machine> m_machine;
    std::string_view m_name;
    MachineFigure *m_figure;
};

/// Returns "on 2026-11-28" for milliseconds since 1970 (UTC).
std::string dayText(std::int64_t ms)
{
    const std::time_t seconds = std::time_t(ms / 1000);
    std::tm parts = {};
    char text[32];
    if (!::gmtime_r(&seconds, &parts) || !std::strftime(text, sizeof text, "on %Y-%m-%d", &parts))
        return "";
    return text;
}

/// Returns how many times as long as modelled the products of a kernel take that takes `seconds`.
double slowdown(const Device &device, const KernelWork &work, double seconds)
{
    double modelled = 0;
    for (const MatrixWork &product : work.products)
        modelled += productSeconds(device, product);
    constexpr double least = 0.1; // what else the kernel does may be overestimated
    return std::max(least, (seconds - kernelSeconds(device, work) + modelled) / modelled);
}

std::string spreadText(const std::vector<double> &sorted, double scale, const std::string &when)
{
    char text[160];
    std::snprintf(text, sizeof text, "median of %zu kernels, which show %.3g to %.3g",
                  sorted.size(), sorted.front() / scale, sorted.back() / scale);
    return text + (when.empty() ? "" : ", " + when);
}

/// Returns a machine whose kernels run at its peaks, which bound the rates.
std::shared_ptr<Machine> withPeaks(const Device &device)
{
    auto machine = std::make_shared<Machine>(*device.machine);
    const MachineFigure peak{device.peakFlops, Evidence::Assumed, "peak"};
    const MachineFigure same{1, Evidence::Assumed, "no difference"};
    machine->rates = KernelRates{.products = peak,
                                 .windows = peak,
                                 .streams = peak,
                                 .operations = peak,
                                 .functions = peak,
                                 .strided = {device.cacheBandwidth, Evidence::Assumed, "peak"},
                                 .pointRows = same,
                                 .windowRows = same,
                                 .transforms = std::nullopt};
    return machine;
}

} // namespace

Result<Device> withRates(const Device &device, std::span<const RateKernel> kernels,
                         std::span<const double> seconds, const std::string &when)
{
    const std::shared_ptr<Machine> machine = withPeaks(device);
    for (const std::string_view name : learned) {
        const bool isFactor = name == pointRows || name == windowRows;
        const Machine before = *machine;
        std::vector<double> values;
        bool isTimed = false;
        Solver solver(machine, name);
        for (std::size_t k = 0; k < kernels.size(); ++k) {
            if (kernels[k].rate != name || !(seconds[k] > 0))
                continue;
            isTimed = true;
            if (isFactor)
                values.push_back(slowdown(deviceOf(machine), kernels[k].work, seconds[k]));
            else if (const auto value = solver.solve(kernels[k].work, seconds[k]))
                values.push_back(*value);
        }
        if (!isTimed)
            return fail(Error::Kind::Fault,
                        "no kernel could be timed that shows \"" + std::string(name) + "\"",
                        device.name);
        *machine = before; // what solving has tried
        if (values.empty())
            continue; // the peak, or no such algorithm
        std::ranges::sort(values);
        const auto [figure, scale] = figureOf(*machine, name);
        *figure = {values[values.size() / 2], Evidence::Measured, spreadText(values, scale, when)};
    }
    Device made = deviceOf(machine);
    made.target = device.target;
    made.fingerprint = device.fingerprint;
    return made;
}

Result<Device> calibrated(const ChosenTarget &chosen, CallTimingOptions options,
                          const TimingLimits &limits)
{
    GL_TRY_CONST(device, described(chosen, limits.stop));
    if (!device->machine)
        return *device;
    GL_TRY_CONST(made, rateKernels());
    std::vector<std::vector<NodeId>> blocks;
    for (const RateKernel &kernel : made->kernels)
        blocks.push_back(kernel.nodes);
    options.device = chosen.device;
    options.threads = 0; // rates are those of all units
    options.times = calibrationTimes;
    const auto timer = timerOn(chosen.target, std::move(options));
    std::vector<double> seconds;
    Error problem;
    std::int64_t oldest = std::numeric_limits<std::int64_t>::max();
    for (const auto &time : timer->timeBlocks(made->graph, made->opsets, blocks, limits)) {
        seconds.push_back(time ? time->seconds : 0);
        if (!time)
            problem = time.error();
        else if (time->provenance != Provenance::Host && time->provenance != Provenance::Device)
            return *device; // an emulator's times say nothing of it
        else
            oldest = std::min(oldest, time->measuredAtMs);
    }
    if (limits.stop.stop_requested())
        return stoppedError();
    if (std::ranges::all_of(seconds, [](double one) { return one == 0; }))
        return tl::unexpected(problem);
    return withRates(*device, made->kernels, seconds, dayText(oldest));
}

Result<RateKernels> rateKernels()
{
    Writer writer;
    writeProducts(writer);
    writeOthers(writer);
    GL_TRY_RESULT(made, std::move(writer).finish());
    for (RateKernel &kernel : made->kernels)
        GL_TRY(describeWork(*made, kernel));
    return made;
}

} // namespace graphloom
