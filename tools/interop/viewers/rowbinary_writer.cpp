#include "tools/interop/viewers/rowbinary_writer.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "tools/interop/event_facts.hpp"
#include "tools/interop/per_site.hpp"
#include "tools/interop/perfetto/protobuf_encoding.hpp"
#include "tools/interop/uncarried_facts.hpp"
#include "trace-format/condition/site_message.hpp"
#include "trace-format/lines/field_keys.hpp"
#include "trace-format/lines/json_text.hpp"
#include "trace-format/lines/json_value.hpp"
#include "trace-format/lines/loss_text.hpp"

namespace ringside::tool {
namespace rowbinary {
namespace {

using trace::TextSink;

// Version 18 has neither times finer than seconds nor types before rows. It treats LowCardinality
// as an experimental feature that must be enabled first.
enum class Dialect { kCurrent, k18 };

struct Column {
  std::string_view name;
  std::string_view type;
};

constexpr Column kTimes[] = {{"time", "DateTime64(9, 'UTC')"}};
constexpr Column kTimesOf18[] = {{"time", "DateTime('UTC')"}, {"time_ns", "UInt64"}};

// The columns after the times of a row, in this order.
constexpr Column kColumns[] = {
    {"service", "LowCardinality(String)"},
    {"pid", "UInt32"},
    {"host", "LowCardinality(String)"},
    {"thread_id", "UInt32"},
    {"thread", "LowCardinality(String)"},
    {"segment", "UUID"},
    {"stream", "UInt64"},
    {"sequence", "UInt64"},
    {"lost", "UInt64"},
    {"cause", "LowCardinality(String)"},
    {"kind", "LowCardinality(String)"},
    {"level", "LowCardinality(String)"},
    {"category", "LowCardinality(String)"},
    {"name", "LowCardinality(String)"},
    {"keywords", "UInt64"},
    {"file", "LowCardinality(String)"},
    {"line", "UInt32"},
    {"function", "LowCardinality(String)"},
    {"message", "String"},
    {"fields", "String"},
    {"duration_ns", "Nullable(UInt64)"},
    {"substream", "Nullable(UInt64)"},
    {"activity", "Nullable(UUID)"},
    {"related", "Nullable(UUID)"},
    {"stack_id", "Nullable(UInt32)"},
    {"cut", "Bool"},
};

std::vector<Column> columns_of(Dialect dialect) {
  std::vector<Column> columns;
  if (dialect == Dialect::kCurrent) {
    columns.assign(std::begin(kTimes), std::end(kTimes));
  } else {
    columns.assign(std::begin(kTimesOf18), std::end(kTimesOf18));
  }
  columns.insert(columns.end(), std::begin(kColumns), std::end(kColumns));
  if (dialect == Dialect::kCurrent) return columns;
  for (Column& column : columns) {
    if (column.type == "LowCardinality(String)") column.type = "String";
    if (column.type == "Bool") column.type = "UInt8";
  }
  return columns;
}

template <class Number>
void put(TextSink& out, Number number) {
  char* const at = out.reserve(sizeof number);
  std::memcpy(at, &number, sizeof number);
  out.commit(at + sizeof number);
}

// Lengths are LEB128, as in Protocol Buffers.
void put_text(TextSink& out, std::string_view text) {
  protobuf::put_varint(out, text.size());
  out.write(text);
}

template <class Number>
void put_nullable(TextSink& out, bool has, Number number) {
  out.put(has ? '\0' : '\1');
  if (has) put(out, number);
}

// Two little-endian halves, the half with the first digits first.
void put_uuid(TextSink& out, const std::array<std::uint8_t, 16>& id) {
  char* const at = out.reserve(16);
  for (std::size_t i = 0; i < 16; ++i) at[i] = static_cast<char>(id[i < 8 ? 7 - i : 23 - i]);
  out.commit(at + 16);
}

void put_nullable_uuid(TextSink& out, bool has, const std::array<std::uint8_t, 16>& id) {
  out.put(has ? '\0' : '\1');
  if (has) put_uuid(out, id);
}

struct SiteFacts {
  std::string columns;  // from lost to function
  std::vector<std::string> keys;
  trace::SiteMessage message;
};

class Writer final : public TraceWriter {
 public:
  Writer(Dialect dialect, OutputBytes& output, ConversionReport& report)
      : dialect_(dialect), output_(output), uncarried_(report, {Fact::kProcessor}) {
    if (dialect == Dialect::k18) return;
    const std::vector<Column> columns = columns_of(dialect);
    protobuf::put_varint(row_, columns.size());
    for (const Column& column : columns) put_text(row_, column.name);
    for (const Column& column : columns) put_text(row_, column.type);
    output_.put(row_.text());
  }

  void add(const trace::Event& event) override {
    if (event.kind == trace::EventKind::kSiteLoss) return;
    row_.clear();
    put_origin(event);
    if (event.kind == trace::EventKind::kLoss) {
      put_loss(event);
    } else {
      uncarried_.look(event);
      put_record(event);
    }
    output_.put(row_.text());
  }

  void end() override { uncarried_.tell(); }

 private:
  void put_origin(const trace::Event& event) {
    put_time(event.unix_ns);
    put_text(row_, event.segment->service);
    put(row_, event.segment->pid);
    put_text(row_, event.segment->host);
    put(row_, event.stream == nullptr ? 0U : event.stream->thread_id);
    put_text(row_, event.stream == nullptr ? std::string_view()
                                           : std::string_view(event.stream->thread_name));
    put_uuid(row_, event.segment->uuid);
    put(row_, event.stream == nullptr ? std::uint64_t{0} : event.stream->id);
    put(row_, event.record.sequence);
  }

