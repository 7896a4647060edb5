#pragma once
// Addresses of a fleet's traces:
// nats://SERVER[,SERVER...][/HOST[/SERVICE]][?snapshot=ID].

#include <string>
#include <string_view>

namespace ringside::fleet {

struct FleetAddress {
  std::string servers;   // URLs, separated by commas; they can contain a user and a password
  std::string host;      // whose traces; empty: all
  std::string service;   // empty: all
  std::string snapshot;  // whose records; empty: those that are sent without one
};

// Whether `text` begins with nats:// or tls://.
bool is_fleet_address(std::string_view text);

// False with `*why` if it is not well-formed. `why` contains no password.
bool parse_fleet_address(std::string_view text, FleetAddress& address, std::string* why);

// The address for messages: without user and password.
std::string shown_fleet_address(std::string_view text);

}  // namespace ringside::fleet
