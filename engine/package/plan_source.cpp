// SPDX-License-Identifier: Apache-2.0
#include "engine/package/plan_source.h"

#include "engine/base/integer_division.h"
#include "engine/codegen/index/c_names.h"
#include "engine/codegen/schedule/image_reads.h"
#include "engine/tensors/npy.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <sstream>

namespace graphloom {

namespace {

/// Returns a text as a string literal of C.
std::string cString(std::string_view text)
{
    static constexpr char digits[] = "01234567";
    std::string literal = "\"";
    for (const char c : text) {
        const auto code = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\' || c == '?') { // no trigraphs
            literal += '\\';
            literal += c;
        } else if (code < ' ' || code > '~') {
            literal += '\\';
            for (const int shift : {6, 3, 0})
                literal += digits[(code >> shift) & 7];
        } else {
            literal += c;
        }
    }
    return literal + '"';
}

/// Returns the name that NumPy has for the type; empty if it has none.
std::string_view numpyType(DataType type)
{
    const NpyType npy = npyTypeOf(type);
    if (npy.type != type)
        return {};
    return type == DataType::Float    ? "float32"
           : type == DataType::Double ? "float64"
                                      : nameOf(type);
}

/// Returns the extents of a tensor whose shape is static.
TensorData::Extents extentsOf(const Tensor &tensor)
{
    TensorData::Extents extents;
    for (const Dim &dim : *tensor.shape)
        extents.push_back(*dim.constant());
    return extents;
}

std::string shapeText(const TensorData::Extents &extents)
{
    std::string text;
    for (const std::int64_t extent : extents)
        text += (text.empty() ? "" : " x ") + std::to_string(extent);
    return extents.empty() ? "one element" : text;
}

std::string missingName(const PackageNames &names, std::size_t number)
{
    return names.prefix + "_missing_" + std::to_string(number);
}

/// Describes an operand for a comment; the values of a short constant, too.
std::string operandText(const Graph &graph, TensorId id)
{
    if (!id.valid())
        return "none, null";
    constexpr std::int64_t most = 16;
    const Tensor &tensor = graph.tensor(id);
    std::string text = std::string(numpyType(tensor.type)) + ", " + shapeText(extentsOf(tensor));
    if (tensor.constant && tensor.constant->elements() <= most) {
        text += ", always";
        for (std::int64_t i = 0; i < tensor.constant->elements(); ++i)
            text += (i > 0 ? ", " : " ") + cLiteral(tensor.constant->real(i), DataType::Float);
    }
    return text;
}

std::string sourcesName(const PackageNames &names)
{
    return names.prefix + "_sources";
}

/// Returns the code of the plan's kernels by their symbols.
std::map<std::string, std::string> symbolsOf(const ExecutionPlan &plan)
{
    std::map<std::string, std::string> symbols;
    for (const ExecutionStep &step : plan.steps)
        if (step.isKernel())
            symbols.emplace(step.symbol, plan.kernels[step.block]->phases[step.phase].code);
    return symbols;
}

class PlanWriter {
public:
    PlanWriter(const ExecutionPlan &plan, const PackageNames &names, const PackagePlaces &places,
               const KernelFileForm *opencl)
        : m_plan(plan), m_names(names), m_places(places), m_opencl(opencl)
    {
    }

