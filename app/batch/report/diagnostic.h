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

/// Describes a kind of diagnostic about a model, or about the result of passes. Ids never change
/// their meaning.
struct DiagnosticRule {
    std::string_view id;      // "GL1001"
    std::string_view name;    // "UnreadableModel"
    std::string_view summary; // one sentence
    std::string_view help;    // what it means and what to do about it
    DiagnosticLevel level;
};
std::span<const DiagnosticRule> diagnosticRules();
/// Returns the index of a rule, which must exist, in the table.
std::size_t ruleIndexOf(std::string_view id);

/// Holds a finding.
struct Diagnostic {
    std::string_view rule; // its id
    std::string message;
    std::optional<std::uint64_t> byte = {}; // offset in the model's file
    std::vector<std::string> nodes = {};    // names in the model's graph
    std::string subject = {};               // distinguishes findings without nodes
};

/// Returns the byte in "model.onnx, byte 12"; nodesIn() returns the nodes in "node \"a\" (Conv)".
/// These are the forms in which errors and warnings name them.
std::optional<std::uint64_t> byteIn(std::string_view text);
std::vector<std::string> nodesIn(std::string_view text);

} // namespace graphloom
