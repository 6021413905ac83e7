// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace graphloom::test {

/// Changes protobuf messages at random through reflection, so that they stay well-formed: fields
/// are set, cleared, repeated, swapped, and exchanged for others of the same type.
class MessageMutator {
public:
    using Message = google::protobuf::Message;
    using Field = google::protobuf::FieldDescriptor;
    /// Changes `size` bytes in a buffer of `most`; gives how many they are then.
    using ChangeBytes = std::size_t (*)(std::uint8_t *data, std::size_t size, std::size_t most);

    MessageMutator(std::uint64_t seed, ChangeBytes changeBytes)
        : m_random(seed), m_changeBytes(changeBytes)
    {
    }

    /// Changes one field somewhere in the message.
    void mutate(Message &message)
    {
        std::vector<Message *> all;
        collect(message, all);
        Message &target = *all[below(all.size())];
        const auto *descriptor = target.GetDescriptor();
        if (descriptor->field_count() == 0)
            return;
        // Rather what is there than what is not: most fields of a message are empty.
        std::vector<const Field *> present;
        target.GetReflection()->ListFields(target, &present);
        const Field *field =
            present.empty() || below(4) == 0
                ? descriptor->field(int(below(std::size_t(descriptor->field_count()))))
                : present[below(present.size())];
        if (field->is_repeated())
            mutateRepeated(target, *field, all);
        else if (below(8) == 0)
            target.GetReflection()->ClearField(&target, field);
        else
            setSingle(target, *field, all);
    }

    /// Puts a message of the donor in the place of one of the same type.
    void transplant(Message &message, Message &donor)
    {
        std::vector<Message *> all, others;
        collect(message, all);
        collect(donor, others);
        for (int tries = 0; tries < 16; ++tries) {
            Message &target = *all[below(all.size())];
            const Message &source = *others[below(others.size())];
            if (target.GetDescriptor() != source.GetDescriptor() || &target == &message)
                continue;
            target.CopyFrom(source);
            return;
        }
    }

private:
    std::size_t below(std::size_t count)
    {
        return std::uniform_int_distribution<std::size_t>(0, count - 1)(m_random);
    }

    static void collect(Message &message, std::vector<Message *> &all)
    {
        all.push_back(&message);
        const auto *reflection = message.GetReflection();
        std::vector<const Field *> fields;
        reflection->ListFields(message, &fields);
        for (const Field *field : fields) {
            if (field->cpp_type() != Field::CPPTYPE_MESSAGE)
                continue;
            if (!field->is_repeated()) {
                collect(*reflection->MutableMessage(&message, field), all);
                continue;
            }
            for (int i = 0; i < reflection->FieldSize(message, field); ++i)
                collect(*reflection->MutableRepeatedMessage(&message, field, i), all);
        }
    }

    void mutateRepeated(Message &target, const Field &field, const std::vector<Message *> &all)
    {
        const auto *reflection = target.GetReflection();
        const int size = reflection->FieldSize(target, &field);
        const auto any = [&] { return int(below(std::size_t(size))); };
        switch (below(size > 0 ? 4 : 1)) {
        case 0:
            add(target, field, all);
            break;
        case 1:
            reflection->SwapElements(&target, &field, any(), size - 1);
            reflection->RemoveLast(&target, &field);
            break;
        case 2:
            reflection->SwapElements(&target, &field, any(), any());
            break;
        default:
            setElement(target, field, any(), all);
        }
    }

    /// A message of the type from elsewhere, or an empty one; serialized, since changing a field
    /// may move or remove the messages in `all`.
    std::string alike(const google::protobuf::Descriptor *type, const std::vector<Message *> &all)
    {
        constexpr std::size_t mostBytes = 1 << 12;
        std::vector<std::string> found{""};
        for (const Message *message : all)
            if (message->GetDescriptor() == type && message->ByteSizeLong() < mostBytes)
                found.push_back(message->SerializeAsString());
        return found[below(found.size())];
    }

    void add(Message &target, const Field &field, const std::vector<Message *> &all)
    {
        const auto *r = target.GetReflection();
        switch (field.cpp_type()) {
        case Field::CPPTYPE_MESSAGE: {
            const std::string bytes = alike(field.message_type(), all);
            r->AddMessage(&target, &field)->ParseFromString(bytes);
            break;
        }
        case Field::CPPTYPE_STRING:
            r->AddString(&target, &field, text("", all));
            break;
        case Field::CPPTYPE_INT32:
            r->AddInt32(&target, &field, std::int32_t(number(0)));
            break;
        case Field::CPPTYPE_INT64:
            r->AddInt64(&target, &field, number(0));
            break;
        case Field::CPPTYPE_UINT64:
            r->AddUInt64(&target, &field, std::uint64_t(number(0)));
            break;
        case Field::CPPTYPE_FLOAT:
            r->AddFloat(&target, &field, float(real(0)));
            break;
        case Field::CPPTYPE_DOUBLE:
            r->AddDouble(&target, &field, real(0));
            break;
        default:
            break; // ONNX has no other repeated fields
        }
    }

