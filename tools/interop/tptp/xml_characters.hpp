#pragma once
// Characters as XML 1.0 defines them, in UTF-8.

#include <cstddef>
#include <string>
#include <string_view>

namespace ringside::tool {

// The size of a character of more than one byte at the start of `text` that XML permits; 0 if there
// is none.
std::size_t xml_character_bytes(std::string_view text);

// Appends the character of a reference such as "&amp;" or "&#10;" at the start of `left`, and
// removes it from `left`. False: not a reference to one of the five entities or to a character of
// XML.
bool append_xml_reference(std::string_view& left, std::string& out);

}  // namespace ringside::tool
