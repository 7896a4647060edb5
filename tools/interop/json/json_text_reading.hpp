#pragma once
// Decodes the escapes of JSON's texts.

namespace ringside::tool {

// Writes the text at `text`, up to its closing quote, to `out`, which has room for as many bytes,
// and moves `out` past it. Single surrogates become U+FFFD. Returns the closing quote; null if
// there is none before `end`, or if an escape is invalid.
const char* append_unescaped(const char* text, const char* end, char*& out);

}  // namespace ringside::tool
