// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "engine/base/result.h"
#include "engine/ir/data_value.h"
#include "engine/ir/graph.h"

#include <QString>
#include <QStringList>

#include <array>
#include <filesystem>
#include <vector>

namespace graphloom {

/// Says how the pixels of an image become the elements of a tensor: (pixel / 255 - mean) /
/// deviation for each channel, red first; for integers, the pixel.
struct ImageOptions {
    enum class Layout { Automatic, ChannelsFirst, ChannelsLast };
    /// How an image of another size is brought to that of the input: stretched, scaled until it
    /// covers the input and cut at its middle, or scaled until it fits in, with black borders.
    enum class Fit { Stretch, Crop, Pad };

    std::array<double, 3> mean{0, 0, 0}, deviation{1, 1, 1};
    Layout layout = Layout::Automatic;
    Fit fit = Fit::Crop;
    bool operator==(const ImageOptions &) const = default;
};

/// Says where the value of one input comes from.
struct InputSource {
    std::filesystem::path file; // .npy, .pb or an image; empty: random elements
    ImageOptions image = {};
};

/// Says what a model is run on.
struct InputChoices {
    std::vector<InputSource> sources; // one for each input; empty: all are random
    std::uint64_t seed = 0;           // of inputs without a file
};

/// Values for the inputs of a model, and where they are from.
struct GivenInputs {
    std::vector<DataValue> values; // one for each input of the model
    QString title;                 // "cat.png and random values, seed 0"
};

/// Returns the endings of the files that inputs are read from: "npy", "pb", "png"…
QStringList inputFileEndings();
/// Tells whether inputs are read from such a file.
bool isInputFile(const QString &path);
/// Tells whether it is an image by its ending.
bool isImageFile(const std::filesystem::path &file);

/// Reads the value of an input. Fails (Usage) for a file of another kind and if type or shape are
/// not those that the input declares, (Missing) or (Model) if the file cannot be read, always
/// naming the input and the file. Extents that the input leaves open are those of the file; of an
/// image, 1 for all but its sides.
Result<DataValue> readInput(const Tensor &declared, const InputSource &source);

/// Reads the values of all inputs of a graph; `sources` has one for each. Inputs without a file get
/// random elements.
Result<GivenInputs> readInputs(const Graph &graph, const std::vector<InputSource> &sources,
                               std::uint64_t seed);

/// Returns the elements of an image for an input. Fails (Usage) if the input has not the shape of
/// an image with 1, 3 or 4 channels, and (Model) if the file is no image.
Result<TensorData> readImage(const Tensor &declared, const std::filesystem::path &file,
                             const ImageOptions &options);

} // namespace graphloom
