/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors as files of NumPy (.npy), versions 1 and 2. */
#ifndef GRAPHLOOM_NPY_H
#define GRAPHLOOM_NPY_H

#include "graphloom_runtime.h"

/* Reads a tensor of this type and shape to `to`. Returns null, or why the file does not fit. */
const char *gl_read_npy(const char *file, const gl_tensor *tensor, void *to);
/* Writes a tensor. Returns null, or why that fails. */
const char *gl_write_npy(const char *file, const gl_tensor *tensor, const void *from);

#endif
