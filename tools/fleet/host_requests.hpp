#pragma once
// What is asked of one host by rs.control (README.md, "Requests").

#include <string>
#include <string_view>
#include <vector>

namespace ringside::fleet {

struct HostRequest {
  std::vector<std::string> contents;  // keys of dictionary contents that the bucket does not have
};

std::string write_host_request(const HostRequest& request);
// False with `*why` if the text is not a request of this version.
bool read_host_request(std::string_view text, HostRequest& request, std::string* why);

}  // namespace ringside::fleet
