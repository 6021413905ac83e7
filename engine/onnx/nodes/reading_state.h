// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/onnx/nodes/graph_reader.h"

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace graphloom {

/// What the parts that read one model's graphs share: where in the file they are, which names
/// are taken, and how much the file has asked for so far.
class ReadingState {
public:
    ReadingState(const GraphReaderInput &input, TensorReader &tensors, Warnings &warnings)
        : m_input(input), m_tensors(tensors), m_warnings(warnings), m_place{input.path}
    {
    }

    const GraphReaderInput &input() const { return m_input; }
    TensorReader &tensors() { return m_tensors; }
    /// Something odd at the present place.
    void warn(const std::string &oddity) { m_warnings.add(where() + ": " + oddity); }

    /// A node or attribute that is being read, for as long as this lives.
    class Entered {
    public:
        explicit Entered(std::vector<std::string> &place) : m_place(place) {}
        ~Entered() { m_place.pop_back(); }
        Entered(const Entered &) = delete;

    private:
        std::vector<std::string> &m_place;
    };
    [[nodiscard]] Entered enter(std::string part);
    /// The file, then what is being read, from outside to inside, and `more`.
    std::string where(const std::string &more = {}) const;
    tl::unexpected<Error> refuse(std::string reason, const std::string &more = {}) const
    {
        return fail(Error::Kind::Model, std::move(reason), where(more));
    }
    /// The error, with the place.
    tl::unexpected<Error> at(Error error, const std::string &more) const
    {
        error.where = where(more);
        return tl::unexpected(std::move(error));
    }

    /// Fails (Model) when the name of a `what` is not valid UTF-8.
    Result<void> checkName(const std::string &name, std::string_view what) const;
    /// A tensor or node that keeps its name.
    void takeTensorName(const std::string &name);
    void takeNodeName(const std::string &name) { m_nodeNames.insert(name); }
    /// The name for another tensor or node, with a number behind it when it is taken already.
    std::string newTensorName(const std::string &candidate);
    std::string newNodeName(const std::string &candidate) { return unused(m_nodeNames, candidate); }

    /// Fails (Model) when nodes, tensors or bytes are more than the options permit, or reading is
    /// to stop.
    Result<void> charge(std::uint64_t bytes);
    Result<void> chargeNode();

    int depth = 0; // of graphs in attributes, one in the other

private:
    std::string unused(std::unordered_set<std::string> &taken, const std::string &candidate);

    const GraphReaderInput &m_input;
    TensorReader &m_tensors;
    Warnings &m_warnings;
    std::vector<std::string> m_place;
    std::unordered_set<std::string> m_tensorNames, m_nodeNames;
    std::uint64_t m_suffix = 0;
    std::uint64_t m_nodes = 0, m_tensorCount = 0, m_expanded = 0;
};

/// How messages name a node of the file.
std::string labelOf(const onnx::NodeProto &node);

} // namespace graphloom
