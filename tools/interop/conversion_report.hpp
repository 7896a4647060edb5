#pragma once
// What a conversion could not carry, counted by kind.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tools/interop/include/ringside-interop/diagnostic.hpp"

namespace ringside::tool {

class ConversionReport {
 public:
  // `kind` completes "N records: ..." and names what is lost or changed, such as "times before 1970
  // became 0" or "activity ids are left out: folded stacks have no place for them".
  void lost(std::string_view kind, std::uint64_t records = 1) {
    const auto found = counts_.find(kind);
    if (found != counts_.end()) {
      found->second += records;
    } else {
      counts_.emplace(kind, records);
    }
  }

  // A sentence about the whole conversion.
  void note(std::string_view text) { notes_.emplace_back(text); }

  bool empty() const { return counts_.empty() && notes_.empty(); }
  std::uint64_t count(std::string_view kind) const {
    const auto found = counts_.find(kind);
    return found == counts_.end() ? 0 : found->second;
  }

  // One for each kind, with its number of records; then the notes.
  std::vector<interop::Diagnostic> diagnostics() const {
    std::vector<interop::Diagnostic> all;
    for (const auto& [kind, records] : counts_) {
      all.push_back({interop::Severity::kNote, kind, records});
    }
    for (const std::string& sentence : notes_) {
      all.push_back({interop::Severity::kNote, sentence});
    }
    return all;
  }

 private:
  std::vector<std::string> notes_;
  std::map<std::string, std::uint64_t, std::less<>> counts_;
};

}  // namespace ringside::tool
