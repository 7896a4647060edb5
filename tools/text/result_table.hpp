#pragma once
// The result of a question, as text, JSON or CSV.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ringside::tool {

enum class TableFormat : std::uint8_t { kText, kJson, kCsv };

struct Cell {
  std::string text;
  bool is_number = false;  // text is a number in JSON's form

  static Cell of_text(std::string_view text) { return {std::string(text), false}; }
  static Cell of_count(std::uint64_t number) { return {std::to_string(number), true}; }
  // With at most six significant digits in text, otherwise so that it reads back equal; infinities
  // and NaN become strings, because JSON has no numbers for them.
  static Cell of_number(double number, TableFormat format);
};

// Facts are written before the table in text, beside it in JSON, and omitted in CSV. Texts may be
// any bytes: on a terminal they have no effect, and JSON is valid UTF-8; in CSV that does not go to
// a terminal they are unchanged.
class ResultTable {
 public:
  void add_fact(std::string name, Cell value) {
    facts_.emplace_back(std::move(name), std::move(value));
  }
  void set_columns(std::vector<std::string> names) { columns_ = std::move(names); }
  void add_row(std::vector<Cell> cells) { rows_.push_back(std::move(cells)); }

  // In JSON, of rows and of facts of one name each; texts are bounded too. 0: all.
  void set_most_rows(std::size_t most) { most_rows_ = most; }

  std::string text(TableFormat format, bool for_terminal) const;

 private:
  std::string as_text() const;
  std::string as_json() const;
  std::string as_csv(bool for_terminal) const;

  std::vector<std::pair<std::string, Cell>> facts_;  // in JSON, equal names become an array
  std::vector<std::string> columns_;
  std::vector<std::vector<Cell>> rows_;
  std::size_t most_rows_ = 0;
};

}  // namespace ringside::tool
