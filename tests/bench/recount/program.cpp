// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <set>

namespace recount {

namespace {

constexpr int functionValueInfo = 12; // of FunctionProto, which older libraries do not know
constexpr int deepestCall = 16;
constexpr std::int64_t longestList = 64;

int bitsOf(int type)
{
    using T = onnx::TensorProto;
    switch (type) {
    case T::DOUBLE:
    case T::INT64:
    case T::UINT64:
    case T::COMPLEX64:
        return 64;
    case T::COMPLEX128:
        return 128;
    case T::FLOAT:
    case T::INT32:
    case T::UINT32:
        return 32;
    case T::FLOAT16:
    case T::BFLOAT16:
    case T::INT16:
    case T::UINT16:
        return 16;
    case T::BOOL:
    case T::INT8:
    case T::UINT8:
    case 17: // float8, in four forms
    case 18:
    case 19:
    case 20:
        return 8;
    case 21: // uint4, int4, float4
    case 22:
    case 23:
        return 4;
    default:
        return 0;
    }
}

class Reader {
public:
    Program read(const std::string &path)
    {
        onnx::ModelProto model;
        std::ifstream stream(path, std::ios::binary);
        if (!stream || !model.ParseFromIstream(&stream) || !model.has_graph())
            throw Problem{path + " is no ONNX model that can be read"};
        for (const auto &entry : model.metadata_props())
            m_program.metadata[entry.key()] = entry.value();
        for (const auto &import : model.opset_import())
            if (import.domain().empty() || import.domain() == "ai.onnx")
                m_program.opset = import.version();
        for (const auto &function : model.functions())
            m_functions[function.domain() + ":" + function.name()] = &function;
        const onnx::GraphProto &graph = model.graph();
        m_program.nodes.reserve(std::size_t(graph.node_size()));
        for (const auto &tensor : graph.initializer())
            addInitializer(tensor);
        std::map<std::string, std::string> own; // names are what they are
        for (const auto *list : {&graph.input(), &graph.output(), &graph.value_info()})
            for (const auto &info : *list)
                declare(info.name(), info.type());
        for (const auto &info : graph.input()) {
            const int id = tensorNamed(info.name());
            m_program.tensors[std::size_t(id)].input = !m_program.tensors[std::size_t(id)].weight;
            if (!m_program.tensors[std::size_t(id)].weight)
                m_program.inputs.push_back(id);
        }
        for (const auto &node : graph.node())
            addNode(node, own, "", -1, 0);
        for (const auto &info : graph.output()) {
            const int id = tensorNamed(info.name());
            m_program.tensors[std::size_t(id)].output = true;
            m_program.outputs.push_back(id);
        }
        return std::move(m_program);
    }

private:
    int tensorNamed(const std::string &name)
    {
        const auto [at, added] = m_program.byName.try_emplace(name, int(m_program.tensors.size()));
        if (added) {
            m_program.tensors.emplace_back();
            m_program.tensors.back().name = name;
        }
        return at->second;
    }

    void setShape(Tensor &tensor, int type, std::vector<std::int64_t> shape)
    {
        const int bits = bitsOf(type);
        std::int64_t total = bits;
        for (const std::int64_t extent : shape)
            if (extent < 0 || __builtin_mul_overflow(total, extent, &total))
                return;
        tensor.type = type;
        tensor.shape = std::move(shape);
        tensor.bytes = bits > 0 ? (total + 7) / 8 : -1;
    }

    void declare(const std::string &name, const onnx::TypeProto &type)
    {
        if (!type.has_tensor_type() || !type.tensor_type().has_shape())
            return;
        std::vector<std::int64_t> shape;
        for (const auto &extent : type.tensor_type().shape().dim()) {
            if (!extent.has_dim_value())
                return;
            shape.push_back(extent.dim_value());
        }
        Tensor &tensor = m_program.tensors[std::size_t(tensorNamed(name))];
        if (tensor.bytes < 0)
            setShape(tensor, type.tensor_type().elem_type(), std::move(shape));
    }

    void addInitializer(const onnx::TensorProto &proto)
    {
        Tensor &tensor = m_program.tensors[std::size_t(tensorNamed(proto.name()))];
        tensor.weight = true;
        setShape(tensor, proto.data_type(), {proto.dims().begin(), proto.dims().end()});
        tensor.integers = integersOf(proto);
    }

    static std::vector<std::int64_t> integersOf(const onnx::TensorProto &proto)
    {
        std::vector<std::int64_t> list;
        if (proto.data_type() != onnx::TensorProto::INT64)
            return list;
        list.assign(proto.int64_data().begin(), proto.int64_data().end());
        if (list.empty() && proto.raw_data().size() % 8 == 0 &&
            proto.raw_data().size() / 8 <= std::size_t(longestList)) {
            list.resize(proto.raw_data().size() / 8);
            std::memcpy(list.data(), proto.raw_data().data(), proto.raw_data().size());
        }
        return list;
    }

    /// Names that a nested graph reads and does not have itself.
    void capturesOf(const onnx::GraphProto &graph, const std::set<std::string> &around,
                    std::set<std::string> &found) const
    {
        std::set<std::string> own = around;
        for (const auto &info : graph.input())
            own.insert(info.name());
        for (const auto &tensor : graph.initializer())
            own.insert(tensor.name());
        for (const auto &node : graph.node())
            own.insert(node.output().begin(), node.output().end());
        const auto read = [&](const std::string &name) {
            if (!name.empty() && !own.contains(name))
                found.insert(name);
        };
        for (const auto &node : graph.node()) {
            std::ranges::for_each(node.input(), read);
            for (const auto &attribute : node.attribute()) {
                if (attribute.has_g())
                    capturesOf(attribute.g(), own, found);
                for (const auto &inner : attribute.graphs())
                    capturesOf(inner, own, found);
            }
        }
        for (const auto &info : graph.output())
            read(info.name());
    }

