#pragma once
// Messages about losses, for those who do not decode extents (README.md, "Losses").

#include <cstdint>
#include <string>

namespace ringside::fleet {

struct LossReport {
  std::string host;
  std::string service;
  std::string segment;  // its uuid
  std::string cause;    // as in the JSON of ringcat, or "refused"
  std::uint64_t records = 0;
  std::uint64_t message = 0;  // number of the message with the extents; 0: none
};

std::string loss_subject(const std::string& tenant, const LossReport& report);
std::string write_loss_report(const LossReport& report);

}  // namespace ringside::fleet