    std::string text(std::uint64_t number)
    {
        m_text << "// The plan of " << cComment(m_names.model)
               << ": steps, where their buffers are, and what can run together.\n"
               << "#include \"" << m_names.prefix << ".h\"\n\n#include <stddef.h>\n\n";
        if (m_opencl)
            m_text << "extern const char *const " << sourcesName(m_names) << "[];\n";
        else
            declareKernels();
        for (const StepIndex step : m_plan.steps.indices()) {
            if (m_plan.steps[step].isKernel())
                putTables(step);
            for (const ExecutionStep::NodePlaces &node : m_plan.steps[step].nodes)
                putMissing(node);
        }
        putSteps();
        const auto inputs = m_plan.graph.inputs(), outputs = m_plan.graph.outputs();
        putTensors("inputs", inputs);
        putTensors("outputs", outputs);
        m_text << "const gl_plan " << m_names.prefix << "_plan = {\n"
               << "    .name = " << cString(m_names.model) << ",\n"
               << "    .steps = steps, .step_count = " << m_plan.steps.size() << ",\n"
               << "    .waves = waves, .wave_count = " << m_plan.waves.size() << ",\n"
               << "    .inputs = inputs, .input_count = " << inputs.size() << ",\n"
               << "    .outputs = outputs, .output_count = " << outputs.size() << ",\n"
               << "    .arena_bytes = " << m_plan.arenaBytes
               << ", .border_bytes = " << m_places.borderBytes
               << ", .weight_bytes = " << m_places.weightBytes << ",\n"
               << "    .scratch_bytes = " << m_plan.scratchBytes << ",\n"
               << "    .weight_number = UINT64_C(" << number << "),\n";
        if (m_opencl)
            m_text << "    .sources = " << sourcesName(m_names)
                   << ", .source_count = " << 2 + symbolsOf(m_plan).size() << ",\n";
        m_text << "};\n";
        return m_text.str();
    }

private:
    static std::string tableName(StepIndex step, std::string_view what)
    {
        return std::string(what) + "_" + std::to_string(step.number());
    }

    std::string place(const BufferPlace &at) const
    {
        if (at.arena.isValid())
            return "{GL_ARENA, " + std::to_string(m_plan.arena[at.arena].offset) + "}";
        if (at.border.isValid())
            return "{GL_BORDER, " + std::to_string(m_places.border[at.border]) + "}";
        return "{GL_WEIGHTS, " + std::to_string(m_places.constants[at.constant]) + "}";
    }

    void declareKernels()
    {
        std::set<std::string> names;
        for (const ExecutionStep &step : m_plan.steps)
            if (step.isKernel() && names.insert(step.symbol).second)
                m_text << "gl_kernel " << m_names.kernel(step.symbol) << ";\n";
        m_text << '\n';
    }

    void putTables(StepIndex number)
    {
        const ExecutionStep &step = m_plan.steps[number];
        m_text << "static const gl_place " << tableName(number, "buffers") << "[] = {";
        for (const BufferPlace &buffer : step.buffers)
            m_text << place(buffer) << ", ";
        m_text << "};\n";
        if (readsImages(number))
            putImages(number);
        if (step.fills.empty() || m_opencl)
            return;
        m_text << "static const gl_fill " << tableName(number, "fills") << "[] = {\n";
        for (const ExecutionStep::Fill &fill : step.fills)
            m_text << "    {" << place(fill.place) << ", " << fill.first << ", " << fill.count
                   << ", " << fill.value.bits << "u, " << fill.value.bytes << "},\n";
        m_text << "};\n";
    }

    const BlockKernel::Phase &phaseOf(StepIndex number) const
    {
        const ExecutionStep &step = m_plan.steps[number];
        return m_plan.kernels[step.block]->phases[step.phase];
    }
    bool readsImages(StepIndex number) const
    {
        return std::ranges::any_of(phaseOf(number).buffers, &KernelBuffer::isImage);
    }

    void putImages(StepIndex number)
    {
        const ExecutionStep &step = m_plan.steps[number];
        m_text << "static const gl_image " << tableName(number, "images") << "[] = {";
        for (auto place = step.buffers.begin();
             const KernelBuffer &buffer : phaseOf(number).buffers) {
            const DataType type = m_plan.kernels[step.block]->block.tensors[buffer.tensor].type;
            const std::int64_t texels =
                m_plan.bytesAt(*place++) / std::int64_t(bytesOf(type, texelElements));
            m_text << "{" << (buffer.isImage ? texels : 0) << ", "
                   << (buffer.isImage && type == DataType::Float16) << "}, ";
        }
        m_text << "};\n";
    }

