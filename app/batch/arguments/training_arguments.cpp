// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/arguments/training_arguments.h"

#include "app/batch/arguments/number_check.h"

#include <algorithm>
#include <vector>

namespace graphloom {

namespace {

constexpr double leastLearningRate = 1e-30, mostLearningRate = 1e30; // normal numbers as floats

/// Returns the choice of this name; the names were checked when the arguments were parsed.
template <class Choice, std::size_t count>
Choice choiceOf(const std::string &name, const std::array<std::string_view, count> &names,
                Choice initial)
{
    const auto found = std::ranges::find(names, name);
    return found == names.end() ? initial : Choice(found - names.begin());
}

template <std::size_t count> CLI::IsMember oneOf(const std::array<std::string_view, count> &names)
{
    return CLI::IsMember(std::vector<std::string>(names.begin(), names.end()));
}

} // namespace

void TrainingArguments::addTo(CLI::App &app, const char *group)
{
    app.add_flag("--training", m_training,
                 "Optimize a training step instead of inference: the model, a loss, the gradients "
                 "and the weight updates")
        ->group(group);
    app.add_option("--batchnorm", m_batchNorm,
                   "With --training: batch statistics or stored ones (default: batch)")
        ->group(group)
        ->type_name("batch|frozen")
        ->check(oneOf(batchNormNames));
    app.add_option("--optimizer", m_optimizer, "With --training: optimizer (default: sgd)")
        ->group(group)
        ->type_name("sgd|adam")
        ->check(oneOf(optimizerNames));
    app.add_option("--loss", m_loss,
                   "With --training: loss, automatic, cross-entropy or squared-error (default: "
                   "automatic, by the first output)")
        ->group(group)
        ->type_name("NAME")
        ->check(oneOf(lossNames));
    app.add_option("--learning-rate", m_learningRate,
                   "With --training: learning rate (default: 0.001)")
        ->group(group)
        ->type_name("X")
        ->check(numberIn(leastLearningRate, mostLearningRate));
}

Result<std::optional<TrainingOptions>> TrainingArguments::read(const CLI::App &app) const
{
    if (!m_training) {
        for (const char *name : {"--batchnorm", "--optimizer", "--loss", "--learning-rate"})
            if (app.count(name))
                return fail(Error::Kind::Usage, "requires --training", name);
        return std::nullopt;
    }
    TrainingOptions options;
    options.batchNorm = choiceOf(m_batchNorm, batchNormNames, options.batchNorm);
    options.optimizer = choiceOf(m_optimizer, optimizerNames, options.optimizer);
    options.loss = choiceOf(m_loss, lossNames, options.loss);
    options.learningRate = m_learningRate;
    return options;
}

} // namespace graphloom
