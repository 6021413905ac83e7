// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"
#include "engine/ir/model.h"

#include <onnx/onnx_pb.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace graphloom {

/// Normalizes a domain: "ai.onnx" and "" are the same.
std::string normalDomain(const std::string &domain);

/// Returns the operator sets that a model or function imports, one version for each domain. Fails
/// (Model, without a place) if a domain is imported in two versions.
template <class Owner> Result<std::vector<OpsetImport>> importsOf(const Owner &owner)
{
    std::vector<OpsetImport> imports;
    std::map<std::string, std::int64_t> versions;
    for (const auto &entry : owner.opset_import()) {
        const std::string domain = normalDomain(entry.domain());
        const auto [found, added] = versions.try_emplace(domain, entry.version());
        if (added)
            imports.push_back({domain, entry.version()});
        else if (found->second != entry.version())
            return fail(Error::Kind::Model, "imports domain \"" + domain + "\" in two versions");
    }
    return imports;
}

/// Describes a function that the model defines.
struct ModelFunction {
    const onnx::FunctionProto *proto = nullptr;
    std::string domain;
    std::vector<OpsetImport> opsets;
    std::vector<onnx::AttributeProto> defaults; // of attributes that callers may leave out
    std::uint64_t bytes = 0;                    // serialized size: the cost of inlining it once

    const std::string &name() const { return proto->name(); }
};

/// Holds the functions of a model by domain, name and overload. Refers to the model's message.
class FunctionLibrary {
public:
    /// Reads the functions. Fails (Model, without a place) if two functions have the same name, a
    /// function names an input, output or attribute twice, or a function calls itself, directly or
    /// through others.
    static Result<FunctionLibrary> read(const onnx::ModelProto &model);

    /// Returns the function that a node calls; null if it calls none.
    const ModelFunction *find(const onnx::NodeProto &node) const;
    const std::map<std::string, ModelFunction> &all() const { return m_functions; }

private:
    Result<void> checkRecursion() const;

    std::map<std::string, ModelFunction> m_functions; // by key
};

} // namespace graphloom
