#pragma once
// The options of programs that read a fleet: how to connect.

#include <string>

#include "tools/fleet/reader_request.hpp"

namespace CLI {
class App;
}

namespace ringside::fleet {

// All but the servers, in a group of the help. `access` must outlive the parsing.
void add_access_options(CLI::App& app, ServerAccess& access, const std::string& group);

}  // namespace ringside::fleet
