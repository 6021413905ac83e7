// SPDX-License-Identifier: Apache-2.0
#include "engine/archive/fields.h"

namespace graphloom {

namespace {

enum ExtentKind : std::uint64_t { NumberExtent, ExpressionExtent, OverflownExtent };

} // namespace

void FieldWriter::write(const Dim &dim)
{
    if (const auto value = dim.constant()) {
        m_out.number(NumberExtent);
        m_out.integer(*value);
    } else if (dim.isOverflow()) {
        m_out.number(OverflownExtent);
    } else {
        m_out.number(ExpressionExtent);
        m_out.text(dim.text());
    }
}

void FieldReader::read(Dim &dim)
{
    switch (m_in.number()) {
    case NumberExtent:
        dim = m_in.integer();
        return;
    case ExpressionExtent: {
        auto value = readDim(m_in.text());
        if (value)
            dim = *std::move(value);
        else
            m_in.refuse(value.error().message);
        return;
    }
    case OverflownExtent:
        dim = Dim::overflow();
        return;
    default:
        m_in.refuse("has an extent of unknown kind");
    }
}

} // namespace graphloom
