// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace graphloom {

/// Tells how a figure was obtained. Figures of different provenance are never ranked together
/// without saying so.
enum class Provenance {
    Device,    // measured on the real target
    Host,      // measured on this machine
    Emulated,  // run under an emulator such as QEMU or PoCL
    Simulated, // cycle simulation
    Modelled,  // computed from a device description or from the graph alone
};

constexpr std::string_view nameOf(Provenance provenance)
{
    switch (provenance) {
    case Provenance::Device:
        return "device";
    case Provenance::Host:
        return "host";
    case Provenance::Emulated:
        return "emulated";
    case Provenance::Simulated:
        return "simulated";
    case Provenance::Modelled:
        return "modelled";
    }
    return "unknown";
}

/// Holds a latency, memory or resource figure; no view, report or export shows one without its
/// provenance.
struct Figure {
    double value = 0;
    std::string unit; // "ms", "bytes"
    Provenance provenance = Provenance::Modelled;
};

} // namespace graphloom
