// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/nodes/reading_state.h"

#include "engine/onnx/format/utf8.h"

namespace graphloom {

std::string labelOf(const onnx::NodeProto &node)
{
    std::string text = "node ";
    if (!node.name().empty())
        text += "\"" + node.name() + "\" ";
    else if (node.output_size() > 0)
        text += "of \"" + node.output(0) + "\" ";
    return toUtf8(text + "(" + node.op_type() + ")");
}

ReadingState::Entered ReadingState::enter(std::string part)
{
    m_place.push_back(std::move(part));
    return Entered(m_place);
}

std::string ReadingState::where(const std::string &more) const
{
    std::string text;
    for (const std::string &part : m_place)
        text += (text.empty() ? "" : ", ") + part;
    return more.empty() ? text : text + ", " + more;
}

Result<void> ReadingState::checkName(const std::string &name, std::string_view what) const
{
    if (!isUtf8(name))
        return refuse("the name of a " + std::string(what) + " is not valid UTF-8");
    return {};
}

void ReadingState::takeTensorName(const std::string &name)
{
    m_tensorNames.insert(name);
    ++m_tensorCount;
}

std::string ReadingState::newTensorName(const std::string &candidate)
{
    ++m_tensorCount;
    return unused(m_tensorNames, candidate);
}

std::string ReadingState::unused(std::unordered_set<std::string> &taken,
                                 const std::string &candidate)
{
    std::string name = candidate;
    while (!taken.insert(name).second)
        name = candidate + "_" + std::to_string(++m_suffix);
    return name;
}

Result<void> ReadingState::charge(std::uint64_t bytes)
{
    m_expanded += bytes;
    const ImportOptions &most = m_input.options;
    if (m_expanded > most.maxExpandedBytes || m_nodes > most.maxNodes ||
        m_tensorCount > most.maxTensors)
        return refuse("its functions and nested graphs expand to more than " +
                      std::to_string(most.maxNodes) + " nodes, " + std::to_string(most.maxTensors) +
                      " tensors or " + std::to_string(most.maxExpandedBytes >> 20) + " MiB");
    if (most.stop.stop_requested())
        return fail(Error::Kind::Model, "reading was cancelled", m_input.path);
    return {};
}

Result<void> ReadingState::chargeNode()
{
    ++m_nodes;
    return charge(0);
}

} // namespace graphloom
