#pragma once
// Rows of all tables in memory, and the blocks that are inserted.

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>

#include "tools/fleet/clickhouse_tables.hpp"
#include "tools/fleet/native_columns.hpp"

namespace ringside::fleet {

using TimeColumn = NumberColumn<std::uint64_t>;  // ns since 1970

struct RecordColumns {
  std::size_t rows = 0;
  TimeColumn time;
  NameColumn tenant;
  NameColumn service;
  NameColumn host;
  NumberColumn<std::uint32_t> pid;
  NumberColumn<std::uint32_t> thread_id;
  NameColumn thread;
  NumberColumn<UuidBytes> segment;
  NumberColumn<std::uint64_t> stream;
  NumberColumn<std::uint64_t> sequence;
  NumberColumn<std::uint64_t> extent;  // sequence number of the first record of its extent
  NumberColumn<std::uint8_t> level;
  NumberColumn<std::uint8_t> kind;
  NumberColumn<std::uint64_t> statement;
  NameColumn name;
  NameColumn file;
  NumberColumn<std::uint32_t> line;
  TextColumn message;
  TextColumn fields;
  OptionalNumberColumn duration_ns;
  NumberColumn<std::uint64_t> substream;
  NumberColumn<UuidBytes> activity;
  NumberColumn<UuidBytes> related;
  NumberColumn<std::uint8_t> cut;

  // All but the time, in the order of columns_of().
  auto columns() {
    return std::tie(tenant, service, host, pid, thread_id, thread, segment, stream, sequence,
                    extent, level, kind, statement, name, file, line, message, fields, duration_ns,
                    substream, activity, related, cut);
  }
};

enum class LossOrigin : std::uint8_t { kStream = 1, kProcess = 2, kStatement = 3 };

struct LossColumns {
  std::size_t rows = 0;
  TimeColumn time;
  NameColumn tenant;
  NameColumn service;
  NameColumn host;
  NumberColumn<std::uint32_t> pid;
  NumberColumn<std::uint32_t> thread_id;
  NameColumn thread;
  NumberColumn<UuidBytes> segment;
  NumberColumn<std::uint64_t> stream;
  NumberColumn<std::uint64_t> sequence;
  NumberColumn<std::uint64_t> lost;
  NameColumn cause;
  NumberColumn<std::uint8_t> origin;
  NumberColumn<std::uint64_t> statement;

  auto columns() {
    return std::tie(tenant, service, host, pid, thread_id, thread, segment, stream, sequence, lost,
                    cause, origin, statement);
  }
};

// Which sequence numbers are accounted for.
struct ExtentColumns {
  std::size_t rows = 0;
  TimeColumn time;
  NameColumn tenant;
  NameColumn service;
  NameColumn host;
  NumberColumn<UuidBytes> segment;
  NumberColumn<std::uint64_t> stream;
  NumberColumn<std::uint64_t> first;
  NumberColumn<std::uint64_t> next;
  NumberColumn<std::uint64_t> records;
  NumberColumn<std::uint8_t> subset;
  NumberColumn<std::uint8_t> snapshot;

  auto columns() {
    return std::tie(tenant, service, host, segment, stream, first, next, records, subset, snapshot);
  }
};

struct StatementColumns {
  std::size_t rows = 0;
  NumberColumn<std::uint64_t> statement;
  NumberColumn<std::uint8_t> kind;
  NumberColumn<std::uint8_t> level;
  NameColumn category;
  TextColumn name;
  NumberColumn<std::uint64_t> keywords;
  NameColumn file;
  NumberColumn<std::uint32_t> line;
  NameColumn function;
  TextColumn format;
  TextColumn arguments;

  auto columns() {
    return std::tie(statement, kind, level, category, name, keywords, file, line, function, format,
                    arguments);
  }
};

// Not thread-safe. Keeps its memory when it is cleared.
class RowBatch {
 public:
  RecordColumns records;
  LossColumns losses;
  ExtentColumns extents;
  StatementColumns statements;

  // Changes with clear() and roll_back(): who remembers what the batch has must forget it then.
  std::uint64_t generation() const { return generation_; }
  void clear();
  // roll_back() removes the rows that were added after mark().
  void mark();
  void roll_back();

  bool is_empty() const;
  std::size_t rows(ClickHouseTable table) const;
  std::size_t bytes();  // about; costs a visit of all columns
  // Refers to the batch.
  NativeBlock block(ClickHouseTable table, ClickHouseDialect dialect);

 private:
  struct Rows {
    std::size_t records = 0;
    std::size_t losses = 0;
    std::size_t extents = 0;
    std::size_t statements = 0;
  };

  // Of all batches: 0 is of none.
  static std::uint64_t next_generation();

  std::uint64_t generation_ = next_generation();
  Rows marked_;
};

}  // namespace ringside::fleet
