// Reading XML traces: what is accepted, what is refused, and where.

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tools/interop/tptp/tptp_xml_element.hpp"
#include "tools/interop/tptp/tptp_xml_reader.hpp"
#include "tools/interop/tptp/tptp_xml_text.hpp"

namespace ringside::tool::tptp {
namespace {

struct ReadXml {
  std::vector<std::string> messages;  // in their written form
  std::vector<std::string> unknown;
  std::vector<std::uint64_t> bad;  // offsets of errors
  ReadOutcome outcome;
};

// `step`: the number of bytes that arrive at once.
ReadXml read(std::string_view document, std::size_t step = SIZE_MAX) {
  ReadXml result;
  std::size_t at = 0;
  const auto input = InputBytes::of("test", [&](std::span<std::byte> room) {
    const std::size_t count = std::min({step, room.size(), document.size() - at});
    if (count != 0) std::memcpy(room.data(), document.data() + at, count);
    at += count;
    return static_cast<std::ptrdiff_t>(count);
  });
  XmlReader reader(*input);
  Message message;
  for (Step s = reader.next(message); s != Step::kEnd; s = reader.next(message)) {
    if (s == Step::kMessage) append_xml(result.messages.emplace_back(), message);
    if (s == Step::kUnknown) result.unknown.emplace_back(reader.passed().tag);
    if (s == Step::kBad) result.bad.push_back(reader.passed().offset);
  }
  result.outcome = reader.outcome();
  return result;
}

constexpr std::string_view kWait =
    R"(<monWait threadIdRef="1" time="5.000000007" objIdRef="9" timeout="0" stackDepth="2">)"
    R"(<frame method="a&lt;" line="-1"/><frame method="" line="8"/></monWait>)";
constexpr std::string_view kGc = R"(<gcStart time="0.000000001"/>)";

TEST(TptpXml, ReadsDocumentsAndStreamsWithoutARoot) {
  const std::string both = std::string(kWait) + "\n" + std::string(kGc);
  const std::vector<std::string> expected{std::string(kWait), std::string(kGc)};
  for (const std::string& document :
       {"<TRACE>" + both + "</TRACE>", both, "<?xml version=\"1.0\"?>\n<!-- a -->" + both,
        "\xEF\xBB\xBF<?xml version=\"1.0\" encoding=\"UTF-8\"?><TRACE>\n" + both +
            "\n</TRACE>\n"}) {
    for (const std::size_t step : {std::size_t{1}, std::size_t{7}, SIZE_MAX}) {
      const ReadXml result = read(document, step);
      EXPECT_EQ(result.messages, expected) << document;
      EXPECT_EQ(result.outcome.end, ReadEnd::kWhole) << result.outcome.message;
      EXPECT_TRUE(result.outcome.warnings.empty());
    }
    EXPECT_TRUE(recognise_xml(std::as_bytes(std::span(document))));
  }
}

TEST(TptpXml, DeliversWhatPrecedesATruncationAtAnyByte) {
  const std::string document =
      "<?xml version=\"1.0\"?>\n<TRACE>" + std::string(kWait) + std::string(kGc) + "</TRACE>";
  const std::size_t first_end = document.find(kGc);
  const std::size_t second_end = first_end + kGc.size();
  for (std::size_t bytes = 0; bytes < document.size(); ++bytes) {
    const ReadXml result = read(document.substr(0, bytes));
    EXPECT_EQ(result.messages.size(),
              (bytes >= first_end ? 1U : 0U) + (bytes >= second_end ? 1U : 0U))
        << bytes;
    EXPECT_NE(result.outcome.end, ReadEnd::kWhole) << bytes;
    EXPECT_LE(result.outcome.offset, bytes);
    EXPECT_FALSE(result.outcome.message.empty());
  }
}

TEST(TptpXml, SurvivesAnyChangedByte) {
  std::string document = "<TRACE>" + std::string(kWait) + std::string(kGc) + "</TRACE>";
  for (std::size_t at = 0; at < document.size(); ++at) {
    for (const char byte : {'<', '>', '"', '&', '\0', '\xFF', 'x'}) {
      const char before = std::exchange(document[at], byte);
      const ReadXml result = read(document);
      document[at] = before;
      if (at < 7 + kWait.size()) continue;
      EXPECT_EQ(result.messages.at(0), kWait) << at;
    }
  }
}

TEST(TptpXml, PassesOverWhatItDoesNotKnow) {
  const ReadXml result = read(
      R"(<TRACE><annotation key="x"><deep/></annotation><gcStart time="1.5" colour="red"/>)"
      R"(<gcStart time="later"/><methodEntry ticket="4294967296"/><gcStart><frame/></gcStart></TRACE>)");
  EXPECT_EQ(result.unknown, std::vector<std::string>{"annotation"});
  EXPECT_EQ(result.messages, (std::vector<std::string>{R"(<gcStart time="1.500000000"/>)",
                                                       R"(<gcStart time="0.000000000"/>)"}));
  EXPECT_EQ(result.bad, (std::vector<std::uint64_t>{81, 104}));
  EXPECT_EQ(result.outcome.end, ReadEnd::kWhole);
  EXPECT_EQ(result.outcome.warnings.size(), 2U);
}

TEST(TptpXml, RefusesDeclarationsOfEntities) {
  const std::string bomb =
      "<!DOCTYPE TRACE [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;\">]>"
      "<TRACE><custom body=\"&b;\"/></TRACE>";
  EXPECT_EQ(read(bomb).outcome.end, ReadEnd::kRefused);
  EXPECT_NE(read(bomb).outcome.message.find("document type"), std::string::npos);
  EXPECT_EQ(read("<!DOCTYPE TRACE SYSTEM \"/etc/passwd\"><TRACE/>").outcome.end, ReadEnd::kRefused);
  EXPECT_EQ(read("<TRACE><custom body=\"&b;\"/></TRACE>").outcome.end, ReadEnd::kDamaged);
}

TEST(TptpXml, BoundsTagsAndDepth) {
  const std::string long_text(XmlReader::kMostTokenBytes + 1'000'000, 'x');
  const ReadXml result =
      read("<TRACE>" + std::string(kGc) + "<custom body=\"" + long_text + "\"/>");
  EXPECT_EQ(result.messages.size(), 1U);
  EXPECT_EQ(result.outcome.end, ReadEnd::kDamaged);
  std::string deep = "<TRACE>";
  for (int i = 0; i < 1000; ++i) deep += "<gcStart>";
  EXPECT_NE(read(deep).outcome.message.find("100 deep"), std::string::npos);
}

TEST(TptpXml, ReadsOtherEncodings) {
  const ReadXml latin = read(
      "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><TRACE><custom "
      "body=\"Gr\xFC\xDF\"/></TRACE>");
  EXPECT_EQ(latin.messages, std::vector<std::string>{"<custom body=\"Grüß\"/>"});
  const ReadXml koi = read(
      "<?xml version=\"1.0\" encoding=\"KOI8-R\"?><TRACE><custom body=\"\xF0\xD2\xC9\"/></TRACE>");
  EXPECT_EQ(koi.messages, std::vector<std::string>{"<custom body=\"При\"/>"});
  EXPECT_EQ(read("<?xml version=\"1.0\" encoding=\"NOPE\"?><TRACE/>").outcome.end,
            ReadEnd::kRefused);
}

TEST(TptpXml, ReadsTimesExactly) {
  Time time;
  EXPECT_TRUE(parse_time("1185890426.304424453", time));
  EXPECT_EQ(time.nearest_unix_ns(), 1185890426304424453U);
  EXPECT_TRUE(parse_time("7", time));
  EXPECT_EQ(time.nearest_unix_ns(), 7'000'000'000U);
  EXPECT_TRUE(parse_time("-1.0000000019", time));
  EXPECT_EQ(time.nearest_ns(), -1'000'000'001);
  EXPECT_TRUE(parse_time("99999999999.5", time));
  EXPECT_EQ(time.nearest_unix_ns(), UINT64_MAX);
  for (const char* const wrong : {"", "-", ".5", "1e9", "1.5s", "1.-5", "99999999999999999999"}) {
    EXPECT_FALSE(parse_time(wrong, time)) << wrong;
  }
}

}  // namespace
}  // namespace ringside::tool::tptp
