#pragma once
// Answers in a smaller form.

#include <string>
#include <string_view>

namespace ringside::tool {

// As a gzip file (RFC 1952); empty if there is no memory for it.
std::string packed_as_gzip(std::string_view text);

// Whether a client that sends this Accept-Encoding header takes gzip.
bool accepts_gzip(std::string_view accepted);

}  // namespace ringside::tool
