// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/snapshot/place.h"
#include "app/tensors/content/inspected_tensor.h"
#include "engine/tensors/slice.h"

#include <QObject>

#include <filesystem>
#include <optional>
#include <vector>

namespace graphloom {

class Workbench;

/// Decides which tensor is inspected: one of the selected item, or one that was asked for. Writes
/// tensors to files.
class TensorController final : public QObject {
    Q_OBJECT

public:
    explicit TensorController(Workbench &bench);

    /// Returns the tensors to choose from, and the one that is inspected; nothing if there is none.
    const std::vector<TensorChoice> &choices() const { return m_choices; }
    const std::optional<TensorId> &chosen() const { return m_chosen; }
    /// Returns what is known of the tensor that is inspected.
    const InspectedTensor &tensor() const { return m_tensor; }
    /// Inspects a tensor of the graph that is shown.
    void choose(TensorId id);
    /// Does the same, and brings the panel up.
    void inspect(TensorId id);
    /// Sets where values of activations come from; null: there are none.
    void setSource(TensorSourcePointer source);

    /// Asks for a file for the inspected tensor, or for a slice of it.
    void exportTensor(const std::optional<TensorSlice> &slice = {});
    /// Writes what a file was asked for.
    void write(const std::filesystem::path &path);
    void updateActions();

Q_SIGNALS:
    /// Emitted when another tensor is inspected, or other values of it.
    void changed();
    /// Emitted when a file is to be chosen; `name` is a name for it without folder.
    void fileWanted(const QString &name);

private:
    void followSelection();
    void setSnapshot(const SnapshotPointer &shown);
    void show(std::vector<TensorChoice> choices, std::optional<TensorId> chosen);

    Workbench &m_bench;
    SnapshotPointer m_shown;
    Item m_item; // that the choices are of
    std::vector<TensorChoice> m_choices;
    std::optional<TensorId> m_chosen;
    InspectedTensor m_tensor;
    TensorSourcePointer m_source;
    struct Export {
        InspectedTensor tensor;
        std::optional<TensorSlice> slice;
    };
    std::optional<Export> m_export; // for which a file was asked
};

} // namespace graphloom