    using Names = std::map<std::string, std::string>; // in a body: what they are outside

    void addNode(const onnx::NodeProto &proto, Names &names, const std::string &prefix, int call,
                 int depth)
    {
        const auto nameOf = [&](const std::string &name) {
            if (call < 0 || name.empty())
                return name;
            const auto at = names.find(name);
            if (at != names.end())
                return at->second;
            // Names of a body that nothing else has stay as they are.
            const std::string own = m_program.byName.contains(name) ? prefix + name : name;
            return names[name] = own;
        };
        const auto function = m_functions.find(proto.domain() + ":" + proto.op_type());
        if (function != m_functions.end()) {
            addCall(proto, *function->second, nameOf, prefix, call, depth);
            return;
        }
        Node node;
        node.name = proto.name();
        node.domain = proto.domain() == "ai.onnx" ? "" : proto.domain();
        node.op = proto.op_type();
        node.call = call;
        std::set<std::string> captured;
        for (const auto &attribute : proto.attribute()) {
            if (attribute.has_g())
                capturesOf(attribute.g(), {}, captured);
            for (const auto &inner : attribute.graphs())
                capturesOf(inner, {}, captured);
            node.attributes[attribute.name()] = attribute;
        }
        for (const std::string &input : proto.input())
            node.inputs.push_back(input.empty() ? -1 : tensorNamed(nameOf(input)));
        for (const std::string &name : captured)
            node.captures.push_back(tensorNamed(nameOf(name)));
        for (const std::string &output : proto.output())
            node.outputs.push_back(output.empty() ? -1 : tensorNamed(nameOf(output)));
        if (isFill(node)) {
            // It only writes down a weight whose elements are all alike, or a short list.
            Tensor &filled = m_program.tensors[std::size_t(node.outputs[0])];
            filled.weight = true;
            if (filled.bytes < 0)
                sizeOfFill(node, filled);
            return;
        }
        for (const int output : node.outputs)
            if (output >= 0)
                m_program.tensors[std::size_t(output)].producer = int(m_program.nodes.size());
        m_program.nodes.push_back(std::move(node));
    }

    bool isFill(const Node &node) const
    {
        if (!node.domain.empty() || node.outputs.size() != 1)
            return false;
        if (node.op == "Constant")
            return true;
        return node.op == "ConstantOfShape" && node.inputs.size() == 1 && node.inputs[0] >= 0 &&
               m_program.tensors[std::size_t(node.inputs[0])].weight;
    }

    void sizeOfFill(const Node &node, Tensor &filled)
    {
        const auto value = node.attributes.find("value");
        const onnx::TensorProto none;
        const onnx::TensorProto &tensor = value != node.attributes.end() ? value->second.t() : none;
        if (node.op == "ConstantOfShape")
            setShape(filled, tensor.data_type() ? tensor.data_type() : onnx::TensorProto::FLOAT,
                     m_program.tensors[std::size_t(node.inputs[0])].integers);
        else if (tensor.data_type()) {
            setShape(filled, tensor.data_type(), {tensor.dims().begin(), tensor.dims().end()});
            filled.integers = integersOf(tensor);
        }
    }

    template <class NameOf>
    void addCall(const onnx::NodeProto &proto, const onnx::FunctionProto &function,
                 const NameOf &nameOf, const std::string &prefix, int call, int depth)
    {
        if (depth > deepestCall)
            throw Problem{"functions call each other more than " + std::to_string(deepestCall) +
                          " deep"};
        Names inner;
        for (int i = 0; i < function.input_size(); ++i)
            inner[function.input(i)] = i < proto.input_size() ? nameOf(proto.input(i)) : "";
        for (int o = 0; o < function.output_size(); ++o)
            if (o < proto.output_size() && !proto.output(o).empty())
                inner[function.output(o)] = nameOf(proto.output(o));
        const std::string own =
            prefix + (proto.name().empty() ? function.name() : proto.name()) + "/";
        const int number = int(m_program.calls.size());
        m_program.calls.push_back(proto.name().empty() ? function.name() : proto.name());
        for (const auto &node : function.node())
            addNode(node, inner, own, call >= 0 ? call : number, depth + 1);
        const auto take = [&](const onnx::ValueInfoProto &info) {
            if (const auto at = inner.find(info.name()); at != inner.end() && !at->second.empty())
                declare(at->second, info.type());
        };
        forEachDeclared(function, take);
    }

    /// Calls visit for all that a function declares of its body's tensors.
    template <class Function, class Visit>
    static void forEachDeclared(const Function &function, const Visit &visit)
    {
        if constexpr (requires { function.value_info(); }) {
            for (const auto &info : function.value_info())
                visit(info);
        } else {
            const auto &fields = function.unknown_fields();
            for (int i = 0; i < fields.field_count(); ++i) {
                const auto &field = fields.field(i);
                onnx::ValueInfoProto info;
                if (field.number() == functionValueInfo &&
                    field.type() == field.TYPE_LENGTH_DELIMITED &&
                    info.ParseFromString(field.length_delimited()))
                    visit(info);
            }
        }
    }

    Program m_program;
    std::map<std::string, const onnx::FunctionProto *> m_functions;
};

} // namespace

Program readProgram(const std::string &path)
{
    return Reader().read(path);
}

} // namespace recount
