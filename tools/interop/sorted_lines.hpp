#pragma once
// Sorts any number of lines by a number.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tools/files/output_file.hpp"

namespace ringside::tool {

// Lines with equal keys keep their order. Keeps up to about 64 MiB in memory. Sorts more lines in
// runs of that size, in an unnamed file in $TMPDIR or /tmp, and merges them. Not thread-safe.
class SortedLines {
 public:
  void add(std::uint64_t key, std::string_view line) {
    entries_.push_back({key, text_.size(), line.size()});
    text_ += line;
    if (text_.size() + entries_.size() * sizeof(Entry) >= kMostBytes) spill();
  }

  using Sink = std::function<void(std::string_view line)>;
  // Gives all lines, once. False with `*error` if the file failed.
  bool give(const Sink& sink, std::string* error);

  // How much is kept in memory; public for tests.
  static constexpr std::size_t kMostBytes = std::size_t{64} << 20;

 private:
  struct Entry {
    std::uint64_t key;
    std::size_t at;  // in text_
    std::size_t bytes;
  };
  struct Run {
    std::uint64_t begin;  // in the file
    std::uint64_t end;
  };
  class RunReader;

  void sort();
  void spill();
  bool merge(const Sink& sink, std::string* error);

  std::vector<Entry> entries_;
  std::string text_;
  std::unique_ptr<OutputFile> file_;
  std::vector<Run> runs_;
  std::string failure_;
};

}  // namespace ringside::tool
