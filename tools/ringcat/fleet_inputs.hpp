#pragma once
// Traces of a fleet (tools/fleet/fleet_address.hpp) among the paths of the subcommands.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tools/fleet/reader_process.hpp"
#include "tools/fleet/reader_request.hpp"

namespace CLI {
class App;
}

namespace ringside::tool {

struct FleetOptions {
  fleet::ServerAccess access;
  std::uint64_t most_bytes = std::uint64_t{4} << 30;
};

// How to connect, and the space on the disk. `options` must outlive the parsing.
void add_fleet_options(CLI::App& app, FleetOptions& options);

// Fetches them into private directories, which exist as long as this object.
class FleetInputs {
 public:
  struct Choice {
    bool follows = false;
    bool needs_history = true;             // what was stored before; else from now on
    std::optional<std::int64_t> since_ns;  // of the records that are needed
  };

  // Replaces such addresses by paths. Returns when all that is stored and wanted is there.
  // If one cannot be read, reports the reason and returns false.
  bool take(std::vector<std::string>& paths, const FleetOptions& options, const Choice& choice);
  bool take(std::vector<std::string>& paths, const FleetOptions& options) {
    return take(paths, options, {});
  }

  bool has_any() const { return !readers_.empty(); }
  // Reports what was found out meanwhile. False if one of them cannot go on.
  bool check();
  // What the reports mean.
  int exit_code() const { return exit_code_; }

 private:
  void report(const fleet::ReaderLine& line);

  std::vector<std::unique_ptr<fleet::ReaderProcess>> readers_;
  int exit_code_ = 0;
};

}  // namespace ringside::tool