    void setElement(Message &target, const Field &field, int i, const std::vector<Message *> &all)
    {
        const auto *r = target.GetReflection();
        switch (field.cpp_type()) {
        case Field::CPPTYPE_MESSAGE: {
            const std::string bytes = alike(field.message_type(), all);
            r->MutableRepeatedMessage(&target, &field, i)->ParseFromString(bytes);
            break;
        }
        case Field::CPPTYPE_STRING:
            r->SetRepeatedString(&target, &field, i,
                                 text(r->GetRepeatedString(target, &field, i), all));
            break;
        case Field::CPPTYPE_INT32:
            r->SetRepeatedInt32(&target, &field, i,
                                std::int32_t(number(r->GetRepeatedInt32(target, &field, i))));
            break;
        case Field::CPPTYPE_INT64:
            r->SetRepeatedInt64(&target, &field, i, number(r->GetRepeatedInt64(target, &field, i)));
            break;
        case Field::CPPTYPE_UINT64:
            r->SetRepeatedUInt64(
                &target, &field, i,
                std::uint64_t(number(std::int64_t(r->GetRepeatedUInt64(target, &field, i)))));
            break;
        case Field::CPPTYPE_FLOAT:
            r->SetRepeatedFloat(&target, &field, i,
                                float(real(r->GetRepeatedFloat(target, &field, i))));
            break;
        case Field::CPPTYPE_DOUBLE:
            r->SetRepeatedDouble(&target, &field, i, real(r->GetRepeatedDouble(target, &field, i)));
            break;
        default:
            break;
        }
    }

    void setSingle(Message &target, const Field &field, const std::vector<Message *> &all)
    {
        const auto *r = target.GetReflection();
        switch (field.cpp_type()) {
        case Field::CPPTYPE_MESSAGE: {
            const std::string bytes = alike(field.message_type(), all);
            r->MutableMessage(&target, &field)->ParseFromString(bytes);
            break;
        }
        case Field::CPPTYPE_STRING:
            r->SetString(&target, &field, text(r->GetString(target, &field), all));
            break;
        case Field::CPPTYPE_INT32:
            r->SetInt32(&target, &field, std::int32_t(number(r->GetInt32(target, &field))));
            break;
        case Field::CPPTYPE_INT64:
            r->SetInt64(&target, &field, number(r->GetInt64(target, &field)));
            break;
        case Field::CPPTYPE_FLOAT:
            r->SetFloat(&target, &field, float(real(r->GetFloat(target, &field))));
            break;
        case Field::CPPTYPE_ENUM:
            r->SetEnumValue(&target, &field, int(below(32)));
            break;
        default:
            break;
        }
    }

    std::int64_t number(std::int64_t before)
    {
        switch (below(4)) {
        case 0:
            return std::int64_t(below(32)) - 4;
        case 1:
            return std::int64_t(std::uint64_t(before) + below(5) - 2);
        case 2:
            return std::int64_t((std::uint64_t(1) << below(64)) - below(3));
        default:
            return std::int64_t(m_random());
        }
    }

    double real(double before)
    {
        constexpr double numbers[] = {0, -1, 0.5, 1e30, -1e-30, HUGE_VAL, -HUGE_VAL, NAN};
        return below(2) == 0 ? numbers[below(std::size(numbers))] : before * double(below(9)) - 2;
    }

    /// Mostly a text that stands elsewhere: names of tensors and operators are what matters.
    std::string text(std::string before, const std::vector<Message *> &all)
    {
        std::vector<std::string> texts;
        for (const Message *message : all) {
            std::vector<const Field *> fields;
            message->GetReflection()->ListFields(*message, &fields);
            for (const Field *field : fields) {
                if (field->cpp_type() != Field::CPPTYPE_STRING)
                    continue;
                const auto *r = message->GetReflection();
                const int size = field->is_repeated() ? r->FieldSize(*message, field) : 1;
                for (int i = 0; i < size; ++i) {
                    std::string found = field->is_repeated()
                                            ? r->GetRepeatedString(*message, field, i)
                                            : r->GetString(*message, field);
                    if (found.size() < 256)
                        texts.push_back(std::move(found));
                }
            }
        }
        if (!texts.empty() && below(4) != 0)
            return texts[below(texts.size())];
        const std::size_t size = before.size();
        before.resize(size + 16);
        before.resize(
            m_changeBytes(reinterpret_cast<std::uint8_t *>(before.data()), size, before.size()));
        return before;
    }

    std::mt19937_64 m_random;
    ChangeBytes m_changeBytes;
};

} // namespace graphloom::test
