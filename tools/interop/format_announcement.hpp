#pragma once
// The line that a receiver sends before it gets any data: "ACCEPT trcbin\n", for each format that
// is sent only to receivers that announce it.

#include <string>
#include <string_view>

#include "tools/interop/tcp_endpoint.hpp"

namespace ringside::tool {

// How long a sender waits for the announcement. A silent receiver delays the sender by this time; a
// receiver that ends its side of the connection does not delay it.
inline constexpr int kAnnouncementMs = 1000;

std::string announcement_of(std::string_view format);

// Whether the receiver announces `format` in time.
bool announces(TcpSender& receiver, std::string_view format);

}  // namespace ringside::tool
