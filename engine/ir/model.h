// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace graphloom {

struct OpsetImport {
    std::string domain; // "" is ai.onnx
    std::int64_t version = 0;
};

/// A model file's content: its graph and what surrounds it. Functions are inlined.
struct Model {
    Graph graph;
    /// The operator sets that the nodes follow: those of the file, with ai.onnx raised to
    /// normalOpset when the file's is older.
    std::vector<OpsetImport> opsets;
    std::vector<OpsetImport> fileOpsets; // as the file declares them
    std::int64_t irVersion = 0;
    std::string producer, documentation;
    std::vector<std::pair<std::string, std::string>> metadata;
    std::filesystem::path path;
    std::uint64_t fileBytes = 0; // of the file itself, without external data
    std::size_t fileNodes = 0;   // nodes of the main graph as stored in the file
    std::vector<std::string> warnings; // what was odd but could be read

    /// The version of a domain that the nodes follow; 0 when it is not imported.
    std::int64_t opset(std::string_view domain) const
    {
        for (const OpsetImport &import : opsets)
            if (import.domain == domain)
                return import.version;
        return 0;
    }
};

/// Nodes of older ai.onnx operator sets are brought to this one when a model is opened, so that
/// everything behind the importer knows one form of each operator.
inline constexpr std::int64_t normalOpset = 17;

} // namespace graphloom
