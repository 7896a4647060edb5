#pragma once
// Stacks of records (RS_STACK, ringctl stacks): how often each path of functions was recorded.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "tools/report/path_tree.hpp"
#include "tools/report/report_part.hpp"
#include "tools/symbols/mapped_code.hpp"

namespace ringside::tool {

class StackPart final : public ReportPart {
 public:
  // Names of functions are looked up for these; others have the name of their module and the
  // offset in it, because reading debug information takes long.
  static constexpr std::size_t kMostNamed = 2'000;
  static constexpr std::size_t kMostAddresses = 100'000;

  void add(const ReportEvent& event) override {
    if (event.event.kind == trace::EventKind::kRecord && !is_without_stack(event)) add_stack(event);
  }

  // README.md, "flame", "stacks". Reads the files of programs. `level`: of SectionFitting.
  nlohmann::json document(unsigned level);

 private:
  using Process = std::array<std::uint8_t, 16>;
  struct Frame {
    Process process{};
    std::uint64_t address = 0;
    std::uint64_t records = 0;
  };
  struct Statement {
    std::int32_t stack_field = kUnknown;
    bool is_module = false;
    bool is_crash = false;
    static constexpr std::int32_t kUnknown = -2;
    static constexpr std::int32_t kNone = -1;
  };

  void find_functions();
  // Most statements are.
  bool is_without_stack(const ReportEvent& event) const {
    const std::uint32_t number = event.place.site->number;
    return number < statements_.size() && statements_[number].stack_field == Statement::kNone &&
           !statements_[number].is_module;
  }
  void add_stack(const ReportEvent& event);
  void know(Statement& statement, const trace::Record& record);
  std::int64_t frame_of(const Process& process, std::uint64_t address);

  std::vector<Statement> statements_;  // by number
  std::map<Process, std::vector<MappedCode>> modules_;
  std::map<std::pair<Process, std::uint64_t>, std::int64_t> known_;
  std::vector<Frame> frames_;
  PathTree tree_;  // names: frames_; a statement S: -S-1
  std::uint64_t stacks_ = 0;
  std::uint64_t left_out_ = 0;
  // By functions: after find_functions().
  bool has_functions_ = false;
  PathTree named_;  // names: names_; a statement S: -S-1
  std::vector<std::string> names_;
  std::uint64_t with_function_ = 0;
};

}  // namespace ringside::tool
