// SPDX-License-Identifier: Apache-2.0
#include "engine/deploy/package_program.h"

#include "engine/base/steady_clock.h"
#include "engine/codegen/emit/block_kernel.h"
#include "engine/package/plan_source.h"
#include "engine/system/read_file.h"

#include <algorithm>
#include <set>
#include <sstream>

namespace graphloom {

namespace {

namespace fs = std::filesystem;

/// Puts files of the package in place of their #includes, each once, so that what is compiled
/// depends on one text alone, by which the cache finds it.
class Includes {
public:
    explicit Includes(const fs::path &package)
        : m_folders{package / "include", package / "src", package / "src" / "kernels"}
    {
    }

    Result<std::string> textOf(const fs::path &file)
    {
        m_done.clear();
        return expanded(file);
    }

private:
    Result<std::string> expanded(const fs::path &file)
    {
        constexpr std::string_view directive = "#include \"";
        GL_TRY_CONST(content, readFile(file));
        std::istringstream lines(*content);
        std::string text, line;
        while (std::getline(lines, line)) {
            if (!line.starts_with(directive)) {
                if (line != "#pragma once")
                    text += line + '\n';
                continue;
            }
            const std::string name =
                line.substr(directive.size(), line.rfind('"') - directive.size());
            if (!m_done.insert(name).second)
                continue;
            const auto folder = std::ranges::find_if(m_folders, [&](const fs::path &of) {
                std::error_code none;
                return fs::exists(of / name, none);
            });
            if (folder == m_folders.end())
                return fail(Error::Kind::Fault,
                            "includes " + name + ", which is not in the package", file.string());
            GL_TRY_CONST(included, expanded(*folder / name));
            text += *included;
        }
        return text;
    }

    const std::vector<fs::path> m_folders;
    std::set<std::string> m_done;
};

/// Returns the C files of a folder in the order of their names.
std::vector<fs::path> sourcesIn(const fs::path &folder)
{
    std::vector<fs::path> files;
    std::error_code none;
    for (const auto &file : fs::directory_iterator(folder, none))
        if (file.path().extension() == ".c")
            files.push_back(file.path());
    std::ranges::sort(files);
    return files;
}

Result<void> compileAll(const std::vector<fs::path> &files, const std::vector<std::string> &flags,
                        Includes &includes, const ProgramOptions &options, double until,
                        std::vector<fs::path> &objects)
{
    std::vector<KernelSource> sources;
    for (const fs::path &file : files) {
        GL_TRY_RESULT(text, includes.textOf(file));
        KernelSource &source = sources.emplace_back();
        source.text = *std::move(text);
        source.form = KernelSource::Form::Object;
    }
    for (const auto &object :
         options.cache->libraries(*options.compiler, sources, flags, options.compilers,
                                  options.stop, until - steadySeconds())) {
        if (!object)
            return tl::unexpected(object.error());
        objects.push_back(*object);
    }
    return {};
}

} // namespace

Result<fs::path> buildRunner(const fs::path &package, const std::string &model,
                             const ProgramOptions &options)
{
    const double until = steadySeconds() + options.seconds;
    const std::vector<std::string> &processor = options.processorFlags;
    std::vector<std::string> forKernels = kernelFlags(*options.instructions);
    forKernels.insert(forKernels.end(), processor.begin(), processor.end());
    std::vector<std::string> forOthers{"-std=gnu11", "-O2", "-fPIC", "-w",
                                       "-DPACKAGE_PLAN=" + PackageNames(model).prefix + "_plan"};
    forOthers.insert(forOthers.end(), processor.begin(), processor.end());
    Includes includes(package);
    std::vector<fs::path> objects;
    GL_TRY(compileAll(sourcesIn(package / "src"), forOthers, includes, options, until, objects));
    GL_TRY(compileAll(sourcesIn(package / "src" / "kernels"), forKernels, includes, options, until,
                      objects));
    const fs::path program = package / "runner";
    GL_TRY(linkProgram(*options.compiler, objects, program, options.stop,
                       std::max(until - steadySeconds(), 1.0)));
    return program;
}

} // namespace graphloom
