// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/describe/build.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace graphloom::build {

/// Builds the stages of operators that reduce input 0 along some loops and then visit every element
/// again, as normalizations do. Reduced values are kept in single precision or better.
class Statistics {
public:
    struct Loop {
        std::string name;
        Dim extent;
        bool gathered = false;
    };

    /// Reads the element of input 0 that `map` gives at a point of the loops; the result has the
    /// same map.
    Statistics(const Call &call, std::vector<Loop> loops, IndexMap map);

    /// Returns loops over the dimensions of input 0, of which those listed are reduced, with their
    /// map.
    static Statistics along(const Call &call, const std::vector<int> &dimensions);

    /// Adds an output to the node; call it before anything is reduced.
    void addOutput(DataType type);

    /// Takes the elements from what the stage writes, with the map of input 0, instead of from
    /// input 0; call it before anything is reduced.
    void replaceElements(Stage stage);

    /// Adds a value for each point of the loops that are not reduced: the combination of
    /// body(element, values reduced before), put through `finish`. Returns its number.
    using Body = std::function<Expr(const Expr &x, const std::vector<Expr> &gathered)>;
    int gather(std::string name, Combine combine, double initial, const Body &body,
               const std::function<Expr(const Expr &)> &finish = {});
    /// Adds mean and (biased) variance.
    void gatherMoments();

    /// Returns the description with the result of each element as its output. Parameters are
    /// inputs, read at the given maps over the loops.
    using Final = std::function<Expr(const Expr &x, const std::vector<Expr> &gathered,
                                     const std::vector<Expr> &parameters)>;
    Description finish(std::string name, const std::vector<std::pair<int, IndexMap>> &parameters,
                       const Final &body);

    /// Returns the number of elements that are reduced to one value.
    Expr count() const;
    /// Returns the type of reduced values.
    DataType type() const { return m_type; }
    Description &description() { return m_description; }

private:
    Stage loops(bool gathering, std::vector<int> &axisOf) const;
    std::vector<Expr> loadGathered(Stage &stage, const std::vector<int> &axisOf) const;
    Expr loadElement() const; // by the first read of the stages

    const Call *m_call;
    std::vector<Loop> m_loops;
    IndexMap m_map;
    DataType m_type;
    Operand m_elements;
    Description m_description;
    std::vector<int> m_gathered; // values
};

} // namespace graphloom::build
