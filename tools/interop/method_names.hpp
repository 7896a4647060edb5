#pragma once
// Finds the method that contains the address of a frame.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ringside::tool {

// The code of one process. Methods are added in order of time; of two at the same address the later
// one wins. Not thread-safe.
class MethodNames {
 public:
  // Memory is bounded: add() rejects methods beyond these limits.
  static constexpr std::size_t kMostMethods = 4'000'000;
  static constexpr std::size_t kMostNameBytes = std::size_t{512} << 20;

  struct Method {
    std::uint64_t id = 0;
    std::uint64_t module = 0;
    std::uint64_t start = 0;
    std::uint64_t bytes = 0;
  };

  // An empty `name` is replaced by the name that add_name() gives to the id. False: there are too
  // many.
  bool add(const Method& method, std::string_view type, std::string_view name);
  bool add_name(std::uint64_t id, std::string_view type, std::string_view name);
  bool add_module(std::uint64_t id, std::string_view path);
  // The first address of code whose size is unknown; 0 is ignored. Its name is that of the id.
  bool add_entry(std::uint64_t id, std::uint64_t address);

  // Called after all are added.
  void finish();

  // "module!Namespace.Type.Method", without the module if that is unknown; empty if there is no
  // method.
  std::string name_at(std::uint64_t address) const;

  // For an address in no method: "~Namespace.Type.Method", the name of the last entry before it, if
  // it is at most kMostEntryBytes away and no method begins between the two. Probable, not certain:
  // code without an entry can begin there.
  static constexpr std::uint64_t kMostEntryBytes = 1024;
  std::string name_of_entry_before(std::uint64_t address) const;

 private:
  static constexpr std::uint32_t kNoName = UINT32_MAX;
  static constexpr std::size_t kNameUnit = 8;

  struct Range {
    std::uint64_t start;
    std::uint64_t end;
    std::uint64_t module;
    std::uint32_t name;   // offset in names_, in units of kNameUnit bytes
    std::uint32_t order;  // position in the order of adding
  };
  struct Entry {
    std::uint64_t address;
    std::uint64_t id;
    std::uint32_t name;  // set by finish()
  };
  struct Unnamed {
    std::uint64_t id;
    std::size_t range;
  };

  // The offset of `type.name`; kNoName if there is no room.
  std::uint32_t put_name(std::string_view type, std::string_view name);
  const char* text_at(std::uint32_t name) const {
    return names_.c_str() + std::size_t{name} * kNameUnit;
  }
  // The last range that begins at or before the address; null if there is none.
  const Range* last_range_at(std::uint64_t address) const;

  std::vector<Range> ranges_;   // after finish(): sorted, and none overlaps another
  std::vector<Entry> entries_;  // after finish(): sorted, one for each address
  std::vector<Unnamed> unnamed_;
  std::string names_;  // each ends with a null character
  std::unordered_map<std::uint64_t, std::uint32_t> names_by_id_;
  std::unordered_map<std::uint64_t, std::string> modules_;
};

// By the identity of a process.
using MethodsByProcess = std::map<std::array<std::uint8_t, 16>, MethodNames>;

}  // namespace ringside::tool
