#pragma once
// Characters as XML 1.0 has them, in UTF-8.

#include <cstddef>
#include <string>
#include <string_view>

namespace ringside::tool {

// Bytes of the character of more than one byte that `text` begins with and that may stand in XML; 0
// if there is none.
std::size_t xml_character_bytes(std::string_view text);

// What "&amp;" or "&#10;", which `left` begins with, stands for is appended, and `left` is what
// follows it. False: no reference, to one of the five entities or to a character that XML has.
bool append_xml_reference(std::string_view& left, std::string& out);

}  // namespace ringside::tool
