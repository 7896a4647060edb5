#pragma once
// What ringstat tells, as lines of text: for --once, and as the rows of its screens.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/segment_watch.hpp"

namespace ringside::tool {

enum class Tone : std::uint8_t { kPlain, kGood, kWarning, kBad, kFaint };

// One cell of a table; numbers stand to the right.
struct StatusCell {
  std::string text;
  Tone tone = Tone::kPlain;
  bool right = false;
};

struct StatusTable {
  std::vector<std::string_view> columns;
  std::vector<std::vector<StatusCell>> rows;  // as many cells as there are columns
  std::vector<std::size_t> dispensable;       // columns, in the order to leave them out by
  std::size_t elastic = SIZE_MAX;             // a column of names that may be cut, if there is one
  std::size_t rather_cut = 0;  // so many of `dispensable` go before names are cut to a stump
  std::string if_empty;        // what to say where there are no rows
};

// What a table is sorted by, most first; names from a to z.
enum class SortBy : std::uint8_t { kName, kRate, kFill, kLoss };

// `order`, if given, gets for each row the index of what it shows.
StatusTable service_table(const std::vector<ServiceView>& services, SortBy sort_by, bool unicode,
                          std::vector<std::size_t>* order);
StatusTable thread_table(const ServiceView& service, SortBy sort_by,
                         std::vector<std::size_t>* order);
StatusTable statement_table(const ServiceView& service, SortBy sort_by,
                            std::vector<std::size_t>* order);

// What an operator has to know first: who serves it, what is lost and why. A line each.
std::vector<StatusCell> service_remarks(const ServiceView& service);

// The rates of the latest looks, as many as `width` characters have room for. A line each; none
// before the second look.
std::vector<StatusCell> history_remarks(const ServiceView& service, std::size_t width,
                                        bool unicode);

// Characters that a terminal shows of UTF-8 text without control characters.
std::size_t text_columns(std::string_view text);

// As much of it as fits, with "~" for what is cut off.
std::string fitted(std::string_view text, std::size_t columns);

// Of each column; 0 for those that are left out for `width` characters to do.
std::vector<std::size_t> column_widths(const StatusTable& table, std::size_t width);

// In columns, the last one as long as it is.
std::string table_text(const StatusTable& table);

}  // namespace ringside::tool
