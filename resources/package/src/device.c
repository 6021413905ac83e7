/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "device.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

const char *gl_sys = "/sys";

#ifdef __linux__

enum { GL_MOST_PROCESSORS = 1024, GL_MOST_ZONES = 256, GL_LONGEST = 512, GL_MOST_SENSORS = 32 };

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
    char file[GL_LONGEST];
    snprintf(file, sizeof file, "%s/devices/system/cpu/cpu%d/cpufreq/%s", gl_sys, processor, which);
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
        char file[GL_LONGEST];
        snprintf(file, sizeof file, "%s/class/thermal/thermal_zone%d/temp", gl_sys, i);
        if (access(file, R_OK) != 0)
            break;
        const double celsius = 1e-3 * number_in(file);
        if (celsius > hottest && celsius < 200) /* some zones tell nonsense */
            hottest = celsius;
    }
    return hottest;
}

static int word_is(const char *file, const char *word)
{
    char text[32] = "";
    FILE *stream = fopen(file, "r");
    const int found = stream && fscanf(stream, "%31s", text) == 1 && strncmp(text, word, strlen(word)) == 0;
    if (stream)
        fclose(stream);
    return found;
}

/* The number in a file of a folder of /sys/class; 0 if there is none. */
static double number_of_class(const char *folder, const char *file)
{
    char path[GL_LONGEST];
    snprintf(path, sizeof path, "%s/class/%s%s%s", gl_sys, folder, *file ? "/" : "", file);
    return number_in(path);
}

static int class_says(const char *folder, const char *file, const char *word)
{
    char path[GL_LONGEST];
    snprintf(path, sizeof path, "%s/class/%s/%s", gl_sys, folder, file);
    return word_is(path, word);
}

static double watts_now(const gl_energy *energy)
{
    double watts = 1;
    for (int i = 0; i < 2; ++i)
        if (energy->power[i][0]) {
            const double number = number_of_class(energy->power[i], "");
            watts *= 1e-6 * (number < 0 ? -number : number);
        }
    return watts;
}

static double now_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Takes a battery that is discharged: not all systems call it the same. */
static void find_battery(gl_energy *energy)
{
    const char *names[] = {"battery", "BAT0", "BAT1", "bms", "Battery"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        char folder[64];
        snprintf(folder, sizeof folder, "power_supply/%s", names[i]);
        if (!class_says(folder, "type", "Battery") || !class_says(folder, "status", "Discharging"))
            continue;
        if (number_of_class(folder, "power_now") != 0) {
            snprintf(energy->power[0], sizeof energy->power[0], "%s/power_now", folder);
        } else if (number_of_class(folder, "current_now") != 0) {
            snprintf(energy->power[0], sizeof energy->power[0], "%s/current_now", folder);
            snprintf(energy->power[1], sizeof energy->power[1], "%s/voltage_now", folder);
        } else {
            continue;
        }
        energy->source = "battery";
        return;
    }
}

static void find_sensor(gl_energy *energy)
{
    const char *files[] = {"power1_input", "power1_average"};
    for (int i = 0; i < 2 * GL_MOST_SENSORS; ++i) {
        char folder[64];
        snprintf(folder, sizeof folder, "hwmon/hwmon%d", i / 2);
        if (number_of_class(folder, files[i % 2]) <= 0)
            continue;
        snprintf(energy->power[0], sizeof energy->power[0], "%s/%s", folder, files[i % 2]);
        energy->source = "board";
        return;
    }
}

void gl_begin_energy(gl_energy *energy)
{
    memset(energy, 0, sizeof *energy);
    for (int i = 0; i < (int)(sizeof energy->last / sizeof *energy->last); ++i) {
        char folder[64];
        snprintf(folder, sizeof folder, "powercap/intel-rapl:%d", i);
        energy->last[i] = number_of_class(folder, "energy_uj");
        if (energy->last[i] > 0 && class_says(folder, "name", "package"))
            energy->source = "processor";
        else
            energy->last[i] = 0;
    }
    if (!energy->source)
        find_battery(energy);
    if (!energy->source)
        find_sensor(energy);
    if (energy->power[0][0])
        energy->watts = watts_now(energy);
    energy->seconds = now_seconds();
}

void gl_read_energy(gl_energy *energy)
{
    for (int i = 0; i < (int)(sizeof energy->last / sizeof *energy->last); ++i)
        if (energy->last[i] > 0) {
            char folder[64];
            snprintf(folder, sizeof folder, "powercap/intel-rapl:%d", i);
            const double now = number_of_class(folder, "energy_uj");
            energy->joules += 1e-6 * (now - energy->last[i]);
            if (now < energy->last[i]) /* the counter was full */
                energy->joules += 1e-6 * number_of_class(folder, "max_energy_range_uj");
            energy->last[i] = now;
        }
    if (energy->power[0][0]) {
        const double now = now_seconds(), watts = watts_now(energy);
        energy->joules += (now - energy->seconds) * (watts + energy->watts) / 2;
        energy->seconds = now;
        energy->watts = watts;
    }
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

void gl_begin_energy(gl_energy *energy)
{
    memset(energy, 0, sizeof *energy);
}

void gl_read_energy(gl_energy *energy)
{
    (void)energy;
}

#endif
