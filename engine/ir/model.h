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

/// Holds the content of a model file: its graph and what surrounds it. Functions are inlined.
struct Model {
    Graph graph;
    /// Operator sets that the nodes follow: those of the file, with ai.onnx raised to normalOpset
    /// if that of the file is older.
    std::vector<OpsetImport> opsets;
    std::vector<OpsetImport> fileOpsets; // as the file declares them
    std::int64_t irVersion = 0;
    std::string producer, documentation;
    std::vector<std::pair<std::string, std::string>> metadata;
    std::filesystem::path path;
    std::uint64_t fileBytes = 0;       // of the file itself, without external data
    std::size_t fileNodes = 0;         // nodes of the main graph as stored in the file
    std::vector<std::string> warnings; // oddities that did not prevent reading

    /// Returns the version of a domain that the nodes follow; 0 if it is not imported.
    std::int64_t opset(std::string_view domain) const
    {
        for (const OpsetImport &import : opsets)
            if (import.domain == domain)
                return import.version;
        return 0;
    }
};

/// The ai.onnx version to which nodes of older operator sets are brought when a model is opened, so
/// that everything after the importer knows one form of each operator.
inline constexpr std::int64_t normalOpset = 17;

} // namespace graphloom
