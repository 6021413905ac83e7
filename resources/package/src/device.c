/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "device.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef __linux__

enum { GL_MOST_PROCESSORS = 1024, GL_MOST_ZONES = 256 };

static double number_in(const char *file)
{
    double number = 0;
    FILE *stream = fopen(file, "r");
    if (!stream)
        return 0;
    if (fscanf(stream, "%lf", &number) != 1)
        number = 0;
    fclose(stream);
    return number;
}

static double clock_of(int processor, const char *which)
{
    char file[128];
    snprintf(file, sizeof file, "/sys/devices/system/cpu/cpu%d/cpufreq/%s", processor, which);
    return 1e-3 * number_in(file);
}

typedef struct {
    double clock;
    int number;
} gl_processor;

static int faster_first(const void *a, const void *b)
{
    const gl_processor *x = a, *y = b;
    return x->clock != y->clock ? (x->clock < y->clock) - (x->clock > y->clock)
                                : (x->number > y->number) - (x->number < y->number);
}

int gl_pin_to_fastest(int count)
{
    cpu_set_t allowed, wanted;
    gl_processor *found = calloc(GL_MOST_PROCESSORS, sizeof *found);
    int processors = 0, done = 0;
    CPU_ZERO(&wanted);
    if (found && sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
        for (int i = 0; i < GL_MOST_PROCESSORS && i < CPU_SETSIZE; ++i) {
            const double clock = CPU_ISSET(i, &allowed) ? clock_of(i, "cpuinfo_max_freq") : 0;
            if (clock > 0)
                found[processors++] = (gl_processor){clock, i};
        }
        qsort(found, (size_t)processors, sizeof *found, faster_first);
        for (int i = 0; i < count && i < processors; ++i)
            CPU_SET(found[i].number, &wanted);
        done = processors > 0 && sched_setaffinity(0, sizeof wanted, &wanted) == 0;
    }
    free(found);
    return done;
}

double gl_clock_mhz(void)
{
    const int processor = sched_getcpu();
    return processor < 0 ? 0 : clock_of(processor, "scaling_cur_freq");
}

double gl_hottest_celsius(void)
{
    double hottest = 0;
    for (int i = 0; i < GL_MOST_ZONES; ++i) {
        char file[64];
        snprintf(file, sizeof file, "/sys/class/thermal/thermal_zone%d/temp", i);
        if (access(file, R_OK) != 0)
            break;
        const double celsius = 1e-3 * number_in(file);
        if (celsius > hottest && celsius < 200) /* some zones tell nonsense */
            hottest = celsius;
    }
    return hottest;
}

#else

int gl_pin_to_fastest(int count)
{
    (void)count;
    return 0;
}

double gl_clock_mhz(void)
{
    return 0;
}

double gl_hottest_celsius(void)
{
    return 0;
}

#endif
