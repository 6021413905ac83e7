// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/import.h"
#include "engine/ir/opsets.h"

#include "engine/onnx/files/file_kind.h"
#include "engine/onnx/files/mapped_file.h"
#include "engine/onnx/files/prescan.h"
#include "engine/onnx/format/utf8.h"
#include "engine/onnx/input_shapes.h"
#include "engine/onnx/nodes/graph_reader.h"
#include "engine/ops/derive/infer.h"
#include "engine/ops/upgrade/upgrade.h"

#include <google/protobuf/io/coded_stream.h>

#include <algorithm>
#include <climits>

namespace graphloom {

namespace {

constexpr std::int64_t oldestIr = 3, newestIr = 11;
/// Operators such as Softmax need finishUpgrade() when they are older than this.
constexpr std::int64_t typedStepsUntil = 13;

Result<onnx::ModelProto> parse(const MappedFile &file, const Prescan &scan,
                               const ImportOptions &options)
{
    SplicedStream stream(file.bytes(), scan.splices);
    google::protobuf::io::CodedInputStream coded(&stream);
    coded.SetTotalBytesLimit(INT_MAX);
    // A graph in an attribute takes three message levels, a type in a type two.
    coded.SetRecursionLimit(5 * options.maxDepth + 20);
    onnx::ModelProto model;
    const bool parsed = model.ParseFromCodedStream(&coded) && coded.ConsumedEntireMessage();
    if (file.shrunk())
        return fail(Error::Kind::Model, "was truncated while it was read", file.path().string());
    if (!parsed)
        return fail(Error::Kind::Model, "is not a valid protobuf message of an ONNX model",
                    file.path().string());
    return model;
}

/// Checks the operator sets of the model and of the functions it defines, and returns the ai.onnx
/// version that all nodes are upgraded to.
Result<std::int64_t> targetOpset(const std::vector<OpsetImport> &imports,
                                 const FunctionLibrary &functions, bool &hasOldNodes)
{
    std::int64_t target = normalOpset;
    const auto check = [&](const std::vector<OpsetImport> &list) -> Result<void> {
        for (const OpsetImport &import : list) {
            if (!import.domain.empty())
                continue;
            if (import.version < oldestOpset || import.version > newestOpset)
                return fail(Error::Kind::Model, "uses ai.onnx operator set " +
                                                    std::to_string(import.version) + "; sets " +
                                                    std::to_string(oldestOpset) + " to " +
                                                    std::to_string(newestOpset) + " are supported");
            target = std::max(target, import.version);
            hasOldNodes = hasOldNodes || import.version < typedStepsUntil;
        }
        return {};
    };
    GL_TRY(check(imports));
    for (const auto &[key, function] : functions.all())
        GL_TRY(check(function.opsets));
    return target;
}

Result<void> inferTypes(Model &model, bool hasOldNodes, const std::stop_token &stop)
{
    const Opsets opsets = opsetsOf(model);
    GL_TRY_RESULT(inferred, inferShapes(model.graph, opsets, stop));
    if (hasOldNodes) {
        GL_TRY_RESULT(finished, finishUpgrade(inferred->graph));
        if (finished->hash() != inferred->graph.hash()) {
            inferred = inferShapes(*finished, opsets, stop);
            if (!inferred)
                return tl::unexpected(inferred.error());
        }
    }
    model.graph = std::move(inferred->graph);
    std::ranges::move(inferred->warnings, std::back_inserter(model.warnings));
    return {};
}

/// Sums of bytes, such as the size of the live tensors, must fit 64 bits with room to spare: every
/// tensor may be counted several times.
Result<void> checkBytes(const Graph &graph, const ImportOptions &options)
{
    constexpr std::uint64_t most = std::uint64_t{1} << 58;
    std::uint64_t total = 0;
    for (std::uint32_t i = 0; i < graph.tensorBound(); ++i) {
        const TensorId id{i};
        if (!graph.contains(id) || !graph.tensor(id).shape)
            continue;
        const Tensor &tensor = graph.tensor(id);
        const auto elements = staticElements(*tensor.shape);
        if (elements)
            total += std::uint64_t(*elements) < most / 32
                         ? bytesOf(tensor.type, std::uint64_t(*elements))
                         : most;
        if (total < most)
            continue;
        const std::string reason = "the tensors up to \"" + tensor.name + "\" of shape " +
                                   text(*tensor.shape) + " take more bytes than are supported";
        if (options.batchSize)
            return fail(Error::Kind::Usage, reason,
                        "--batch-size " + std::to_string(*options.batchSize));
        return fail(Error::Kind::Model, reason);
    }
    return {};
}

Result<Model> import(const std::filesystem::path &path, const ImportOptions &options)
{
    const std::string name = path.string();
    GL_TRY_CONST(file, MappedFile::open(path, options.maxFileBytes));
    constexpr std::size_t headBytes = 4096;
    const auto head = (*file)->bytes().first(std::min(headBytes, (*file)->bytes().size()));
    if (const auto reason = whyNotOnnx(head))
        return fail(Error::Kind::Model, *reason, name);
    GL_TRY_RESULT(scan, prescan((*file)->bytes(), options, name));
    GL_TRY_CONST(proto, parse(**file, *scan, options));

    if (!proto->has_graph())
        return fail(Error::Kind::Model, "is not an ONNX model: it has no graph", name);
    if (proto->ir_version() < oldestIr || proto->ir_version() > newestIr)
        return fail(Error::Kind::Model,
                    "has the file format version (IR version) " +
                        std::to_string(proto->ir_version()) + "; versions " +
                        std::to_string(oldestIr) + " to " + std::to_string(newestIr) +
                        " are supported",
                    name);
    const auto at = [&](Error error) {
        error.where = name + (error.where.empty() ? "" : ", " + error.where);
        return tl::unexpected(std::move(error));
    };
    auto imports = importsOf(*proto);
    if (!imports)
        return at(imports.error());
    const auto functions = FunctionLibrary::read(*proto);
    if (!functions)
        return at(functions.error());
    bool hasOldNodes = false;
    const auto target = targetOpset(*imports, *functions, hasOldNodes);
    if (!target)
        return at(target.error());

    TensorReader tensors(*file, std::move(scan->payloads), options);
    Warnings warnings;
    if (proto->training_info_size() > 0)
        warnings.add(name + ": training information is ignored");
    GL_TRY_RESULT(graph, readGraph({*proto, *functions, *imports, *target, options, name}, tensors,
                                   warnings));
    auto shaped = withInputShapes(*graph, options);
    if (!shaped)
        return at(shaped.error());

    Model model;
    model.graph = std::move(*shaped);
    model.fileOpsets = *imports;
    model.opsets = std::move(*imports);
    for (OpsetImport &import : model.opsets)
        if (import.domain.empty())
            import.version = *target;
    if (model.opset("") == 0) // functions may have added nodes, and passes may add more
        model.opsets.push_back({"", *target});
    model.irVersion = proto->ir_version();
    model.producer =
        toUtf8(proto->producer_name() + (proto->producer_version().empty() ? "" : " ") +
               proto->producer_version());
    model.documentation =
        toUtf8(proto->doc_string().empty() ? proto->graph().doc_string() : proto->doc_string());
    for (const auto &entry : proto->metadata_props())
        model.metadata.emplace_back(toUtf8(entry.key()), toUtf8(entry.value()));
    model.path = path;
    model.fileBytes = (*file)->bytes().size();
    model.fileNodes = scan->graphNodes;
    model.warnings = warnings.take();
    if (auto inferred = inferTypes(model, hasOldNodes, options.stop); !inferred)
        return at(inferred.error());
    if (auto checked = checkBytes(model.graph, options); !checked)
        return at(checked.error());
    if ((*file)->shrunk())
        return fail(Error::Kind::Model, "was truncated while it was read", name);
    return model;
}

} // namespace

Result<Model> importOnnx(const std::filesystem::path &path, const ImportOptions &options)
{
    auto model = import(path, options);
    if (model)
        return model;
    // Names in messages come from the file, and messages go into reports.
    Error error = std::move(model.error());
    error.message = toUtf8(error.message);
    error.where = toUtf8(error.where);
    return tl::unexpected(std::move(error));
}

} // namespace graphloom
