#pragma once
// Writes the messages to which others refer: of processes, threads, classes and methods.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "tools/interop/conversion_report.hpp"
#include "tools/interop/tptp/tptp_encoder.hpp"
#include "tools/interop/tptp/tptp_message.hpp"
#include "trace-format/reader/trace_event.hpp"

namespace ringside::tool::tptp {

// The attribute with this name in XML, which the message's type must have. Texts must live until
// the message is written.
void set(Message& message, std::string_view xml, std::string_view text);
void set(Message& message, std::string_view xml, std::int64_t number);

// Not thread-safe.
class StructureMessages {
 public:
  StructureMessages(Encoder& encoder, ConversionReport& report)
      : encoder_(encoder), report_(report) {}

  // A message of this type and time, with the defaults for all else; valid until the next call. The
  // caller completes and writes it.
  Message& start(std::uint16_t type, std::uint64_t unix_ns);

  // Node, process, agent and trace have the same id.
  void begin_process(const trace::SegmentInfo& segment, const std::string& id);
  void end_process(const std::string& id, std::uint64_t unix_ns);
  void begin_thread(const std::string& process, std::uint64_t number,
                    const trace::StreamInfo& stream, std::uint64_t unix_ns);
  // A method of a class that is named after the statement's category; there is one class for each
  // of its files. Returns the number of the class.
  std::uint64_t define_method(const std::string& process, std::uint64_t number,
                              const trace::Site& site, std::uint64_t unix_ns);

 private:
  Encoder& encoder_;
  ConversionReport& report_;
  Message message_;
  std::map<std::string, std::uint64_t> classes_;
};

}  // namespace ringside::tool::tptp
