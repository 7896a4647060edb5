#include "tools/fleet/nats_error.hpp"

#include <fmt/format.h>

namespace ringside::fleet {

std::string nats_reason(natsStatus status, jsErrCode code) {
  // The library keeps the last error of the thread, which can be older than this one.
  natsStatus last = NATS_OK;
  const char* const detail = nats_GetLastError(&last);
  const bool is_of_this = last == status && detail != nullptr && *detail != '\0';
  std::string reason = is_of_this ? detail : natsStatus_GetText(status);
  if (code != 0) reason += fmt::format(" (JetStream error {})", static_cast<int>(code));
  return reason;
}

}  // namespace ringside::fleet
