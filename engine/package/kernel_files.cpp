// SPDX-License-Identifier: Apache-2.0
#include "engine/package/kernel_files.h"

#include "engine/codegen/emit/prelude.h"
#include "engine/codegen/index/c_names.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <sstream>

namespace graphloom {

namespace {

/// "block_007_conv_add_relu"
std::string fileName(const ExecutionPlan &plan, BlockIndex block)
{
    constexpr std::size_t longest = 60;
    const PartIndex part = plan.part(block);
    std::string number = std::to_string(part.isValid() ? part.number() : block.number());
    number.insert(0, number.size() < 3 ? 3 - number.size() : 0, '0');
    std::string name = (part.isValid() ? "block_" : "input_") + number;
    for (const NodeId id : plan.blocks[block]) {
        const std::string &op = plan.graph.node(id).op;
        if (name.size() + op.size() > longest)
            break;
        name += '_';
        std::ranges::transform(op, std::back_inserter(name), [](unsigned char c) {
            return std::isalnum(c) ? char(std::tolower(c)) : '_';
        });
    }
    return name;
}

class KernelFiles {
public:
    KernelFiles(const ExecutionPlan &plan, const KernelFileForm &form, const KernelNames &names)
        : m_plan(plan), m_form(form), m_names(names)
    {
    }

    std::vector<SourceFile> run()
    {
        std::vector<SourceFile> files = {{m_form.header, m_form.prelude}};
        for (const BlockIndex block : m_plan.blocks.indices()) {
            if (!m_plan.kernels[block])
                continue;
            const std::string name = fileName(m_plan, block) + m_form.suffix;
            SourceFile &file = files.emplace_back(SourceFile{name, textOf(block, name)});
            if (const PartIndex part = m_plan.part(block); part.isValid())
                file.block = std::uint32_t(part.number());
        }
        return files;
    }

private:
    std::string textOf(BlockIndex block, const std::string &name)
    {
        const BlockKernel &kernel = *m_plan.kernels[block];
        m_text = {};
        if (const PartIndex part = m_plan.part(block); part.isValid())
            comment("Block " + std::to_string(part.number()) + ":");
        else
            comment("Copies an input of the graph to where it has margins:");
        for (const NodeId id : m_plan.blocks[block])
            comment("  " + m_plan.graph.node(id).label());
        if (const std::string algorithm = kernel.algorithm.text(); !algorithm.empty())
            comment("Algorithm: " + algorithm);
        for (const std::string &line : m_form.usage(name))
            comment(line);
        m_text << "#define GL_LANES " << m_form.lanes << "\n#include \"" << m_form.header << "\"\n";
        for (const PhaseIndex phase : kernel.phases.indices())
            putPhase(kernel, phase, name);
        return m_text.str();
    }

    void putPhase(const BlockKernel &kernel, PhaseIndex number, const std::string &file)
    {
        const BlockKernel::Phase &phase = kernel.phases[number];
        m_text << '\n';
        for (const NestIndex n : kernel.groups[number].nests()) {
            const Nest &nest = kernel.block.nests[n];
            comment("Loop nest " + std::to_string(n.number()) + ", " + nest.name + ":");
            std::istringstream formulas(graphloom::textOf(nest, kernel.block.tensors));
            for (std::string line; std::getline(formulas, line);)
                comment("  " + line);
            comment("Schedule: " + kernel.schedules[n].text());
        }
        comment(std::to_string(phase.tasks) + " tasks for threads to share, " +
                std::to_string(phase.scratchBytes) + " bytes of scratch memory each");
        const auto [first, isNew] = m_files.try_emplace(phase.symbol, file);
        if (!isNew) {
            comment("Its code is that of " + m_names(phase.symbol) + " in " + first->second);
            return;
        }
        std::string code = phase.code;
        if (const auto at = code.find(phase.symbol); at != std::string::npos)
            code.replace(at, phase.symbol.size(), m_names(phase.symbol));
        m_text << code;
    }

    void comment(const std::string &line) { m_text << "// " << cComment(line) << '\n'; }

    const ExecutionPlan &m_plan;
    const KernelFileForm &m_form;
    const KernelNames &m_names;
    std::ostringstream m_text;
    std::map<std::string, std::string> m_files; // that have the code of a symbol
};

} // namespace

KernelFileForm cFileForm(const InstructionSet &set)
{
    KernelFileForm form;
    form.header = "graphloom_kernels.h";
    form.prelude = "#pragma once\n" + std::string(cPrelude());
    form.suffix = ".c";
    form.lanes = set.lanes;
    form.usage = [&set](const std::string &name) {
        std::string command = "cc";
        for (const std::string &flag : kernelFlags(set))
            command += " " + flag;
        return std::vector<std::string>{"Instruction set: " + std::string(set.title),
                                        command + " -c " + name};
    };
    return form;
}

std::vector<SourceFile> kernelFiles(const ExecutionPlan &plan, const KernelFileForm &form,
                                    const KernelNames &names)
{
    return KernelFiles(plan, form, names).run();
}

} // namespace graphloom
