#pragma once
// Strings that a sequence of a Perfetto trace sends once and then refers to by number.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ringside::tool::perfetto {

enum class Kind : std::uint8_t {
  kCategory,
  kEventName,
  kAnnotationName,
  kSourceLocation,
  kStringValue,
  kLogBody,
  kCount
};

std::string_view name_of(Kind kind);

// The fact of a record in an annotation whose name begins with "ringside." (perfetto_writer).
enum class OwnFact : std::uint8_t {
  kNone,
  // Of the statement.
  kLevel,
  kKind,
  kKeywords,
  kName,
  kFormat,
  kStyle,
  // Of the record.
  kSequence,
  kActivity,
  kRelated,
  kSubstream,
  kStack,
  kProcessor,
  kCut,
  kMessage,
  // Of a loss.
  kCount,
  kCause,
  kSince,
};

OwnFact own_fact(std::string_view annotation_name);

struct InternedEntry {
  std::string text;  // of a source location: its file
  std::string function;
  std::uint32_t line = 0;
  OwnFact fact = OwnFact::kNone;  // of annotation names
};

// Reads the fields of a SourceLocation, which is an entry too. False if it is invalid.
bool read_entry(std::string_view message, std::uint64_t& number, InternedEntry& entry);

// Not thread-safe.
class InternedEntries {
 public:
  enum class Added : std::uint8_t {
    kNew,
    kChanged,  // a number had another text before
    kTooMany,  // `bytes_left` was not enough
    kUnsound,
  };

  // Takes an InternedData message. `bytes_left`: what all sequences together may still store.
  Added add(std::string_view interned_data, std::uint64_t& bytes_left);

  // Null: there is none.
  const InternedEntry* find(Kind kind, std::uint64_t number) const {
    const Table& table = tables_[static_cast<std::size_t>(kind)];
    if (number < table.small.size() && table.small[number] != nullptr) [[likely]]
      return table.small[number];
    const auto found = table.entries.find(number);
    return found == table.entries.end() ? nullptr : &found->second;
  }

  void clear(std::uint64_t& bytes_left);

 private:
  struct Table {
    std::unordered_map<std::uint64_t, InternedEntry> entries;
    std::vector<const InternedEntry*> small;  // by number; null: look in entries
  };
  std::array<Table, static_cast<std::size_t>(Kind::kCount)> tables_;
  std::uint64_t bytes_ = 0;
};

}  // namespace ringside::tool::perfetto
