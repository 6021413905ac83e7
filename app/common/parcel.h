// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace graphloom {

/// A `Parcel` carries a value from one thread to another, where it is taken out once. Qt's event
/// queue, through which it goes, already orders the threads; ThreadSanitizer does not see into Qt,
/// but sees this lock.
template <class T> class Parcel {
public:
    explicit Parcel(T value) : m_content(std::make_shared<Content>())
    {
        const std::lock_guard lock(m_content->mutex);
        m_content->value.emplace(std::move(value));
    }
    T open() const
    {
        const std::lock_guard lock(m_content->mutex);
        return *std::exchange(m_content->value, std::nullopt);
    }

private:
    struct Content {
        std::mutex mutex;
        std::optional<T> value;
    };
    std::shared_ptr<Content> m_content;
};

} // namespace graphloom
