#pragma once
// The table of the foreign formats that ringcat reads and writes. Formats do not include it.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "tools/interop/foreign_format.hpp"

namespace ringside::tool {

std::span<const ForeignFormat* const> foreign_formats();

// Null if there is no format of that name.
const ForeignFormat* find_foreign_format(std::string_view name);

// Null if no format recognises the bytes.
const ForeignFormat* recognise_format(std::span<const std::byte> first_bytes);
const ForeignFormat* recognise_directory_format(const std::string& path);

// Such as "chrome, csv, ctf": the formats that are read, collected from senders, or written.
std::string names_of_read_formats();
std::string names_of_collected_formats();
std::string names_of_written_formats();
std::string names_of_forwarded_formats();

}  // namespace ringside::tool
