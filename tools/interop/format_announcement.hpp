#pragma once
// What a receiver says before it gets anything: "ACCEPT trcbin\n", of each format that is sent only
// to those that announce it.

#include <string>
#include <string_view>

#include "tools/interop/tcp_endpoint.hpp"

namespace ringside::tool {

// How long a sender waits for that: a receiver that says nothing costs it so much, one that ends
// its side of the connection nothing.
inline constexpr int kAnnouncementMs = 1000;

// What is sent instead to a receiver that does not announce `format`; nothing: it is sent to all.
constexpr std::string_view format_unless_announced(std::string_view format) {
  return format == "trcbin" ? "trcxml" : "";
}

std::string announcement_of(std::string_view format);

// Whether the receiver announces it in time.
bool announces(TcpSender& receiver, std::string_view format);

}  // namespace ringside::tool
