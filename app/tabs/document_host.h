// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <filesystem>
#include <memory>
#include <vector>

namespace graphloom {

struct Plan;
class Workbench;

/// Holds several workbenches, of which the user sees one, like a window with tabs.
class DocumentHost {
public:
    /// Describes a model that is open in another workbench.
    struct OpenModel {
        QString name, path;
        std::shared_ptr<const Plan> plan;
    };

    virtual ~DocumentHost() = default;

    /// Opens files that the user chose. Brings those to the front that are open already.
    virtual void open(const std::vector<std::filesystem::path> &files) = 0;
    /// Returns a workbench without a model, which it brings to the front.
    virtual Workbench &emptyBench() = 0;
    /// Returns the models that are open besides that of a workbench.
    virtual std::vector<OpenModel> others(const Workbench &bench) const = 0;
    virtual std::size_t benchCount() const = 0;
    /// Closes a workbench, unless the user decides otherwise as work would be lost.
    virtual void close(Workbench &bench) = 0;
};

} // namespace graphloom
