#pragma once
// Which closed trace files are shipped from this host, by the marks of ringship.

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "consumerd/files/closed_files.hpp"

namespace ringside::consumer {

// Not thread-safe.
class ShippedFiles {
 public:
  using Complain = std::function<void(const std::string&)>;

  // `complain`: of marks that exist and cannot be read, each time.
  ShippedFiles(std::string output_dir, Complain complain)
      : output_dir_(std::move(output_dir)), complain_(std::move(complain)) {}

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
  const Complain complain_;
  std::map<std::string, std::map<std::uint32_t, Place>> places_;  // by stem and number of the name
  std::map<Uuid, std::uint32_t> next_files_;                      // of the marks that were read
};

}  // namespace ringside::consumer