  void put_time(std::uint64_t unix_ns) {
    if (unix_ns > INT64_MAX) uncarried_.count(Fact::kRange);
    if (dialect_ == Dialect::kCurrent) {
      return put(row_, std::min<std::uint64_t>(unix_ns, INT64_MAX));
    }
    constexpr std::uint64_t kNsPerSecond = 1'000'000'000;
    put(row_,
        static_cast<std::uint32_t>(std::min<std::uint64_t>(unix_ns / kNsPerSecond, UINT32_MAX)));
    put(row_, unix_ns);
  }

  void put_loss(const trace::Event& event) {
    put(row_, event.lost);
    put_text(row_, trace::loss_cause_token(event.cause));
    put_text(row_, "loss");
    put_text(row_, "LOST");
    put_text(row_, {});
    put_text(row_, {});
    put(row_, std::uint64_t{0});
    put_text(row_, {});
    put(row_, std::uint32_t{0});
    put_text(row_, {});
    put_text(row_, trace::loss_text(event));
    put_text(row_, "{}");
    for (int nullable = 0; nullable < 5; ++nullable) row_.put('\1');
    row_.put('\0');
  }

  void put_record(const trace::Event& event) {
    if (sites_.is_full()) sites_.clear();
    const SiteFacts& site = sites_.of(event, facts_of);
    const trace::Record& record = event.record;
    row_.write(site.columns);
    text_.clear();
    site.message.append(text_, record.args);
    put_text(row_, text_.text());
    put_fields(event, site);
    const auto has = [&record](std::uint32_t flag) { return (record.ext_flags & flag) != 0; };
    const bool is_timed = has_duration(event);
    put_nullable(row_, is_timed, is_timed ? duration_ns(event) : 0);
    put_nullable(row_, has(shm::kExtSubstream), record.substream);
    put_nullable_uuid(row_, has(shm::kExtActivity), record.activity);
    put_nullable_uuid(row_, has(shm::kExtRelatedActivity), record.related);
    put_nullable(row_, has(shm::kExtStack), record.stack_id);
    row_.put(record.cut ? '\1' : '\0');
  }

  void put_fields(const trace::Event& event, const SiteFacts& site) {
    uncarried_.look_at_texts(event);
    text_.clear();
    text_.put('{');
    for (std::size_t i = 0; i < site.keys.size() && i < event.record.args.size(); ++i) {
      if (i != 0) text_.put(',');
      text_.write(site.keys[i]);
      trace::append_json_value(text_, event.record.args[i]);
    }
    text_.put('}');
    put_text(row_, text_.text());
  }

  static SiteFacts facts_of(const trace::Site& site) {
    SiteFacts facts{.columns = {}, .keys = {}, .message = trace::SiteMessage(site)};
    TextSink out;
    put(out, std::uint64_t{0});
    put_text(out, {});
    put_text(out, kind_name(site.kind));
    put_text(out, shm::level_name(site.level));
    put_text(out, site.category);
    put_text(out, site.name);
    put(out, site.keywords);
    put_text(out, site.file);
    put(out, site.line);
    put_text(out, site.function);
    facts.columns = out.text();
    for (const std::string& key : trace::field_keys(site, trace::json_text)) {
      facts.keys.push_back('"' + key + "\":");
    }
    return facts;
  }

  Dialect dialect_;
  OutputBytes& output_;
  UncarriedFacts uncarried_;
  PerSite<SiteFacts> sites_;
  TextSink row_;
  TextSink text_;
};

class SchemaWriter final : public TraceWriter {
 public:
  SchemaWriter(Dialect dialect, OutputBytes& output) : dialect_(dialect), output_(output) {}

  void add(const trace::Event&) override {}

  void end() override {
    output_.put("CREATE TABLE IF NOT EXISTS ringside\n(\n");
    const std::vector<Column> columns = columns_of(dialect_);
    for (const Column& column : columns) {
      output_.put(fmt::format("    `{}` {}{}\n", column.name, column.type,
                              &column == &columns.back() ? "" : ","));
    }
    // Partitions by day would make the insertion of a trace of a few months fail: ClickHouse
    // accepts 100 partitions at once. Segment, stream and sequence identify a record of any host;
    // losses without a stream differ by cause.
    output_.put(fmt::format(
        ")\nENGINE = MergeTree\nPARTITION BY toYYYYMM(time)\n"
        "ORDER BY (service, time, {}segment, stream, sequence, cause){}\n",
        dialect_ == Dialect::k18 ? "time_ns, " : "", dialect_ == Dialect::k18 ? "" : ";"));
  }

 private:
  Dialect dialect_;
  OutputBytes& output_;
};

}  // namespace
}  // namespace rowbinary

std::unique_ptr<TraceWriter> write_rowbinary(OutputBytes& output, ConversionReport& report) {
  return std::make_unique<rowbinary::Writer>(rowbinary::Dialect::kCurrent, output, report);
}

std::unique_ptr<TraceWriter> write_rowbinary_18(OutputBytes& output, ConversionReport& report) {
  return std::make_unique<rowbinary::Writer>(rowbinary::Dialect::k18, output, report);
}

std::unique_ptr<TraceWriter> write_rowbinary_schema(OutputBytes& output, ConversionReport&) {
  return std::make_unique<rowbinary::SchemaWriter>(rowbinary::Dialect::kCurrent, output);
}

std::unique_ptr<TraceWriter> write_rowbinary_schema_18(OutputBytes& output, ConversionReport&) {
  return std::make_unique<rowbinary::SchemaWriter>(rowbinary::Dialect::k18, output);
}

}  // namespace ringside::tool
