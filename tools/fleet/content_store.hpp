#pragma once
// The dictionaries that a shipper has sent, on its own disk: for a bucket that has lost them.

#include <optional>
#include <string>
#include <string_view>

#include "tools/fleet/message_queue.hpp"

namespace ringside::fleet {

// One file for each content, named for its hash. Not thread-safe.
class ContentStore {
 public:
  // Creates the directory, and removes what was not used for 30 days. Empty with `*why` if it
  // cannot be used.
  static std::optional<ContentStore> open(const std::string& directory, std::string* why);

  // `key`: hash_key() of the contents. A content that cannot be kept cannot be asked for later.
  void keep(std::string_view key, const Bytes& contents) const;
  // False if there is none with this key. Receivers check the contents: those of a list of pieces
  // do not have the hash of its key.
  bool find(std::string_view key, Bytes& contents) const;

 private:
  explicit ContentStore(std::string directory) : directory_(std::move(directory)) {}

  std::string directory_;
};

}  // namespace ringside::fleet
