#pragma once
// The escapes of JSON's texts.

namespace ringside::tool {

// Puts the text that `text` begins with, up to its closing quote, to `out`, which has room for as
// many bytes, and moves `out` behind it. Halves of surrogates become U+FFFD. Returns the closing
// quote; null if there is none before `end`, or an escape that JSON does not have.
const char* append_unescaped(const char* text, const char* end, char*& out);

}  // namespace ringside::tool
