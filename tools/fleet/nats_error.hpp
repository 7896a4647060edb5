#pragma once
// Errors of the NATS library as text.

#include <string>

#include <nats/nats.h>

namespace ringside::fleet {

// Why a call of this thread failed. `code`: of JetStream; 0: none.
std::string nats_reason(natsStatus status, jsErrCode code = static_cast<jsErrCode>(0));

}  // namespace ringside::fleet
