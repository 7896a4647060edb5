#include <fmt/format.h>

#include "tools/interop/nanolog/nanolog_format.hpp"
#include "tools/interop/nanolog/nanolog_reader.hpp"
#include "trace-format/lines/json_text.hpp"

namespace ringside::tool {
namespace nanolog {
namespace {

class Inspection final : public Visitor {
 public:
  Inspection(InspectStyle style, OutputBytes& output) : style_(style), output_(output) {}

  void begin() {
    if (begun_) return;
    begun_ = true;
    if (style_ == InspectStyle::kJson)
      output_.put("{\n \"schema\": \"nanolog-1\",\n \"entries\": [");
    if (style_ == InspectStyle::kCsv) output_.put("offset,type,bytes,thread,ends_round,records\n");
  }

  void end(const ReadOutcome& outcome) {
    if (!begun_ || style_ != InspectStyle::kJson) return;
    output_.put(fmt::format(
        "{}],\n \"records\": {},\n \"error\": {}\n}}\n", entries_ == 0 ? "" : "\n ", records_,
        outcome.message.empty() ? "null" : trace::quoted_json_text(outcome.message)));
  }

  void checkpoint(std::uint64_t offset, const Checkpoint& checkpoint) override {
    begin();
    if (style_ == InspectStyle::kJson) {
      entry();
      output_.put(
          fmt::format("{{\"offset\": {}, \"type\": \"checkpoint\", \"cycles\": {}, \"unix_s\": {}, "
                      "\"cycles_per_second\": {}}}",
                      offset, checkpoint.cycles, checkpoint.unix_s, checkpoint.cycles_per_second));
    } else if (style_ == InspectStyle::kCsv) {
      output_.put(fmt::format("{},checkpoint,33,,,\n", offset));
    } else {
      output_.put(fmt::format("{:>12} checkpoint    cycle {} at {} s of Unix time, {} Hz\n", offset,
                              checkpoint.cycles, checkpoint.unix_s, checkpoint.cycles_per_second));
    }
  }

  void statements(std::uint64_t offset, std::uint32_t first,
                  std::span<const Statement> more) override {
    if (style_ == InspectStyle::kCsv)
      return output_.put(fmt::format("{},dictionary,,,,\n", offset));
    if (style_ == InspectStyle::kText) {
      output_.put(fmt::format("{:>12} dictionary    {} statements from {} on\n", offset,
                              more.size(), first));
      return;
    }
    entry();
    output_.put(
        fmt::format("{{\"offset\": {}, \"type\": \"dictionary\", \"first\": {}, \"statements\": [",
                    offset, first));
    const char* separator = "";
    for (const Statement& statement : more) {
      output_.put(
          fmt::format("{}\n   {{\"file\": {}, \"line\": {}, \"severity\": {}, \"format\": {}}}",
                      separator, trace::quoted_json_text(statement.file), statement.line,
                      statement.severity, trace::quoted_json_text(statement.format)));
      separator = ",";
    }
    output_.put("]}");
  }

  void extent(const Extent& extent) override {
    extent_ = extent;
    records_before_ = records_;
  }

  void record(std::uint32_t, std::uint64_t, const Arguments&) override { ++records_; }

  void extent_end() override {
    const std::uint64_t records = records_ - records_before_;
    if (style_ == InspectStyle::kJson) {
      entry();
      output_.put(
          fmt::format("{{\"offset\": {}, \"type\": \"extent\", \"bytes\": {}, \"thread\": {}, "
                      "\"ends_round\": {}, \"records\": {}}}",
                      extent_.offset, extent_.bytes, extent_.thread, extent_.ends_round, records));
    } else if (style_ == InspectStyle::kCsv) {
      output_.put(fmt::format("{},extent,{},{},{},{}\n", extent_.offset, extent_.bytes,
                              extent_.thread, extent_.ends_round ? 1 : 0, records));
    } else {
      output_.put(fmt::format("{:>12} extent        {} bytes, thread {}, {} records{}\n",
                              extent_.offset, extent_.bytes, extent_.thread, records,
                              extent_.ends_round ? ", ends a round" : ""));
    }
  }

 private:
  void entry() { output_.put(entries_++ == 0 ? "\n  " : ",\n  "); }

  InspectStyle style_;
  OutputBytes& output_;
  bool begun_ = false;
  std::uint64_t entries_ = 0;
  std::uint64_t records_ = 0;
  std::uint64_t records_before_ = 0;
  Extent extent_;
};

}  // namespace
}  // namespace nanolog

ReadOutcome inspect_nanolog(InputBytes& input, InspectStyle style, OutputBytes& output) {
  nanolog::Inspection inspection(style, output);
  ReadOutcome outcome = nanolog::read_file(input, inspection);
  inspection.end(outcome);
  return outcome;
}

}  // namespace ringside::tool