    /// Writes the function that calls the program's for a node without kernel.
    void putMissing(const ExecutionStep::NodePlaces &node)
    {
        const std::string name = missingName(m_names, m_missing),
                          number = std::to_string(m_missing);
        ++m_missing;
        std::string operands[2], buffers;
        int count = 0;
        for (const auto &[places, list] :
             {std::pair(&node.inputs, &operands[0]), std::pair(&node.outputs, &operands[1])})
            for (const BufferPlace &at : *places) {
                const bool isGiven = at != BufferPlace();
                *list += isGiven ? "buffers[" + std::to_string(count++) + "], " : "NULL, ";
                if (isGiven)
                    buffers += place(at) + ", ";
            }
        m_text << "static const gl_place missing_buffers_" << number << "[] = {" << buffers
               << "};\n"
               << "__attribute__((weak)) int " << name
               << "(const void *const *inputs, void *const *outputs)\n{\n    (void)inputs;\n    "
                  "(void)outputs;\n    return 1;\n}\n"
               << "static void call_" << number
               << "(void *const *buffers, char *scratch, int64_t first, int64_t last,\n"
                  "    int32_t *status)\n{\n    (void)scratch;\n    (void)first;\n    (void)last;\n"
               << "    const void *const inputs[] = {" << operands[0] << "NULL};\n"
               << "    void *const outputs[] = {" << operands[1] << "NULL};\n"
               << "    if (" << name << "(inputs, outputs) != 0)\n        *status = 2;\n}\n";
        m_missingSteps.push_back("    {" + cString(m_plan.graph.node(node.node).label()) +
                                 ",\n     call_" + number + ", 1, missing_buffers_" + number +
                                 ", " + std::to_string(count) + ", NULL, 0},\n");
    }

    /// Writes the steps of the waves. Each node without kernel is a step, and a wave, of its own.
    void putSteps()
    {
        m_text << "\nstatic const gl_step steps[] = {\n";
        std::ostringstream waves;
        auto missing = m_missingSteps.begin();
        const auto addWave = [&](int count) {
            waves << "    {" << m_steps << ", " << count << "},\n";
            m_steps += count;
            ++m_waves;
        };
        for (const ExecutionPlan::Wave &wave : m_plan.waves) {
            if (m_plan.steps[wave.first].isKernel()) {
                for (const StepIndex step : wave.steps())
                    putStep(step);
                addWave(wave.count);
            }
            for ([[maybe_unused]] const auto &node : m_plan.steps[wave.first].nodes) {
                m_text << *missing++;
                addWave(1);
            }
        }
        m_text << "};\n\nstatic const gl_wave waves[] = {\n" << waves.str() << "};\n\n";
    }

    void putStep(StepIndex number)
    {
        const ExecutionStep &step = m_plan.steps[number];
        if (m_opencl)
            return putOpenclStep(number);
        m_text << "    {" << cString(step.text) << ",\n     " << m_names.kernel(step.symbol) << ", "
               << step.tasks << ", " << tableName(number, "buffers") << ", " << step.buffers.size()
               << ", ";
        if (step.fills.empty())
            m_text << "NULL";
        else
            m_text << tableName(number, "fills");
        m_text << ", " << step.fills.size() << "},\n";
    }

    void putOpenclStep(StepIndex number)
    {
        const ExecutionStep &step = m_plan.steps[number];
        const BlockKernel::Phase &phase = phaseOf(number);
        m_text << "    {.name = " << cString(step.text) << ",\n     .tasks = " << step.tasks
               << ", .buffers = " << tableName(number, "buffers")
               << ", .buffer_count = " << step.buffers.size() << ",\n     .symbol = \""
               << step.symbol << "\", .items = " << phase.items.all
               << ", .group = " << phase.items.group << ", .local_bytes = " << phase.scratchBytes;
        if (readsImages(number))
            m_text << ", .images = " << tableName(number, "images");
        m_text << "},\n";
    }

