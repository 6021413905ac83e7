// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/base/result.h"
#include "engine/ir/training_options.h"

#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace graphloom {

/// Reads the command-line options that make a training graph of a model.
class TrainingArguments {
public:
    void addTo(CLI::App &app, const char *group);
    /// Returns the options, or nothing without --training. Fails (Usage) for an option that needs
    /// it, and for a learning rate that is not above 0.
    Result<std::optional<TrainingOptions>> read(const CLI::App &app) const;

private:
    bool m_training = false;
    std::string m_batchNorm, m_optimizer, m_loss;
    double m_learningRate = TrainingOptions().learningRate;
};

} // namespace graphloom
