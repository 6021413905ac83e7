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

#endif