    void putTensors(std::string_view side, std::span<const TensorId> tensors)
    {
        std::ostringstream table;
        for (std::size_t i = 0; i < tensors.size(); ++i) {
            const Tensor &tensor = m_plan.graph.tensor(tensors[i]);
            const TensorData::Extents extents = extentsOf(tensor);
            const std::string name = std::string(side) + "_" + std::to_string(i);
            m_text << "static const int64_t " << name << "[] = {";
            for (const std::int64_t extent : extents)
                m_text << extent << ", ";
            m_text << (extents.empty() ? "1};\n" : "};\n"); // C has no empty arrays
            const auto at =
                std::ranges::find(m_plan.border, tensors[i], &ExecutionPlan::BorderTensor::tensor);
            const BorderIndex border(int(at - m_plan.border.begin()));
            table << "    {" << cString(tensor.name) << ", \"" << numpyType(tensor.type) << "\", "
                  << name << ", " << extents.size() << ", " << m_places.border[border] << ", "
                  << at->bytes << "},\n";
        }
        m_text << "static const gl_tensor " << side << "[] = {\n" << table.str() << "};\n\n";
    }

    const ExecutionPlan &m_plan;
    const PackageNames &m_names;
    const PackagePlaces &m_places;
    const KernelFileForm *m_opencl;
    std::ostringstream m_text;
    std::size_t m_missing = 0; // nodes without kernel so far
    std::vector<std::string> m_missingSteps;
    int m_steps = 0, m_waves = 0; // written so far
};

} // namespace

PackageNames::PackageNames(const std::string &modelName) : model(modelName)
{
    const auto changed = [](std::string text, int (*change)(int)) {
        std::ranges::transform(text, text.begin(),
                               [&](unsigned char c) { return char(change(c)); });
        return text;
    };
    // Those of the runtime and its files.
    prefix =
        cIdentifier(changed(modelName, std::tolower), {"gl", "graphloom_runtime", "runner", "npy"});
    upper = changed(prefix, std::toupper);
}

PackagePlaces packagePlacesOf(const ExecutionPlan &plan, std::int64_t alignment)
{
    PackagePlaces places;
    for (const ExecutionPlan::BorderTensor &tensor : plan.border) {
        places.border.push_back(places.borderBytes);
        places.borderBytes += roundUp(tensor.bytes, alignment);
    }
    if (!plan.constants.empty())
        places.weightBytes = alignment; // of the number
    for (const ExecutionPlan::Constant &constant : plan.constants) {
        places.constants.push_back(places.weightBytes);
        places.weightBytes += roundUp(constant.bytes, alignment);
    }
    return places;
}

