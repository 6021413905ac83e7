/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the model once on zeros and prints the beginning of its first output. */
#include "@PREFIX@.h"

#include <stdio.h>
#include <string.h>

int main(int count, char **words)
{
    const char *weights = count > 1 ? words[1] : "weights.bin";
    gl_model *model;
    gl_status status = @PREFIX@_create(weights, 0, &model);
    if (status != GL_OK) {
        fprintf(stderr, "%s: %s\n", weights, gl_status_text(status));
        return 1;
    }
    for (int i = 0; i < @PREFIX@_plan.input_count; ++i)
        memset(@PREFIX@_input(model, i), 0, (size_t)@PREFIX@_plan.inputs[i].bytes);
    status = @PREFIX@_run(model);
    if (status == GL_OK) {
        const gl_tensor *tensor = &@PREFIX@_plan.outputs[0];
        printf("%s, %s:", tensor->name, tensor->type);
        if (strcmp(tensor->type, "float32") == 0) {
            const float *values = @PREFIX@_output(model, 0);
            for (int64_t i = 0; i < 8 && i < tensor->bytes / (int64_t)sizeof *values; ++i)
                printf(" %g", (double)values[i]);
        }
        printf("\n");
    } else {
        fprintf(stderr, "%s\n", gl_status_text(status));
    }
    @PREFIX@_destroy(model);
    return status == GL_OK ? 0 : 1;
}
