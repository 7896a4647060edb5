// Converts objects, one per line, to Ringside traces: those that ringcat writes, and log records of
// other loggers.

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "shm-layout/record_head.hpp"
#include "tools/interop/json/json_facts.hpp"
#include "tools/interop/json/json_sources.hpp"
#include "tools/interop/json/json_statements.hpp"
#include "tools/interop/json/ndjson_format.hpp"
#include "tools/interop/json/ndjson_lines.hpp"
#include "tools/interop/json/ndjson_log_facts.hpp"
#include "trace-format/reader/record_property.hpp"

namespace ringside::tool {
namespace ndjson {
namespace {

// Removes the fields that ringcat appends to a message: " name=value name=value".
std::string_view message_before(std::string_view message, std::string_view first_field) {
  const std::string mark = fmt::format(" {}=", first_field);
  return message.substr(0, std::min(message.find(mark), message.size()));
}

class Import {
 public:
  Import(InputBytes& input, TraceBuilder& builder, ConversionReport& report)
      : lines_(input),
        builder_(builder),
        report_(report),
        sources_(builder, report),
        statements_(builder, report, "ndjson") {}

  ReadOutcome run() {
    bool any = false;
    for (; lines_.next(); any = true) {
      if (!take_own()) take_log();
    }
    if (lines_.why().empty()) return {};
    return any ? ReadOutcome::damaged(lines_.offset(), lines_.why())
               : ReadOutcome::refused(lines_.offset(), lines_.why());
  }

 private:
  const JsonTree& tree() const { return lines_.tree(); }

  struct Origin {
    std::string_view service = "ndjson";
    std::string_view host;
    const JsonNode* pid = nullptr;
    std::string_view thread;
    std::uint32_t thread_id = 0;
    std::string_view thread_name;
  };

  static std::uint32_t number_of(const JsonNode* node) {
    return node != nullptr && node->kind == JsonKind::kUnsigned && node->low <= UINT32_MAX
               ? static_cast<std::uint32_t>(node->low)
               : 0;
  }

  std::uint32_t stream_of(const Origin& origin, std::uint64_t unix_ns) {
    key_.assign(origin.service);
    key_ += '\0';
    key_ += origin.host;
    key_ += '\0';
    if (origin.pid != nullptr) key_ += origin.pid->text;
    std::uint32_t process = last_process_;
    if (!has_process_ || key_ != last_key_) {
      ProcessDefinition definition;
      definition.pid = number_of(origin.pid);
      definition.start_unix_ns = unix_ns;
      definition.service = origin.service;
      definition.host = origin.host;
      process = sources_.process(key_, definition);
      last_key_ = key_;
      last_process_ = process;
      has_process_ = true;
    }
    // Threads without a number are identified by name.
    return sources_.thread(process, origin.thread_id == 0 ? origin.thread_name : origin.thread,
                           origin.thread_id, origin.thread_name);
  }

  void take_thread(const JsonNode& node, Origin& origin) {
    const auto index = static_cast<std::uint32_t>(&node - tree().nodes().data());
    if (node.kind != JsonKind::kObject) return;
    tree().for_each_in(index, [&](std::uint32_t i) {
      const JsonNode& member = tree().nodes()[i];
      if (member.key == "id") {
        origin.thread = member.text;
        origin.thread_id = number_of(&member);
      }
      if (member.key == "name" && member.is_text()) origin.thread_name = member.text;
    });
  }

