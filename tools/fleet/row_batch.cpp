#include "tools/fleet/row_batch.hpp"

#include <atomic>

namespace ringside::fleet {
namespace {

template <class Table, class Visit>
void for_each_column(Table& table, Visit&& visit) {
  std::apply([&visit](auto&... columns) { (visit(columns), ...); }, table.columns());
  if constexpr (requires { table.time; }) visit(table.time);
}

template <class Visit>
void for_each_table(RowBatch& batch, Visit&& visit) {
  visit(batch.records);
  visit(batch.losses);
  visit(batch.extents);
  visit(batch.statements);
}

template <class Table>
NativeBlock block_of(Table& table, std::span<const ClickHouseColumn> columns,
                     ClickHouseDialect dialect) {
  constexpr bool kHasTime = requires {
    table.time;
  };
  NativeBlock block(columns.size() + (kHasTime ? 1 : 0), table.rows);
  if constexpr (kHasTime) {
    const ClickHouseColumn time = time_column(dialect);
    block.add(time.name, time.type, table.time);
  }
  std::size_t place = 0;
  std::apply(
      [&](const auto&... column) {
        const auto add = [&](const auto& one) {
          const ClickHouseColumn& definition = columns[place++];
          block.add(definition.name, definition.type_in(dialect), one);
        };
        (add(column), ...);
      },
      table.columns());
  return block;
}

}  // namespace

std::uint64_t RowBatch::next_generation() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

void RowBatch::clear() {
  generation_ = next_generation();
  marked_ = {};
  for_each_table(*this, [](auto& table) {
    table.rows = 0;
    for_each_column(table, [](auto& column) { column.clear(); });
  });
}

void RowBatch::mark() {
  marked_ = {records.rows, losses.rows, extents.rows, statements.rows};
  for_each_table(*this,
                 [](auto& table) { for_each_column(table, [](auto& column) { column.mark(); }); });
}

void RowBatch::roll_back() {
  generation_ = next_generation();
  records.rows = marked_.records;
  losses.rows = marked_.losses;
  extents.rows = marked_.extents;
  statements.rows = marked_.statements;
  for_each_table(
      *this, [](auto& table) { for_each_column(table, [](auto& column) { column.roll_back(); }); });
}

std::size_t RowBatch::rows(ClickHouseTable table) const {
  switch (table) {
    case ClickHouseTable::kRecords:
      return records.rows;
    case ClickHouseTable::kLosses:
      return losses.rows;
    case ClickHouseTable::kExtents:
      return extents.rows;
    case ClickHouseTable::kStatements:
      break;
  }
  return statements.rows;
}

bool RowBatch::is_empty() const {
  return records.rows + losses.rows + extents.rows + statements.rows == 0;
}

std::size_t RowBatch::bytes() {
  std::size_t sum = 0;
  for_each_table(*this, [&sum](auto& table) {
    for_each_column(table, [&sum](const auto& column) { sum += column.bytes(); });
  });
  return sum;
}

NativeBlock RowBatch::block(ClickHouseTable table, ClickHouseDialect dialect) {
  const auto columns = columns_of(table);
  switch (table) {
    case ClickHouseTable::kRecords:
      return block_of(records, columns, dialect);
    case ClickHouseTable::kLosses:
      return block_of(losses, columns, dialect);
    case ClickHouseTable::kExtents:
      return block_of(extents, columns, dialect);
    case ClickHouseTable::kStatements:
      break;
  }
  return block_of(statements, columns, dialect);
}

}  // namespace ringside::fleet
