// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/snapshot/place.h"
#include "app/snapshot/snapshot.h"

#include <QString>

#include <optional>
#include <vector>

namespace graphloom {

class NodeMetric;
class OwnTable;

/// A line of the properties panel.
struct Property {
    QString name, value;
    bool code = false;              // formula or identifier, shown in a fixed-width font
    std::optional<Place> link = {}; // target of the value
    const char *term = "";          // glossary key that explains the name
};
struct PropertySection {
    QString title;
    std::vector<Property> properties;
};

/// Returns the properties of an item. For a node these are attributes, tensors with types, shapes
/// and bytes, mapping types, cost, formulas of its stages, nested graphs, and why it is opaque if
/// it is. Returns an empty list for an item that the plan does not have.
std::vector<PropertySection> propertiesOf(const Snapshot &snapshot, const Item &item);

/// Returns further data about an item: its value of a metric, and for a node its row in the user
/// data. Either pointer may be null.
PropertySection dataSectionOf(const Snapshot &snapshot, const Item &item, const OwnTable *own,
                              const NodeMetric *metric);

} // namespace graphloom
