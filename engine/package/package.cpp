// SPDX-License-Identifier: Apache-2.0
#include "engine/package/package.h"

#include "engine/base/hash.h"
#include "engine/codegen/index/c_names.h"
#include "engine/package/kernel_files.h"
#include "engine/package/package_texts.h"
#include "engine/package/plan_source.h"
#include "engine/runtime/aligned_bytes.h"
#include "engine/system/write_fully.h"
#include "engine/tensors/npy.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

namespace graphloom {

namespace {

namespace fs = std::filesystem;

std::string replaceAll(std::string text, std::string_view key, std::string_view value)
{
    for (std::size_t at = text.find(key); at != std::string::npos;
         at = text.find(key, at + value.size()))
        text.replace(at, key.size(), value);
    return text;
}

/// Returns the steps that have no kernel, each with its reason.
std::vector<std::string> missingIn(const ExecutionPlan &plan)
{
    std::vector<std::string> missing;
    for (const ExecutionStep &step : plan.steps)
        if (!step.isKernel())
            missing.push_back(step.reason.starts_with(step.text) ? step.reason
                                                                 : step.text + ": " + step.reason);
    return missing;
}

/// Returns the names that CMake has for processors with these instructions, as a regular
/// expression.
std::string processorsOf(const InstructionSet &set)
{
    return set.architecture == "x86_64"    ? "x86_64|AMD64|amd64"
           : set.architecture == "aarch64" ? "aarch64|arm64|ARM64"
                                           : std::string(set.architecture);
}

std::string joined(const std::vector<std::string> &texts)
{
    std::string list;
    for (const std::string &text : texts)
        list += (list.empty() ? "" : "; ") + text;
    return list;
}

class PackageWriter {
public:
    PackageWriter(const ExecutionPlan &plan, const PackageContent &content, fs::path folder)
        : m_plan(plan), m_content(content), m_folder(std::move(folder)), m_names(content.model),
          m_alignment(content.opencl ? openclAlignment : std::int64_t(bufferAlignment)),
          m_places(packagePlacesOf(plan, m_alignment))
    {
    }

    Result<PackageFacts> run()
    {
        GL_TRY(writeWeights());
        GL_TRY(writeSources());
        GL_TRY(writeTest());
        GL_TRY(writeProject());
        PackageFacts facts;
        facts.missing = missingIn(m_plan);
        for (const auto &file : fs::recursive_directory_iterator(m_folder))
            if (file.is_regular_file()) {
                ++facts.files;
                facts.bytes += file.file_size();
            }
        return facts;
    }

private:
    /// Writes the weights one after the other, so that only one of them is in memory.
    Result<void> writeWeights()
    {
        if (m_places.weightBytes == 0)
            return {};
        const fs::path path = m_folder / "weights.bin";
        std::ofstream file(path, std::ios::binary);
        std::vector<char> bytes(std::size_t(m_alignment), 0);
        file.write(bytes.data(), std::streamsize(bytes.size())); // the number comes last
        for (const ConstantIndex constant : m_plan.constants.indices()) {
            const std::int64_t size = m_plan.constants[constant].bytes;
            const AlignedBytes data = alignedBytes(size);
            const std::span<std::byte> content(data.get(), std::size_t(size));
            writeConstant(m_plan, constant, content);
            m_number = hashBytes(content, m_number);
            bytes.assign(std::size_t(m_places.constants[constant] - file.tellp()), 0);
            file.write(bytes.data(), std::streamsize(bytes.size()));
            file.write(reinterpret_cast<const char *>(content.data()), size);
        }
        bytes.assign(std::size_t(m_places.weightBytes - file.tellp()), 0);
        file.write(bytes.data(), std::streamsize(bytes.size()));
        file.seekp(0);
        file.write(reinterpret_cast<const char *>(&m_number), sizeof m_number);
        file.close();
        if (!file)
            return fail(Error::Kind::Missing,
                        std::string("cannot be written: ") + std::strerror(errno), path.string());
        return {};
    }

    Result<void> writeSources()
    {
        const KernelNames asTheyAre = [](const std::string &symbol) { return symbol; };
        const KernelNames names = [&](const std::string &symbol) { return m_names.kernel(symbol); };
        const KernelFileForm form =
            m_content.opencl ? *m_content.opencl : cFileForm(*m_content.instructions);
        for (const SourceFile &file :
             kernelFiles(m_plan, form, m_content.opencl ? asTheyAre : names)) {
            const std::string name = "src/kernels/" + file.name;
            GL_TRY(writeFile(m_folder / name, file.content));
            if (name.ends_with(".c"))
                m_kernelFiles.push_back(name);
        }
        for (const PackageText &text : packageTexts)
            if (!m_content.opencl || text.name != "src/graphloom_runtime.c")
                GL_TRY(writeFile(m_folder / text.name, text.content));
        const KernelFileForm *opencl = m_content.opencl ? &*m_content.opencl : nullptr;
        if (opencl) {
            for (const PackageText &text : openclPackageTexts)
                GL_TRY(writeFile(m_folder / text.name, text.content));
            GL_TRY(writeFile(m_folder / "src" / (m_names.prefix + "_kernels.c"),
                             openclSource(m_plan, m_names, *opencl)));
        }
        GL_TRY(writeFile(m_folder / "include" / (m_names.prefix + ".h"),
                         modelHeader(m_plan, m_names)));
        return writeFile(m_folder / "src" / (m_names.prefix + ".c"),
                         planSource(m_plan, m_names, m_places, m_number, opencl));
    }

