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
    bool code = false;              // formula or identifier: shown in a fixed-width font
    std::optional<Place> link = {}; // where the value leads
    const char *term = "";          // of the glossary: what the name means
};
struct PropertySection {
    QString title;
    std::vector<Property> properties;
};

/// What there is to say about an item: of a node its attributes, tensors with types, shapes and
/// bytes, mapping types, cost, formulas of its stages, the graphs nested in it, and why it is
/// opaque if it is. Empty for an item that the plan does not have.
std::vector<PropertySection> propertiesOf(const Snapshot &snapshot, const Item &item);

/// What else is known of an item: its value of a metric, and of a node its row in data of the
/// user's own. Either may be null.
PropertySection dataSectionOf(const Snapshot &snapshot, const Item &item, const OwnTable *own,
                              const NodeMetric *metric);

} // namespace graphloom
