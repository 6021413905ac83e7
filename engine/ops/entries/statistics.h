// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/describe/build.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace graphloom::build {

/// Stages of operators that gather something of input 0 along some loops and then visit every
/// element again, as normalizations do. What is gathered is kept in single precision or better.
class Statistics {
public:
    struct Loop {
        std::string name;
        Dim extent;
        bool gathered = false;
    };

    /// `map`: the element of input 0 at a point of the loops; the result has the same map.
    Statistics(const Call &call, std::vector<Loop> loops, IndexMap map);

    /// The loops over the dimensions of a shape, those listed gathered, and the map they go with.
    static Statistics along(const Call &call, const std::vector<int> &dimensions);

    /// A further output of the node; before anything is gathered.
    void addOutput(DataType type);

    /// The elements are what the stage writes, with the map of input 0, instead of input 0;
    /// before anything is gathered.
    void replaceElements(Stage stage);

    /// A new value for each point of the loops that are not gathered: the combination of
    /// body(element, what was gathered before), put through `finish`. Gives its number.
    using Body = std::function<Expr(const Expr &x, const std::vector<Expr> &gathered)>;
    int gather(std::string name, Combine combine, double initial, const Body &body,
               const std::function<Expr(const Expr &)> &finish = {});
    /// Mean and (biased) variance.
    void gatherMoments();

    /// The result of an element. Parameters are inputs, read at the given maps over the loops.
    using Final = std::function<Expr(const Expr &x, const std::vector<Expr> &gathered,
                                     const std::vector<Expr> &parameters)>;
    Description finish(std::string name, const std::vector<std::pair<int, IndexMap>> &parameters,
                       const Final &body);

    /// Number of elements that are gathered into one value.
    Expr count() const;
    /// Type of what is gathered.
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
