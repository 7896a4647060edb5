#pragma once
// Reads back what Ringside wrote into a TPTP trace: see README.md for the messages.

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tools/interop/tptp/tptp_message.hpp"
#include "tools/interop/tptp/tptp_placement.hpp"
#include "tools/interop/tptp/tptp_record_text.hpp"

namespace ringside::tool::tptp {

// The ids of a process's node, process, agent and trace are this prefix and its number.
inline constexpr std::string_view kOwnPrefix = "ringside-";
inline constexpr std::string_view kOwnAgentName = "Ringside";
inline constexpr std::string_view kUidParameter = "uid=";  // its parameters

// Of messages of kind `custom`, after the trace's id.
inline constexpr std::string_view kSiteWord = "site";
inline constexpr std::string_view kRecordWord = "record";
inline constexpr std::string_view kLossWord = "lost";

// Not thread-safe.
class OwnRecords {
 public:
  OwnRecords(TraceBuilder& builder, Placement& placement)
      : builder_(builder), placement_(placement) {}

  // Whether the message is one of Ringside's; if so, it is processed.
  bool take(const Message& message);

 private:
  struct Site {
    std::uint32_t id = 0;               // in the builder
    std::vector<shm::FieldType> types;  // of the fields that records contain
  };
  struct Trace {
    ProcessDefinition definition;
    bool begun = false;  // process is valid
    std::uint32_t process = 0;
    std::unordered_map<std::uint64_t, std::uint32_t> streams;
    std::unordered_map<std::uint64_t, Site> sites;
  };

  // Null if Ringside did not begin a trace of that id.
  Trace* find_trace(std::string_view id);
  bool take_process_fact(const Message& message);
  bool begin_trace(const Message& message);
  bool take_thread(Trace& trace, const Message& message);
  bool take_custom(std::string_view body);
  bool take_site(Trace& trace, RecordText& text);
  bool take_record(Trace& trace, RecordText& text);
  bool take_loss(Trace& trace, RecordText& text);
  bool take_collection(Trace& trace, std::string_view text);
  bool take_span(Trace& trace, const Message& message);
  bool add(Trace& trace, std::uint64_t stream, std::uint64_t site, std::uint64_t unix_ns,
           RecordText& text);
  std::uint32_t stream_of(Trace& trace, std::uint64_t number);

  TraceBuilder& builder_;
  Placement& placement_;

  std::unordered_map<std::string, Trace> traces_;
  std::string last_id_;
  Trace* last_trace_ = nullptr;  // the trace of last_id_, or null if there is none
  std::string values_;
};

}  // namespace ringside::tool::tptp
