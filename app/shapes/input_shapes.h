// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "engine/base/result.h"
#include "engine/ir/graph.h"
#include "engine/onnx/files/import_options.h"

#include <QStringList>

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <vector>

namespace graphloom {

/// Describes an input of a model's file.
struct ModelInput {
    std::string name;
    QString type; // "float"
    Shape stated; // its shape in the file
    Shape now;    // in the graph that is open
};

/// Holds the value of a symbol in the shapes of a file's inputs, such as "batch", and the range in
/// which the model is to be usable.
struct SymbolValue {
    std::string symbol;
    std::int64_t value = 0;        // 0: the extent stays dynamic
    std::int64_t from = 0, to = 0; // 0: no range
};

/// Returns the inputs that have a known rank. `now` is the graph that is open; inputs that it lacks
/// have the shape of the file.
std::vector<ModelInput> modelInputsOf(const Graph &file, const Graph &now);
/// Returns the symbols of the stated shapes, in their order, with the values that they have now.
std::vector<SymbolValue> symbolsOf(const std::vector<ModelInput> &inputs);

/// Returns a shape as an editable text: "batch, 3, 224, 224". Extents that are symbols of the file
/// are given by their names.
QString shapeText(const ModelInput &input);
/// Reads such a text. Extents that stay as in the file, which may be numbers or symbols, are 0.
/// Fails (Usage), naming the input and the extent.
Result<std::vector<std::int64_t>> readShape(const ModelInput &input, const QString &text);

/// Returns the input shapes to import the model with: those read from texts, with symbols replaced
/// by their values. Shapes that are as in the file are left out.
std::map<std::string, std::vector<std::int64_t>>
requestedShapes(const std::vector<ModelInput> &inputs,
                const std::vector<std::vector<std::int64_t>> &read,
                const std::vector<SymbolValue> &symbols);

/// Holds what follows from the shapes of inputs.
struct ShapeFigures {
    std::size_t nodes = 0;
    double macs = 0;
    std::size_t notCounted = 0;     // nodes whose MACs are not known
    std::uint64_t largestBytes = 0; // of a tensor that is not constant
    QString largest;                // its name
    QStringList outputs;             // "logits: float 1x1000"
};

/// Infers all shapes of a model's file with these options. Fails as importOnnx() does.
Result<ShapeFigures> shapeFiguresOf(const std::filesystem::path &file, ImportOptions options,
                                    std::stop_token stop);

} // namespace graphloom
