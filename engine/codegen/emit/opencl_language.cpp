// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/emit/kernel_language.h"

#include <algorithm>

namespace graphloom {

namespace {

class OpenclLanguage final : public KernelLanguage {
public:
    // No device has buffers of more elements, and 64-bit integers are slow on GPUs.
    std::string indexType() const override { return "int32_t"; }
    std::string vectorOf(const std::string &type, const std::vector<std::string> &lanes,
                         int width) const override
    {
        std::string text = "(" + type + ")(";
        for (int lane = 0; lane < width; ++lane)
            text += (lane > 0 ? ", " : "") +
                    (std::size_t(lane) < lanes.size() ? lanes[std::size_t(lane)] : "0");
        return text + ")";
    }
    std::string laneOf(const std::string &vector, int lane) const override
    {
        return vector + ".s" + "0123456789abcdef"[lane];
    }
    std::string pointerTo(const DeclaredTensor &tensor) const override
    {
        return (tensor.scratch < 0 ? "__global " : "__local ") + typeOf(tensor) + " *const";
    }
    std::string inScratch(const std::string &type, std::int64_t offset) const override
    {
        return "(__local " + type + " *)(scratch + " + std::to_string(offset) + ")";
    }
    std::string declarations(const NestDeclarations &nest) const override
    {
        std::string text;
        for (const auto &[number, tensor] : nest.scratch)
            text += "            " + pointerTo(tensor) + " " + tensor.name + " = " +
                    inScratch(typeOf(tensor), tensor.scratch) + "; // a tile of " + tensor.comment +
                    "\n";
        return text;
    }
    bool hasItems() const override { return true; }
    bool hasImages() const override { return true; }
    std::string barrier() const override
    {
        return "        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n";
    }
    // A command for each margin would take longer than the kernel.
    bool fillsMargins() const override { return true; }
    std::string function(const PhaseBody &phase) const override
    {
        std::map<BufferIndex, DeclaredTensor> buffers;
        bool hasScratch = false;
        for (const NestDeclarations &nest : phase.nests) {
            hasScratch = hasScratch || !nest.scratch.empty();
            for (const auto &[buffer, tensor] : nest.buffers) {
                DeclaredTensor &all = buffers.try_emplace(buffer, tensor).first->second;
                all.isWritten = all.isWritten || tensor.isWritten;
            }
        }
        std::string text = "__attribute__((reqd_work_group_size(" +
                           std::to_string(phase.items.group) + ", 1, 1)))\n__kernel void " +
                           phase.name + "(";
        const std::string next = ",\n    ";
        for (const auto &[buffer, tensor] : buffers)
            text += (tensor.isImage ? "__read_only image1d_buffer_t "
                                    : "__global " + typeOf(tensor) + " *restrict ") +
                    tensor.name + " /* " + tensor.comment + " */" + next +
                    (tensor.isImage ? "const int32_t " + firstOf(tensor) + next : "");
        if (hasScratch)
            text += "__local char *scratch" + next;
        text += "__global int32_t *status)\n{\n    const int32_t t = " +
                std::string(phase.isShared ? "get_group_id(0)" : "get_global_id(0)") + ";\n";
        if (phase.isShared)
            text += "    const int32_t item = get_local_id(0);\n";
        std::int64_t tasks = 1;
        std::string numbers, rest = "t";
        for (std::size_t i = phase.counters.size(); i-- > 0;) {
            const auto &[variable, count] = phase.counters[i];
            numbers += "    const int32_t " + variable + " = " + rest +
                       (i > 0 ? " % " + std::to_string(count) : "") + ";\n";
            rest += " / " + std::to_string(count);
            tasks *= count;
        }
        text += marginsOf(phase); // by all work-items
        if (!phase.isShared && phase.items.all != tasks)
            text += "    if (t >= " + std::to_string(tasks) + ")\n        return;\n";
        return text + phase.fills + numbers + "    {\n" + phase.task + "    }\n}\n";
    }

private:
    static std::string marginsOf(const PhaseBody &phase)
    {
        std::string text;
        for (std::size_t m = 0; m < phase.margins.size(); ++m) {
            const PhaseBody::Margins &margins = phase.margins[m];
            const std::string name = "margins" + std::to_string(m);
            text += "    __constant int32_t " + name + "[] = {";
            for (const auto &[first, count] : margins.runs)
                text += std::to_string(first) + ", " + std::to_string(count) + ", ";
            text += "};\n    for (int32_t run = get_global_id(0); run < " +
                    std::to_string(margins.runs.size()) +
                    "; run += " + std::to_string(phase.items.all) +
                    ")\n        for (int32_t i = 0; i < " + name +
                    "[2 * run + 1]; ++i)\n            " + argumentOf(margins.buffer) + "[" + name +
                    "[2 * run] + i] = " + margins.value + ";\n";
        }
        return text;
    }
    static std::string typeOf(const DeclaredTensor &tensor)
    {
        return (tensor.isWritten ? "" : "const ") + tensor.type;
    }
};

} // namespace

const KernelLanguage &openclLanguage()
{
    static const OpenclLanguage language;
    return language;
}

} // namespace graphloom
