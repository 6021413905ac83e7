// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/emit/kernel_language.h"

namespace graphloom {

namespace {

/// Holds code that keeps the numbers of tasks while they run one after the other. They are counted,
/// since dividing the number of a task takes a good part of a short task's time.
struct TaskNumbers {
    std::string begin, next; // before all tasks, and after each
};

TaskNumbers taskNumbersOf(const std::vector<PhaseBody::Counter> &counters)
{
    TaskNumbers numbers;
    std::string rest = "first", close;
    for (std::size_t i = counters.size(); i-- > 0;) {
        const std::string &name = counters[i].variable;
        const std::string count = std::to_string(counters[i].count);
        numbers.begin +=
            "    int64_t " + name + " = " + rest + (i > 0 ? " % " + count : "") + ";\n";
        rest += " / " + count;
        numbers.next +=
            i > 0 ? "if (++" + name + " == " + count + ") { " + name + " = 0; " : "++" + name + ";";
        close += i > 0 ? " }" : "";
    }
    numbers.next += close;
    return numbers;
}

class CLanguage final : public KernelLanguage {
public:
    std::string indexType() const override { return "int64_t"; }
    std::string vectorOf(const std::string &type, const std::vector<std::string> &lanes,
                         int) const override
    {
        std::string text = "(" + type + "){";
        for (std::size_t lane = 0; lane < lanes.size(); ++lane)
            text += (lane > 0 ? ", " : "") + lanes[lane];
        return text + "}";
    }
    std::string laneOf(const std::string &vector, int lane) const override
    {
        return vector + "[" + std::to_string(lane) + "]";
    }
    std::string pointerTo(const DeclaredTensor &tensor) const override
    {
        return "__typeof__(*" + tensor.name + ") *const";
    }
    std::string inScratch(const std::string &type, std::int64_t offset) const override
    {
        return "(" + type + " *)(scratch + " + std::to_string(offset) + ")";
    }
    std::string declarations(const NestDeclarations &nest) const override
    {
        std::string text;
        const auto declare = [&](const DeclaredTensor &tensor, const auto &where,
                                 const std::string &what) {
            const std::string type = (tensor.isWritten ? "" : "const ") + tensor.type;
            text += "            " + type + " *const restrict " + tensor.name + " = " +
                    where(type) + "; // " + what + tensor.comment + "\n";
        };
        for (const auto &[buffer, tensor] : nest.buffers)
            declare(
                tensor,
                [&](const std::string &) {
                    return "buffers[" + std::to_string(buffer.number()) + "]";
                },
                "");
        for (const auto &[number, tensor] : nest.scratch)
            declare(
                tensor, [&](const std::string &type) { return inScratch(type, tensor.scratch); },
                "a tile of ");
        return text;
    }
    bool hasItems() const override { return false; }
    bool hasImages() const override { return false; }
    std::string barrier() const override { return ""; }
    bool fillsMargins() const override { return false; }
    std::string function(const PhaseBody &phase) const override
    {
        const TaskNumbers numbers = taskNumbersOf(phase.counters);
        return "void " + phase.name +
               "(void *const *buffers, char *scratch, int64_t first, int64_t last, "
               "int32_t *status)\n{\n"
               "    (void)buffers, (void)scratch, (void)status;\n" +
               phase.fills + numbers.begin + "    for (int64_t t = first; t < last; ++t) {\n" +
               phase.task + "        " + numbers.next + "\n    }\n}\n";
    }
};

} // namespace

const KernelLanguage &cLanguage()
{
    static const CLanguage language;
    return language;
}

} // namespace graphloom
