// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/onnx/nodes/graph_reader.h"

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace graphloom {

/// Holds the state shared by the code that reads one model's graphs: the place in the file, which
/// names are taken, and how many resources the file has asked for so far.
class ReadingState {
public:
    ReadingState(const GraphReaderInput &input, TensorReader &tensors, Warnings &warnings)
        : m_input(input), m_tensors(tensors), m_warnings(warnings), m_place{input.path}
    {
    }

    const GraphReaderInput &input() const { return m_input; }
    TensorReader &tensors() { return m_tensors; }
    /// Reports an oddity at the present place.
    void warn(const std::string &oddity) { m_warnings.add(where() + ": " + oddity); }

    /// Marks a node or attribute as being read, for as long as this object lives.
    class Entered {
    public:
        explicit Entered(std::vector<std::string> &place) : m_place(place) {}
        ~Entered() { m_place.pop_back(); }
        Entered(const Entered &) = delete;

    private:
        std::vector<std::string> &m_place;
    };
    [[nodiscard]] Entered enter(std::string part);
    /// Returns the place: the file, then what is being read, from outside to inside, and `more`.
    std::string where(const std::string &more = {}) const;
    tl::unexpected<Error> refuse(std::string reason, const std::string &more = {}) const
    {
        return fail(Error::Kind::Model, std::move(reason), where(more));
    }
    /// Returns the error, with the place filled in.
    tl::unexpected<Error> at(Error error, const std::string &more) const
    {
        error.where = where(more);
        return tl::unexpected(std::move(error));
    }

    /// Fails (Model) if the name of a `what` is not valid UTF-8.
    Result<void> checkName(const std::string &name, std::string_view what) const;
    /// Marks the name of a tensor or node, which keeps it, as taken.
    void takeTensorName(const std::string &name);
    void takeNodeName(const std::string &name) { m_nodeNames.insert(name); }
    /// Returns a name for a new tensor or node: the candidate, followed by a number if it is taken.
    std::string newTensorName(const std::string &candidate);
    std::string newNodeName(const std::string &candidate) { return unused(m_nodeNames, candidate); }

    /// Counts bytes of tensors. Fails (Model) if nodes, tensors or bytes exceed the limits of the
    /// options, or if reading was stopped.
    Result<void> charge(std::uint64_t bytes);
    Result<void> chargeNode();

    int depth = 0; // of nested graphs in attributes

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

/// Returns the name of a node of the file in messages.
std::string labelOf(const onnx::NodeProto &node);

} // namespace graphloom
