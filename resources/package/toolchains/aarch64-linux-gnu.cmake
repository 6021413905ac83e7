# SPDX-License-Identifier: Apache-2.0
# 64-bit ARM Linux with Debian's cross-compiler (gcc-aarch64-linux-gnu). Tests run in QEMU's user mode
# (qemu-user) where it is installed; -DQEMU_CPU=cortex-a76 names the processor.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(QEMU_CPU cortex-a53 CACHE STRING "The processor that QEMU emulates")
find_program(QEMU_AARCH64 qemu-aarch64)
if(QEMU_AARCH64)
  set(CMAKE_CROSSCOMPILING_EMULATOR "${QEMU_AARCH64};-cpu;${QEMU_CPU};-L;/usr/aarch64-linux-gnu")
endif()
