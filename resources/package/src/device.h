/* SPDX-License-Identifier: Apache-2.0 */
/* What times depend on besides the program. */
#ifndef GRAPHLOOM_DEVICE_H
#define GRAPHLOOM_DEVICE_H

/* Lets this thread, and those that it starts, run on the `count` processors with the highest clock
   only. Returns 0 if the system does not allow it, or does not tell the clocks. */
int gl_pin_to_fastest(int count);

/* The present clock in MHz of the processor that this thread runs on, and the temperature in degrees
   Celsius of the hottest zone. 0: the system does not tell. */
double gl_clock_mhz(void);
double gl_hottest_celsius(void);

/* Reads how much energy the device takes: by counters of processor packages, or else by what a battery
   delivers or a sensor of the board measures, over the time between two calls. */
typedef struct {
    const char *source; /* "processor", "battery", "board"; NULL: the system does not tell */
    double joules;      /* since gl_begin_energy() */
    double watts, seconds;
    double last[8];     /* counters of packages, in microjoules */
    char power[2][96];  /* files whose numbers, multiplied, are the power; "": none */
} gl_energy;
void gl_begin_energy(gl_energy *energy);
void gl_read_energy(gl_energy *energy);

/* Where the system tells all this: "/sys". */
extern const char *gl_sys;

#endif
