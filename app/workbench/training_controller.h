// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/common/worker.h"
#include "engine/ir/training_options.h"
#include "engine/plan/plan.h"

#include <QObject>

#include <memory>
#include <optional>

namespace graphloom {

class Workbench;

/// Makes a training graph, one step of training, of the model that is open.
class TrainingController final : public QObject {
    Q_OBJECT

public:
    explicit TrainingController(Workbench &bench) : m_bench(bench) {}

    /// Makes the graph, with inputs of another batch size if one is given; not while another one is
    /// made.
    void make(const TrainingOptions &options, const std::optional<std::int64_t> &batchSize);
    bool isRunning() const { return m_trainer.isRunning(); }

Q_SIGNALS:
    void made(const std::shared_ptr<const graphloom::Plan> &plan);

private:
    Workbench &m_bench;
    Worker m_trainer;
};

} // namespace graphloom
