// The size comparison of the format's description: the start of a thread takes 46 % of its XML.

#include <array>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "tools/interop/conversion_report.hpp"
#include "tools/interop/tptp/tptp_encoder.hpp"
#include "tools/interop/tptp/tptp_xml_text.hpp"

namespace ringside::tool::tptp {
namespace {

constexpr std::string_view kXml =
    R"(<threadStart threadId="1" time="1185890426.304424453" objIdRef="1" )"
    R"(threadName="Reference Handler" groupName="system" parentName=""/>)";

// As in the description's example, which differs from its tables: ids are integers, the time is a
// double.
constexpr std::size_t kExampleBytes = 2 + 4         // id, size
                                      + 4 + 4 + 8   // transient thread id, thread id, time
                                      + 4 + 4       // transient object id, object id
                                      + 18 + 7 + 1  // thread, group and parent group
                                      + 4;          // collation value

TEST(TptpSizes, OfTheExampleAreThoseOfTheDescription) {
  EXPECT_EQ(kExampleBytes, 60U);
  // The description counts 12 bytes for ` threadId="1"`, which has 13.
  const std::size_t xml_bytes = kXml.size() - 1;
  EXPECT_EQ(xml_bytes, 131U);
  EXPECT_EQ((100 * kExampleBytes + xml_bytes / 2) / xml_bytes, 46U);
}

TEST(TptpSizes, OfTheExampleByTheTables) {
  Message message;
  message.start(*find_message_type(kThreadStartId));
  message.numbers[message.type->find("threadId")] = 1;
  message.numbers[message.type->find("objIdRef")] = 1;
  message.texts[message.type->find("threadName")] = "Reference Handler";
  message.texts[message.type->find("groupName")] = "system";
  message.set_time(1185890426304424453);
  std::string xml;
  append_xml(xml, message);
  EXPECT_EQ(xml.size(),
            kXml.size());  // the binary form, with the attributes in the order of the table

  std::string binary;
  ConversionReport report;
  OutputBytes output([&](std::span<const std::byte> bytes) {
    binary.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return true;
  });
  BinaryEncoder(output, report).put(message);
  output.flush();
  EXPECT_EQ(binary.size(), 74U);  // 56 %: ids are longs
}

}  // namespace
}  // namespace ringside::tool::tptp
