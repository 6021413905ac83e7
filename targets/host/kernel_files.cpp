// SPDX-License-Identifier: Apache-2.0
#include "targets/host/kernel_files.h"

#include "engine/codegen/emit/prelude.h"
#include "engine/codegen/index/c_names.h"

#include <algorithm>
#include <cctype>
#include <sstream>

namespace graphloom::host {

namespace {

constexpr const char *header = "graphloom_kernels.h";

/// "block_007_conv_add_relu.c"
std::string fileName(const PlanKernels &kernels, BlockIndex block)
{
    constexpr std::size_t longest = 60;
    const PartIndex part = kernels.part(block);
    std::string number = std::to_string(part.isValid() ? part.number() : block.number());
    number.insert(0, number.size() < 3 ? 3 - number.size() : 0, '0');
    std::string name = (part.isValid() ? "block_" : "input_") + number;
    for (const NodeId id : kernels.blocks[block]) {
        const std::string &op = kernels.graph.node(id).op;
        if (name.size() + op.size() > longest)
            break;
        name += '_';
        std::ranges::transform(op, std::back_inserter(name), [](unsigned char c) {
            return std::isalnum(c) ? char(std::tolower(c)) : '_';
        });
    }
    return name + ".c";
}

std::string fileText(const PlanKernels &kernels, BlockIndex block, const InstructionSet &set)
{
    const BlockKernel &kernel = *kernels.kernels[block];
    std::ostringstream text;
    const auto comment = [&](const std::string &line) { text << "// " << cComment(line) << '\n'; };
    if (const PartIndex part = kernels.part(block); part.isValid())
        comment("Block " + std::to_string(part.number()) + ":");
    else
        comment("Copies an input of the graph to where it has margins:");
    for (const NodeId id : kernels.blocks[block])
        comment("  " + kernels.graph.node(id).label());
    if (const std::string algorithm = kernel.algorithm.text(); !algorithm.empty())
        comment("Algorithm: " + algorithm);
    comment("Instruction set: " + std::string(set.title));
    std::string command = "cc";
    for (const std::string &flag : kernelFlags(set.lanes))
        command += " " + flag;
    comment(command + " -c " + fileName(kernels, block));
    text << "#define GL_LANES " << set.lanes << "\n#include \"" << header << "\"\n";
    for (const PhaseIndex p : kernel.phases.indices()) {
        text << '\n';
        for (const NestIndex n : kernel.groups[p].nests()) {
            const Nest &nest = kernel.block.nests[n];
            comment("Loop nest " + std::to_string(n.number()) + ", " + nest.name + ":");
            std::istringstream formulas(textOf(nest, kernel.block.tensors));
            for (std::string line; std::getline(formulas, line);)
                comment("  " + line);
            comment("Schedule: " + kernel.schedules[n].text());
        }
        comment(std::to_string(kernel.phases[p].tasks) + " tasks for threads to share, " +
                std::to_string(kernel.phases[p].scratchBytes) + " bytes of scratch memory each");
        text << kernel.phases[p].code;
    }
    return text.str();
}

} // namespace

std::vector<SourceFile> kernelFiles(const PlanKernels &kernels, const InstructionSet &set)
{
    std::vector<SourceFile> files = {{header, "#pragma once\n" + std::string(cPrelude())}};
    for (const BlockIndex block : kernels.blocks.indices())
        if (kernels.kernels[block]) {
            SourceFile &file = files.emplace_back(
                SourceFile{fileName(kernels, block), fileText(kernels, block, set)});
            if (const PartIndex part = kernels.part(block); part.isValid())
                file.block = std::uint32_t(part.number());
        }
    return files;
}

} // namespace graphloom::host