  // Reads what `ringcat --to ndjson` writes. False if the object has another form.
  bool take_own() {
    bool is_record = false;
    bool is_loss = false;
    std::optional<std::uint64_t> unix_ns;
    std::optional<std::uint32_t> fields;
    std::uint64_t count = 0;
    std::string_view message;
    shm::LossCause cause{};
    bool has_format = false;
    Origin origin;
    JsonFacts facts;
    facts.head.kind = shm::SiteKind::kLog;
    tree().for_each_in(0, [&](std::uint32_t i) {
      const JsonNode& node = tree().nodes()[i];
      const bool is_number = node.kind == JsonKind::kUnsigned;
      if (node.key == "kind") {
        is_record = node.text == "record";
        is_loss = node.text == "loss";
      } else if (node.key == "unix_ns" && is_number && node.low <= kLastUnixNs) {
        unix_ns = node.low;
      } else if (node.key == "service" && node.is_text()) {
        origin.service = node.text;
      } else if (node.key == "host" && node.is_text()) {
        origin.host = node.text;
      } else if (node.key == "pid") {
        origin.pid = &node;
      } else if (node.key == "thread") {
        take_thread(node, origin);
      } else if (node.key == "msg" && node.is_text()) {
        message = node.text;
      } else if (node.key == "fields" && node.kind == JsonKind::kObject) {
        fields = i;
      } else if (node.key == "site_kind" && node.is_text()) {
        facts.head.kind = site_kind_of(node.text);
      } else if (node.key == "count" && is_number) {
        count = node.low;
      } else if (node.key == "cause" && node.is_text()) {
        cause = loss_cause_of(node.text);
      } else {
        has_format = has_format || node.key == "format";
        facts.take(node);
      }
    });
    if (!unix_ns || !(is_loss ? count != 0 : is_record && fields)) return false;
    last_ns_ = *unix_ns;
    const std::uint32_t stream = stream_of(origin, *unix_ns);
    if (is_loss) {
      builder_.lost(stream, *unix_ns, count, cause);
      return true;
    }
    if (has_format) {
      if (facts.head.style == shm::FormatStyle::none) facts.head.style = shm::FormatStyle::printf;
    } else {
      facts.head.style = shm::FormatStyle::none;
      const bool is_empty = tree().nodes()[*fields].end == *fields + 1;
      facts.head.format =
          is_empty ? message : message_before(message, tree().nodes()[*fields + 1].key);
    }
    // It is one of the fields then.
    tree().for_each_in(*fields, [&](std::uint32_t i) {
      const auto is_name = [&](std::string_view name) { return tree().nodes()[i].key == name; };
      if (std::ranges::any_of(trace::kProcessorFields, is_name)) facts.extension.processor = 0;
    });
    begin_with_fields(record_, facts.head, tree(), std::span(&*fields, 1), {});
    statements_.add(stream, *unix_ns, record_, facts.extension);
    return true;
  }

  void take_log() {
    log_.look(tree());
    if (!log_.unix_ns) report_.lost("has no time: it got the time of the line before");
    last_ns_ = log_.unix_ns.value_or(last_ns_);
    const auto text_of = [](const JsonNode* node) {
      return node == nullptr ? std::string_view() : node->text;
    };
    Origin origin;
    if (log_.service != nullptr) origin.service = log_.service->text;
    origin.host = text_of(log_.host);
    origin.pid = log_.pid;
    origin.thread = text_of(log_.thread);
    origin.thread_id = number_of(log_.thread);
    origin.thread_name = log_.thread_name != nullptr ? log_.thread_name->text
                         : origin.thread_id == 0     ? origin.thread
                                                     : std::string_view();
    JsonHead head;
    trace::RecordExtension extension;
    head.kind = shm::SiteKind::kLog;
    if (log_.duration != nullptr) {
      head.kind = shm::SiteKind::kSpan;
      extension.ext_flags = shm::kExtDuration;
      extension.duration = log_.duration->low;
    }
    head.level = log_.level.value_or(shm::Level::kInfo);
    head.category = text_of(log_.category);
    head.format = text_of(log_.message);
    record_.begin(head);
    for (const std::uint32_t i : log_.fields) record_.add(tree().nodes()[i].key, tree(), i);
    statements_.add(stream_of(origin, last_ns_), last_ns_, record_, extension);
  }

  // The latest time of a trace: the year 2262.
  static constexpr std::uint64_t kLastUnixNs = std::numeric_limits<std::int64_t>::max();

  Lines lines_;
  TraceBuilder& builder_;
  ConversionReport& report_;
  JsonSources sources_;
  JsonStatements statements_;
  JsonRecord record_;
  LogFacts log_;
  std::string key_;
  std::string last_key_;  // of the process
  std::uint32_t last_process_ = 0;
  bool has_process_ = false;
  std::uint64_t last_ns_ = 0;
};

}  // namespace
}  // namespace ndjson

ReadOutcome read_ndjson(InputBytes& input, TraceBuilder& builder, ConversionReport& report) {
  return ndjson::Import(input, builder, report).run();
}

}  // namespace ringside::tool
