// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

/// Counts the peak memory of an ONNX file independently, from the file alone, without Graphloom's
/// engine. README.md describes the rules.
namespace recount {

/// Holds the description of a defect of a file.
struct Problem {
    std::string text;
};

struct Tensor {
    std::string name;
    std::vector<std::int64_t> shape;
    int type = 0;            // of onnx::TensorProto
    std::int64_t bytes = -1; // -1: not in the file
    bool weight = false;     // an initializer, or the output of a node that only fills it
    bool input = false, output = false; // of the model
    std::vector<std::int64_t> integers; // elements of a short list of integers in the file
    int producer = -1;                  // node
};

struct Node {
    std::string name, domain, op;
    std::vector<int> inputs;   // tensors; -1: omitted
    std::vector<int> captures; // read by graphs in its attributes
    std::vector<int> outputs;
    std::map<std::string, onnx::AttributeProto> attributes;
    int call = -1; // number of the call of the function whose body it is in
};

/// Holds a model as one list of nodes, in the order of the file, with the bodies of functions in
/// place of their calls.
struct Program {
    std::vector<Tensor> tensors;
    std::vector<Node> nodes;
    std::vector<int> inputs, outputs;
    std::map<std::string, std::string> metadata;
    std::unordered_map<std::string, int> byName; // tensors
    std::int64_t opset = 0;                      // of ai.onnx
    std::vector<std::string> calls;              // function names, one for each call
};

/// Reads a file. Throws Problem if it is not valid.
Program readProgram(const std::string &path);

} // namespace recount
