// SPDX-License-Identifier: Apache-2.0
#include "engine/base/steps.h"
#include "engine/ops/describe/assembler.h"
#include "engine/ops/kernels/kernels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace graphloom::kernels {

namespace {

/// An image of one channel.
struct Plane {
    const TensorData &data;
    std::int64_t first, height, width;

    double at(std::int64_t y, std::int64_t x) const { return data.real(first + y * width + x); }
};

/// A position along one dimension: the two elements around it and their weights.
struct Between {
    std::int64_t element[2];
    double weight[2];
};

Between between(double position, std::int64_t extent)
{
    if (!(position >= -1) || position > double(extent))
        return {{0, 0}, {0, 0}};
    const double within = std::clamp(position, 0.0, double(extent - 1));
    const auto low = std::int64_t(within);
    const double rest = within - double(low);
    return {{low, std::min(low + 1, extent - 1)}, {1 - rest, rest}};
}

/// The part of a region of interest along one dimension.
struct Span {
    double start, cell;   // start of the region, extent of one cell
    std::int64_t samples; // per cell
    double position(std::int64_t number, std::int64_t sample) const
    {
        return start + (double(number) + (double(sample) + 0.5) / double(samples)) * cell;
    }
};

} // namespace

Result<Tensors> roiAlign(const Call &call, Inputs inputs)
{
    const TensorData &image = *inputs[0], &regions = *inputs[1], &batch = *inputs[2];
    const Attributes &a = call.attributes();
    const std::int64_t rows = a.integer("output_height", 1), columns = a.integer("output_width", 1);
    const double scale = a.real("spatial_scale", 1);
    const bool takesMaximum = a.text("mode", "avg") == "max";
    const bool halfPixel =
        a.text("coordinate_transformation_mode",
               call.opset() >= 16 ? "half_pixel" : "output_half_pixel") == "half_pixel";
    const std::int64_t channels = image.extents()[1], height = image.extents()[2],
                       width = image.extents()[3];
    GL_TRY_RESULT(result, Assembler::make(call, image.type(),
                                          {regions.extents()[0], channels, rows, columns}));
    constexpr double mostSamples = 1 << 20;
    const auto spanOf = [&](std::int64_t region, std::int64_t first, std::int64_t cells) {
        const double offset = halfPixel ? 0.5 : 0;
        const double start = regions.real(region * 4 + first) * scale - offset;
        double span = regions.real(region * 4 + first + 2) * scale - offset - start;
        if (!halfPixel)
            span = std::max(span, 1.0);
        const double cell = span / double(cells);
        const double samples = std::ceil(cell);
        return Span{start, cell,
                    samples >= 1 && samples <= mostSamples ? std::int64_t(samples)
                    : samples > 0                          ? -1
                                                           : 0};
    };
    std::int64_t at = 0;
    for (std::int64_t region = 0; region < regions.extents()[0]; ++region) {
        const Span down = spanOf(region, 1, rows), across = spanOf(region, 0, columns);
        if (down.samples < 0 || across.samples < 0)
            return call.refuse("region " + std::to_string(region) + " is too large");
        const std::int64_t number = batch.integer(region);
        if (number < 0 || number >= image.extents()[0])
            return call.refuse("region " + std::to_string(region) + " refers to image " +
                               std::to_string(number) + ", but the number of images is " +
                               std::to_string(image.extents()[0]));
        for (std::int64_t c = 0; c < channels; ++c) {
            const Plane plane{image, (number * channels + c) * height * width, height, width};
            for (std::int64_t i = 0; i < rows; ++i)
                for (std::int64_t j = 0; j < columns; ++j) {
                    double sum = 0, most = -std::numeric_limits<double>::infinity();
                    for (std::int64_t s = 0; s < down.samples; ++s) {
                        if (call.stopped(4 * std::uint64_t(across.samples)))
                            return stoppedError();
                        for (std::int64_t t = 0; t < across.samples; ++t) {
                            const Between y = between(down.position(i, s), height);
                            const Between x = between(across.position(j, t), width);
                            for (const int k : {0, 1})
                                for (const int l : {0, 1}) {
                                    const double part =
                                        height > 0 && width > 0
                                            ? y.weight[k] * x.weight[l] *
                                                  plane.at(y.element[k], x.element[l])
                                            : 0;
                                    sum += part;
                                    most = std::max(most, part);
                                }
                        }
                    }
                    const std::int64_t samples = down.samples * across.samples;
                    const double value = samples == 0   ? 0
                                         : takesMaximum ? most
                                                        : sum / double(samples);
                    result->setReal(at++, value);
                }
        }
    }
    return Tensors{std::move(*result).finish()};
}

Result<Tensors> maxRoiPool(const Call &call, Inputs inputs)
{
    const TensorData &image = *inputs[0], &regions = *inputs[1];
    const auto pooled = call.attributes().integers("pooled_shape");
    const double scale = call.attributes().real("spatial_scale", 1);
    const std::int64_t channels = image.extents()[1];
    const std::array extents{image.extents()[2], image.extents()[3]};
    GL_TRY_RESULT(result, Assembler::make(call, image.type(),
                                          {regions.extents()[0], channels, pooled[0], pooled[1]}));
    // Returns the elements that cell `number` of a dimension covers; cells may overlap.
    const auto cover = [&](std::int64_t region, std::size_t dimension, std::int64_t number) {
        const std::int64_t first = region * 5 + (dimension == 0 ? 2 : 1); // image, x1, y1, x2, y2
        const double start = std::round(regions.real(first) * scale);
        const double end = std::round(regions.real(first + 2) * scale);
        const double cell = std::max(end - start + 1, 1.0) / double(pooled[dimension]);
        const auto bound = [&](double value) {
            return std::int64_t(
                std::fmin(std::fmax(value, 0.0), double(extents[dimension]))); // NaN: 0
        };
        return std::pair(bound(start + std::floor(double(number) * cell)),
                         bound(start + std::ceil(double(number + 1) * cell)));
    };
    std::int64_t at = 0;
    for (std::int64_t region = 0; region < regions.extents()[0]; ++region) {
        const double number = regions.real(region * 5);
        if (!(number >= 0) || number >= double(image.extents()[0]))
            return call.refuse("region " + std::to_string(region) +
                               " refers to an image that does not exist");
        for (std::int64_t c = 0; c < channels; ++c) {
            const Plane plane{image,
                              (std::int64_t(number) * channels + c) * extents[0] * extents[1],
                              extents[0], extents[1]};
            for (std::int64_t i = 0; i < pooled[0]; ++i)
                for (std::int64_t j = 0; j < pooled[1]; ++j) {
                    const auto [top, bottom] = cover(region, 0, i);
                    const auto [left, right] = cover(region, 1, j);
                    double most = top < bottom && left < right ? plane.at(top, left) : 0;
                    for (std::int64_t y = top; y < bottom; ++y)
                        for (std::int64_t x = left; x < right; ++x)
                            most = std::max(most, plane.at(y, x));
                    result->setReal(at++, most);
                    if (call.stopped(std::uint64_t(std::max<std::int64_t>(0, bottom - top) *
                                                   std::max<std::int64_t>(0, right - left))))
                        return stoppedError();
                }
        }
    }
    return Tensors{std::move(*result).finish()};
}

} // namespace graphloom::kernels
