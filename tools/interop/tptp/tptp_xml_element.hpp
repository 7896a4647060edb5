#pragma once
// An element of a TPTP trace in XML, passed from the parser to the reader.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/interop/tptp/tptp_message.hpp"

namespace ringside::tool::tptp {

struct XmlElementFaults {
  std::uint64_t unknown_attributes = 0;
  std::uint64_t unknown_children = 0;
  std::uint64_t wrong_depths = 0;
};

// "-12.345": digits beyond nanoseconds are cut. False if it is not such a number or is too large.
bool parse_time(std::string_view text, Time& time);

// The next start() reuses the memory.
class XmlElement {
 public:
  // `attributes`: names and values in turn, then a null pointer.
  void start(const char* tag, const char** attributes, std::uint64_t offset,
             XmlElementFaults& faults);
  void add_child(const char* tag, const char** attributes, XmlElementFaults& faults);
  void end(std::uint64_t end_offset, XmlElementFaults& faults);

  Step step() const { return step_; }
  // For kMessage; texts are valid until the next start().
  void give(Message& message) const;
  // For all other results.
  Passed passed() const;

 private:
  struct Place {
    std::size_t at = 0;
    std::size_t bytes = 0;
  };

  void take(std::size_t attribute, const char* value);
  void fail(std::string_view what);
  Place keep(const char* text);
  std::string_view kept(const Place& place) const {
    return std::string_view(texts_).substr(place.at, place.bytes);
  }

  Step step_ = Step::kMessage;
  const MessageType* type_ = nullptr;
  std::uint64_t offset_ = 0;
  std::uint64_t bytes_ = 0;
  std::array<std::int64_t, kMostAttributes> numbers_{};
  std::array<Place, kMostAttributes> places_{};
  std::vector<Place> frame_methods_;
  std::vector<std::int64_t> frame_lines_;
  Time time_;
  std::string_view what_;
  std::string texts_;
};

}  // namespace ringside::tool::tptp
