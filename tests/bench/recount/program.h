// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

/// Counts the peak memory of an ONNX file again, from the file alone: nothing here knows
/// Graphloom's engine. README.md says by which rules.
namespace recount {

/// What is wrong with a file, in words.
struct Problem {
    std::string text;
};

struct Tensor {
    std::string name;
    std::vector<std::int64_t> shape;
    int type = 0;                       // of onnx::TensorProto
    std::int64_t bytes = -1;            // -1: the file does not tell
    bool weight = false;                // an initializer, or a node that only fills one
    bool input = false, output = false; // of the model
    std::vector<std::int64_t> integers; // of a short list of integers in the file
    int producer = -1;                  // node
};

struct Node {
    std::string name, domain, op;
    std::vector<int> inputs;   // tensors; -1: left out
    std::vector<int> captures; // that graphs in its attributes read
    std::vector<int> outputs;
    std::map<std::string, onnx::AttributeProto> attributes;
    int call = -1; // of the function whose body it is in, by number
};

/// A model as one list of nodes, in the order of the file, with bodies of functions in the place of
/// their calls.
struct Program {
    std::vector<Tensor> tensors;
    std::vector<Node> nodes;
    std::vector<int> inputs, outputs;
    std::map<std::string, std::string> metadata;
    std::unordered_map<std::string, int> byName; // tensors
    std::int64_t opset = 0;                      // of ai.onnx
    std::vector<std::string> calls;              // names of functions that are called, each time
};

/// Throws Problem.
Program readProgram(const std::string &path);

} // namespace recount
