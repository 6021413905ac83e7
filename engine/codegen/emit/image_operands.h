// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/emit/kernel_emitter.h"

namespace graphloom {

/// Refuses (Usage) schedules of a phase that read what is no image (Schedule::image()): elements of
/// another type, operands that are not whole texels, tensors in the memory of a task, and those
/// that the phase writes.
Result<void> checkImages(const std::vector<NestJob> &jobs);

} // namespace graphloom
