#pragma once
// The statements of trace files, executed or not, with the number of their records.

#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "shm-layout/level.hpp"
#include "tools/query/statement_collection.hpp"
#include "trace-format/blocks/read_report.hpp"
#include "trace-format/codec/site_table.hpp"
#include "trace-format/query/scope.hpp"
#include "trace-format/reader/collection_history.hpp"
#include "trace-format/reader/trace_event.hpp"

namespace ringside::tool {

struct ListedField {
  std::string name;
  std::string_view type;  // "i32", "string[]"

  auto operator<=>(const ListedField&) const = default;  // NOLINT(modernize-use-nullptr)
};

// A statement as a person sees it in the source: one place, level and text, however often the
// compiler copied it (a header in several source files, instances of a template), in however many
// processes and files.
struct SourceStatement {
  std::string service;
  std::string file;  // without "..", as far as the path alone permits
  std::uint32_t line = 0;
  shm::Level level = shm::Level::kNone;
  std::string name;
  std::string category;
  std::string format;

  auto operator<=>(const SourceStatement&) const = default;  // NOLINT(modernize-use-nullptr)
};

// The copies with the same fields: all of them, unless the types of a template differ.
struct StatementVariant {
  std::set<std::uint32_t> ids;
  std::uint64_t records = 0;
};

struct CountedStatement {
  std::string function;  // of the first copy, like `keywords` and `style`
  std::uint64_t keywords = 0;
  std::uint8_t style = 0;  // shm::FormatStyle
  std::map<std::vector<ListedField>, StatementVariant> variants;
  StatementCollection collection;

  std::set<std::uint32_t> ids() const;
  std::uint64_t records() const;
  // "id i32, price f64": the types of variants with the same names are joined by |, other variants
  // by "or".
  std::string fields_text() const;
};

// Not thread-safe. Memory is bounded by the dictionaries.
class StatementCounts {
 public:
  // `history`: of the same files, to tell whether statements were collected; it must outlive this.
  // Null: unknown.
  explicit StatementCounts(const trace::CollectionHistory* history = nullptr) : history_(history) {}

  // Adds the statements of `file` that `scope` wants, and their records. False with `*error` if
  // the file cannot be read or is not a trace.
  bool add(const std::string& file, const trace::query::Scope& scope, trace::ReadError* error);

  const std::map<SourceStatement, CountedStatement>& statements() const { return statements_; }
  const trace::ReadReport& report() const { return report_; }

 private:
  StatementVariant& variant_of(const trace::Site& site, const trace::SegmentInfo& segment);

  const trace::CollectionHistory* history_;
  std::map<SourceStatement, CountedStatement> statements_;
  trace::ReadReport report_;
};

}  // namespace ringside::tool
