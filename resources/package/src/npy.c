/* SPDX-License-Identifier: Apache-2.0 */
#include "npy.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GL_HEADER = 4096 };

static const struct {
    const char *type, *descr;
} descrs[] = {
    {"float32", "<f4"}, {"float64", "<f8"}, {"float16", "<f2"}, {"int8", "|i1"},   {"uint8", "|u1"},
    {"int16", "<i2"},   {"uint16", "<u2"},  {"int32", "<i4"},   {"uint32", "<u4"}, {"int64", "<i8"},
    {"uint64", "<u8"},  {"bool", "|b1"},
};

static const char *descr_of(const gl_tensor *tensor)
{
    for (size_t i = 0; i < sizeof descrs / sizeof *descrs; ++i)
        if (strcmp(descrs[i].type, tensor->type) == 0)
            return descrs[i].descr;
    return NULL;
}

/* Returns what follows a key of the header, without quotes; null if there is no such key. */
static const char *value_of(const char *header, const char *key)
{
    const char *at = strstr(header, key);
    if (!at)
        return NULL;
    at += strlen(key);
    while (*at == ' ' || *at == ':' || *at == '\'')
        ++at;
    return at;
}

/* Tells whether the text begins with "(e0, e1, ...)". */
static int is_shape(const char *at, const gl_tensor *tensor)
{
    if (*at++ != '(')
        return 0;
    for (int32_t d = 0; d < tensor->rank; ++d) {
        char *end;
        while (*at == ' ' || *at == ',')
            ++at;
        if (!isdigit((unsigned char)*at) || strtoll(at, &end, 10) != tensor->extents[d])
            return 0;
        at = end;
    }
    while (*at == ' ' || *at == ',')
        ++at;
    return *at == ')';
}

const char *gl_read_npy(const char *file, const gl_tensor *tensor, void *to)
{
    FILE *stream = fopen(file, "rb");
    if (!stream)
        return "the file cannot be opened";
    unsigned char start[12];
    char header[GL_HEADER];
    const char *problem = "it is no .npy file of version 1 or 2";
    if (fread(start, 1, 10, stream) == 10 && memcmp(start, "\x93NUMPY", 6) == 0 &&
        (start[6] == 1 || (start[6] == 2 && fread(start + 10, 1, 2, stream) == 2))) {
        size_t bytes = start[8] + 256u * start[9];
        if (start[6] == 2)
            bytes += 65536u * start[10] + 16777216u * start[11];
        if (bytes < sizeof header && fread(header, 1, bytes, stream) == bytes) {
            header[bytes] = '\0';
            const char *descr = value_of(header, "'descr'"), *shape = value_of(header, "'shape'");
            const char *order = value_of(header, "'fortran_order'"), *type = descr_of(tensor);
            if (!type || !descr || strncmp(descr, type, strlen(type)) != 0)
                problem = "its elements are of another type";
            else if (!order || strncmp(order, "False", 5) != 0)
                problem = "it is in Fortran's order";
            else if (!shape || !is_shape(shape, tensor))
                problem = "it has another shape";
            else if (fread(to, 1, (size_t)tensor->bytes, stream) != (size_t)tensor->bytes)
                problem = "it is cut off";
            else
                problem = NULL;
        }
    }
    fclose(stream);
    return problem;
}

const char *gl_write_npy(const char *file, const gl_tensor *tensor, const void *from)
{
    char header[GL_HEADER] = "";
    const char *type = descr_of(tensor);
    if (!type)
        return "NumPy has no such type";
    int length = snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (",
                          type);
    for (int32_t d = 0; d < tensor->rank && length < GL_HEADER - 128; ++d)
        length += snprintf(header + length, sizeof header - (size_t)length, "%lld,",
                           (long long)tensor->extents[d]);
    length += snprintf(header + length, sizeof header - (size_t)length, "), }");
    while ((10 + length + 1) % 64 != 0)
        header[length++] = ' ';
    header[length++] = '\n';
    FILE *stream = fopen(file, "wb");
    if (!stream)
        return "the file cannot be written";
    const unsigned char start[] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (unsigned char)(length % 256),
                                   (unsigned char)(length / 256)};
    int written = fwrite(start, 1, sizeof start, stream) == sizeof start &&
                  fwrite(header, 1, (size_t)length, stream) == (size_t)length &&
                  fwrite(from, 1, (size_t)tensor->bytes, stream) == (size_t)tensor->bytes;
    written = fclose(stream) == 0 && written;
    return written ? NULL : "the file could not be written as a whole";
}
