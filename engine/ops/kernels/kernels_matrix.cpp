// SPDX-License-Identifier: Apache-2.0
#include "engine/base/steps.h"
#include "engine/ops/describe/assembler.h"
#include "engine/ops/kernels/kernels.h"

#include <cmath>
#include <utility>
#include <vector>

namespace graphloom::kernels {

/// Uses Gaussian elimination with the largest pivot of each column.
Result<Tensors> determinant(const Call &call, Inputs inputs)
{
    const TensorData &data = *inputs[0];
    const std::int64_t n = data.extents().back();
    GL_TRY_RESULT(result, Assembler::make(call, data.type(),
                                          {data.extents().begin(), data.extents().end() - 2}));
    for (std::int64_t matrix = 0; matrix < result->elements(); ++matrix) {
        std::vector<double> a;
        for (std::int64_t row = 0; row < n; ++row) {
            for (std::int64_t column = 0; column < n; ++column)
                a.push_back(data.real((matrix * n + row) * n + column));
            if (call.stopped(std::uint64_t(n)))
                return stoppedError();
        }
        const auto at = [&](std::int64_t row, std::int64_t column) -> double & {
            return a[std::size_t(row * n + column)];
        };
        double product = 1;
        for (std::int64_t k = 0; k < n; ++k) {
            std::int64_t pivot = k;
            for (std::int64_t row = k + 1; row < n; ++row)
                if (std::fabs(at(row, k)) > std::fabs(at(pivot, k)))
                    pivot = row;
            product *= pivot == k ? at(pivot, k) : -at(pivot, k);
            if (at(pivot, k) == 0)
                break;
            for (std::int64_t column = k; pivot != k && column < n; ++column)
                std::swap(at(pivot, column), at(k, column));
            for (std::int64_t row = k + 1; row < n; ++row) {
                const double factor = at(row, k) / at(k, k);
                for (std::int64_t column = k; column < n; ++column)
                    at(row, column) -= factor * at(k, column);
                if (call.stopped(std::uint64_t(n - k)))
                    return stoppedError();
            }
        }
        result->setReal(matrix, product);
    }
    return Tensors{std::move(*result).finish()};
}

} // namespace graphloom::kernels
