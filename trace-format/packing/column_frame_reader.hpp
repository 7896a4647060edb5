// Restores the bytes of a frame from its columns: README.md, "Columns". Trusts no byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace ringside::trace {

// How many bytes the columns restore, if `content` begins like columns.
std::optional<std::size_t> restored_bytes(std::span<const std::byte> content);

// Fills `restored`, whose size must be restored_bytes(). False if the columns are invalid; the
// content of `restored` is undefined then.
bool restore_columns(std::span<const std::byte> content, std::span<std::byte> restored);

}  // namespace ringside::trace
