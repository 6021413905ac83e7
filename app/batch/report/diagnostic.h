// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace graphloom {

enum class DiagnosticLevel { Note, Warning, Error };

/// A kind of thing that is worth telling of a model or of what passes made of it. Ids never change
/// their meaning.
struct DiagnosticRule {
    std::string_view id;      // "GL1001"
    std::string_view name;    // "UnreadableModel"
    std::string_view summary; // one sentence
    std::string_view help;    // what it means and what to do about it
    DiagnosticLevel level;
};
std::span<const DiagnosticRule> diagnosticRules();
/// The place in the table of a rule that is there.
std::size_t ruleIndexOf(std::string_view id);

/// Something that was found.
struct Diagnostic {
    std::string_view rule; // its id
    std::string message;
    std::optional<std::uint64_t> byte = {}; // of the model's file
    std::vector<std::string> nodes = {};    // names in the model's graph
    std::string subject = {}; // what tells it from others of the rule, where no node does
};

/// The byte in "model.onnx, byte 12", and the nodes in "node \"a\" (Conv)", as errors and warnings
/// name them.
std::optional<std::uint64_t> byteIn(std::string_view text);
std::vector<std::string> nodesIn(std::string_view text);

} // namespace graphloom
