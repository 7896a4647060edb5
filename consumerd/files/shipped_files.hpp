#pragma once
// Which closed trace files are shipped from this host, by the marks of ringship.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "consumerd/files/closed_files.hpp"

namespace ringside::consumer {

// Not thread-safe.
class ShippedFiles {
 public:
  explicit ShippedFiles(std::string output_dir) : output_dir_(std::move(output_dir)) {}

  // Reads marks again. `files` that no longer exist are forgotten.
  void look_again(const std::set<std::string>& stems);

  // Whether the file is shipped as a whole. A mark that is missing or invalid ships nothing.
  bool has(const ClosedFile& file);

 private:
  using Uuid = std::array<std::uint8_t, 16>;
  struct Place {
    Uuid uuid{};
    std::uint32_t file_sequence = 0;
  };

  std::optional<Place> place_of(const ClosedFile& file);
  std::uint32_t next_file(const Uuid& uuid);

  const std::string output_dir_;
  std::map<std::string, std::map<std::uint32_t, Place>> places_;  // by stem and number of the name
  std::map<Uuid, std::uint32_t> next_files_;                      // of the marks that were read
};

}  // namespace ringside::consumer
