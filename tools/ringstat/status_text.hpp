#pragma once
// The output of ringstat as lines of text: for --once, and as the rows of its screens.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/ringstat/segment_watch.hpp"

namespace ringside::tool {

enum class Tone : std::uint8_t { kPlain, kGood, kWarning, kBad, kFaint };

// One cell of a table; numbers are aligned to the right.
struct StatusCell {
  std::string text;
  Tone tone = Tone::kPlain;
  bool right = false;
};

struct StatusTable {
  std::vector<std::string_view> columns;
  std::vector<std::vector<StatusCell>> rows;  // one cell per column
  std::vector<std::size_t> dispensable;       // columns, in the order in which to omit them
  std::size_t elastic = SIZE_MAX;             // a column of names that may be cut, if there is one
  std::size_t rather_cut =
      0;                 // this many of `dispensable` are omitted before names are cut very short
  std::string if_empty;  // shown if there are no rows
};

// The sort key of a table, highest first; names from a to z.
enum class SortBy : std::uint8_t { kName, kRate, kFill, kLoss };

// `order`, if given, gets for each row the index of the item that it shows.
StatusTable service_table(const std::vector<ServiceView>& services, SortBy sort_by, bool unicode,
                          std::vector<std::size_t>* order);
StatusTable thread_table(const ServiceView& service, SortBy sort_by,
                         std::vector<std::size_t>* order);
// With the columns COUNTED and SUPPRESSED if there is any to show.
StatusTable statement_table(const ServiceView& service, SortBy sort_by,
                            std::vector<std::size_t>* order);

// What an operator must know first: the consumer's health, losses and their causes. One line each.
std::vector<StatusCell> service_remarks(const ServiceView& service);

// The most recent rates, as many as `width` characters have room for. One line each; none before
// the second sample.
std::vector<StatusCell> history_remarks(const ServiceView& service, std::size_t width,
                                        bool unicode);

// Number of characters that a terminal shows for UTF-8 text without control characters.
std::size_t text_columns(std::string_view text);

// The part of it that fits, with "~" in place of the rest.
std::string fitted(std::string_view text, std::size_t columns);

// The width of each column; 0 for those that are omitted to fit into `width` characters.
std::vector<std::size_t> column_widths(const StatusTable& table, std::size_t width);

// Aligned in columns; the last column has any length.
std::string table_text(const StatusTable& table);

}  // namespace ringside::tool
