#pragma once
// Encodes messages in either form.

#include <cstdint>
#include <string>

#include "tools/interop/conversion_report.hpp"
#include "tools/interop/output_bytes.hpp"
#include "tools/interop/tptp/tptp_message.hpp"

namespace ringside::tool::tptp {

class Encoder {
 public:
  Encoder() = default;
  virtual ~Encoder() = default;
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;

  virtual void begin() = 0;
  // Texts are UTF-8; invalid parts become U+FFFD. The number in the place of a time is in
  // nanoseconds.
  virtual void put(const Message& message) = 0;
  virtual void end() = 0;
};

// .trcbin: little-endian, UTF-8, times in nanoseconds.
class BinaryEncoder final : public Encoder {
 public:
  BinaryEncoder(OutputBytes& output, ConversionReport& report) : output_(output), report_(report) {}

  void begin() override;
  void put(const Message& message) override;
  void end() override {}

 private:
  void append_text(std::string_view text);
  void append_attribute(const Message& message, std::size_t i);

  OutputBytes& output_;
  ConversionReport& report_;
  std::string bytes_;
};

// .trcxml: one element per line.
class XmlEncoder final : public Encoder {
 public:
  XmlEncoder(OutputBytes& output, ConversionReport& report) : output_(output), report_(report) {}

  void begin() override;
  void put(const Message& message) override;
  void end() override;

 private:
  OutputBytes& output_;
  ConversionReport& report_;
  std::string line_;
};

}  // namespace ringside::tool::tptp