    Result<void> writeTest() const
    {
        const auto write = [&](const std::vector<TensorData> &tensors,
                               const std::string &name) -> Result<void> {
            for (std::size_t i = 0; i < tensors.size(); ++i)
                GL_TRY(writeNpy(tensors[i],
                                m_folder / "test" / (name + "_" + std::to_string(i) + ".npy")));
            return {};
        };
        std::error_code failed;
        fs::create_directories(m_folder / "test", failed);
        GL_TRY(write(m_content.inputs, "input"));
        return write(m_content.expected, "output");
    }

    std::string missingText() const
    {
        const std::vector<NodeId> missing = missingNodes(m_plan);
        if (missing.empty())
            return {};
        std::string text =
            "## What is missing\n\nThese operators have no code here. A program that uses "
            "the model defines their\nfunctions, which the header declares; until then "
            "a run fails with `GL_MISSING`.\n\n";
        for (const NodeId node : missing)
            text += "- " + cComment(m_plan.graph.node(node).label()) + "\n";
        return text + "\n";
    }

    /// Returns the test of the package, which needs all of its operators.
    std::string testCommand() const
    {
        const std::string folder = "\"${CMAKE_CURRENT_SOURCE_DIR}/";
        return "enable_testing()\nadd_test(NAME outputs COMMAND " + m_names.prefix +
               "_runner --weights " + folder + (m_places.weightBytes > 0 ? "weights.bin" : "") +
               "\"\n  --inputs " + folder + "test\" --expected " + folder +
               "test\" --runs 1 --warmup 0)\n";
    }

    /// Returns what templates say of the compiler of kernels in C.
    std::map<std::string, std::string> compilerValues() const
    {
        std::string kernels, flags, instructions;
        for (const std::string &file : m_kernelFiles)
            kernels += "  " + file + "\n";
        const auto &own = m_content.instructions->flags;
        for (const std::string &flag : kernelFlags(*m_content.instructions))
            (std::ranges::find(own, flag) == own.end() ? flags : instructions) += " " + flag;
        for (const std::string &flag : m_content.processorFlags)
            instructions += " " + flag;
        return {{"@KERNELS@", kernels},
                {"@FLAGS@", flags},
                {"@INSTRUCTIONS@", instructions},
                {"@PROCESSORS@", processorsOf(*m_content.instructions)},
                {"@SET@", std::string(m_content.instructions->title)}};
    }

    Result<void> writeProject() const
    {
        std::map<std::string, std::string> values = {
            {"@MODEL@", cComment(m_names.model)},
            {"@PREFIX@", m_names.prefix},
            {"@UPPER@", m_names.upper},
            {"@DEVICE@", m_content.device},
            {"@MISSING@", missingText()},
            {"@TEST@", missingNodes(m_plan).empty() ? testCommand() : ""},
            {"@ARENA@", std::to_string(m_plan.arenaBytes)},
            {"@WEIGHT_BYTES@", std::to_string(m_places.weightBytes)}};
        if (!m_content.opencl)
            values.merge(compilerValues());
        const auto write = [&](std::span<const PackageText> templates) -> Result<void> {
            for (const PackageText &text : templates) {
                std::string content(text.content);
                for (const auto &[key, value] : values)
                    content = replaceAll(std::move(content), key, value);
                GL_TRY(writeFile(m_folder / text.name, content));
            }
            return {};
        };
        GL_TRY(write(packageTemplates));
        if (m_content.opencl)
            GL_TRY(write(openclPackageTemplates));
        nlohmann::json description = {{"format", packageFormat},
                                      {"version", 1},
                                      {"model", m_names.model},
                                      {"device", m_content.device},
                                      {"steps", m_plan.steps.size()},
                                      {"arena_bytes", m_plan.arenaBytes},
                                      {"weight_bytes", m_places.weightBytes},
                                      {"border_bytes", m_places.borderBytes}};
        if (m_content.instructions)
            description["instruction_set"] = std::string(m_content.instructions->name);
        return writeFile(m_folder / packageDescription,
                         description.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) +
                             "\n");
    }

    const ExecutionPlan &m_plan;
    const PackageContent &m_content;
    fs::path m_folder;
    PackageNames m_names;
    std::int64_t m_alignment;
    PackagePlaces m_places;
    std::uint64_t m_number = 0; // of the weights
    std::vector<std::string> m_kernelFiles;
};

} // namespace

Result<void> checkPackage(const ExecutionPlan &plan, bool partial)
{
    std::vector<std::string> lacking = unfitTensors(plan);
    if (!partial)
        for (std::string &missing : missingIn(plan))
            lacking.push_back(std::move(missing));
    if (lacking.empty())
        return {};
    return fail(Error::Kind::Model, "a package cannot be made of this plan: " + joined(lacking));
}

Result<PackageFacts> writePackage(const ExecutionPlan &plan, const PackageContent &content,
                                  const fs::path &folder)
{
    GL_TRY(checkPackage(plan, content.partial && !content.opencl));
    return PackageWriter(plan, content, folder).run();
}

} // namespace graphloom