std::string modelHeader(const ExecutionPlan &plan, const PackageNames &names)
{
    const std::string &p = names.prefix;
    std::ostringstream text;
    text << "// Runs " << cComment(names.model)
         << ".\n// graphloom_runtime.h describes what the functions return and when they fail.\n"
         << "#ifndef " << names.upper << "_H\n#define " << names.upper << "_H\n\n"
         << "#include \"graphloom_runtime.h\"\n\n"
         << "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";
    const auto numbers = [&](std::string_view side, std::span<const TensorId> tensors) {
        std::vector<std::string> taken;
        if (tensors.empty())
            return;
        text << "enum {\n";
        for (std::size_t i = 0; i < tensors.size(); ++i) {
            const Tensor &tensor = plan.graph.tensor(tensors[i]);
            const std::string name = cIdentifier(tensor.name, taken);
            taken.push_back(name);
            text << "    " << names.upper << '_' << side << '_' << name << " = " << i << ", /* "
                 << numpyType(tensor.type) << ", " << shapeText(extentsOf(tensor)) << " */\n";
        }
        text << "};\n\n";
    };
    numbers("INPUT", plan.graph.inputs());
    numbers("OUTPUT", plan.graph.outputs());
    const std::vector<NodeId> missing = missingNodes(plan);
    if (!missing.empty())
        text
            << "// These blocks have no code. The program has to define their functions, which get "
               "tensors in\n// row-major order and return 0 if they succeed; until then a run "
               "fails "
               "with GL_MISSING.\n";
    for (std::size_t i = 0; i < missing.size(); ++i) {
        const Node &node = plan.graph.node(missing[i]);
        text << "// " << cComment(node.label()) << '\n';
        for (const auto &[side, tensors] :
             {std::pair("input", &node.inputs), std::pair("output", &node.outputs)})
            for (std::size_t k = 0; k < tensors->size(); ++k)
                text << "//   " << side << ' ' << k << ": "
                     << cComment(operandText(plan.graph, (*tensors)[k])) << '\n';
        text << "int " << missingName(names, i)
             << "(const void *const *inputs, void *const *outputs);\n\n";
    }
    text << "extern const gl_plan " << p << "_plan;\n\n"
         << "static inline gl_status " << p
         << "_create(const char *weights, int threads, gl_model **model)\n"
            "{\n    return gl_create(&"
         << p << "_plan, weights, threads, model);\n}\n"
         << "static inline void " << p
         << "_destroy(gl_model *model)\n{\n    gl_destroy(model);\n}\n"
         << "static inline void *" << p
         << "_input(gl_model *model, int number)\n{\n    return gl_input(model, number);\n}\n"
         << "static inline const void *" << p
         << "_output(const gl_model *model, int number)\n{\n    return gl_output(model, "
            "number);\n}\n"
         << "static inline gl_status " << p
         << "_run(gl_model *model)\n{\n    return gl_run(model);\n}\n\n"
         << "#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
    return text.str();
}

std::string planSource(const ExecutionPlan &plan, const PackageNames &names,
                       const PackagePlaces &places, std::uint64_t number,
                       const KernelFileForm *opencl)
{
    return PlanWriter(plan, names, places, opencl).text(number);
}

std::string openclSource(const ExecutionPlan &plan, const PackageNames &names,
                         const KernelFileForm &opencl)
{
    std::ostringstream text;
    text << "// The kernels of " << cComment(names.model)
         << " as texts for the driver; src/kernels has them to read.\n"
         << "extern const char *const " << sourcesName(names) << "[];\n"
         << "const char *const " << sourcesName(names) << "[] = {\n";
    const auto put = [&](const std::string &source) {
        std::istringstream lines(source);
        for (std::string line; std::getline(lines, line);)
            text << "    " << cString(line + '\n') << '\n';
        text << "    ,\n";
    };
    put("#define GL_LANES " + std::to_string(opencl.lanes) + "\n");
    put(opencl.prelude);
    for (const auto &[symbol, code] : symbolsOf(plan))
        put(code);
    text << "};\n";
    return text.str();
}

std::vector<std::string> unfitTensors(const ExecutionPlan &plan)
{
    std::vector<std::string> unfit;
    for (const auto &list : {plan.graph.inputs(), plan.graph.outputs()})
        for (const TensorId id : list) {
            const Tensor &tensor = plan.graph.tensor(id);
            const std::string who = std::string(plan.graph.isInput(id) ? "input" : "output") +
                                    " \"" + tensor.name + "\"";
            if (tensor.constant)
                unfit.push_back(who + " is a constant");
            else if (!tensor.shape || !isStatic(*tensor.shape))
                unfit.push_back(who + " has extents that are known only at run time");
            else if (numpyType(tensor.type).empty())
                unfit.push_back(who + " has elements of type " + std::string(nameOf(tensor.type)) +
                                ", which files of NumPy do not have");
        }
    return unfit;
}

std::vector<NodeId> missingNodes(const ExecutionPlan &plan)
{
    std::vector<NodeId> nodes;
    for (const ExecutionStep &step : plan.steps)
        if (!step.isKernel())
            nodes.insert(nodes.end(), plan.blocks[step.block].begin(),
                         plan.blocks[step.block].end());
    return nodes;
}

} // namespace graphloom
