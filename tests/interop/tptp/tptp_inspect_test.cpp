// What `ringcat inspect` reports about binary TPTP traces, valid and invalid.

#include "tools/interop/tptp/tptp_inspect.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/interop/bytes_apart.hpp"
#include "tests/interop/tptp/trcbin_maker.hpp"

namespace ringside::tool::tptp {
namespace {

using Json = nlohmann::ordered_json;

std::string file_text(const std::string& name) {
  std::ifstream file(std::string(std::getenv("RINGSIDE_TEST_TPTP_SAMPLES")) + "/" + name,
                     std::ios::binary);
  EXPECT_TRUE(file) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Inspected {
  ReadOutcome outcome;
  std::string text;
  Json json;
};

Inspected inspect(std::string_view bytes, InspectStyle style = InspectStyle::kJson,
                  const std::string& name = "some/trace.trcbin") {
  Inspected inspected;
  OutputBytes output([&](std::span<const std::byte> part) {
    inspected.text.append(reinterpret_cast<const char*>(part.data()), part.size());
    return true;
  });
  const auto input = InputBytes::in_memory(name, std::as_bytes(std::span(bytes)));
  inspected.outcome = inspect_binary(*input, style, output);
  output.flush();
  if (style == InspectStyle::kJson && !inspected.text.empty()) {
    inspected.json = Json::parse(inspected.text);
  }
  return inspected;
}

const std::string kSamples[] = {"t01_all_le_ticks", "t02_all_be_ns", "t03_thread_start"};

TEST(TptpInspect, ReportsTheSamplesAsExpected) {
  for (const std::string& name : kSamples) {
    SCOPED_TRACE(name);
    Json expected = Json::parse(file_text(name + ".json"));
    expected.erase("note");
    expected.erase("expect");
    const Inspected inspected =
        inspect(file_text(name + ".trcbin"), InspectStyle::kJson, "dir/" + name + ".trcbin");
    EXPECT_EQ(inspected.outcome.end, ReadEnd::kWhole);
    EXPECT_TRUE(inspected.outcome.warnings.empty());
    EXPECT_EQ(inspected.json, expected);
  }
}

TEST(TptpInspect, DeliversWhatPrecedesATruncationAtAnyByte) {
  for (const std::string& name : kSamples) {
    const std::string whole = file_text(name + ".trcbin");
    const Json messages = Json::parse(file_text(name + ".json"))["messages"];
    for (std::size_t bytes = 0; bytes < whole.size(); bytes += bytes_apart()) {
      SCOPED_TRACE(name + " cut to " + std::to_string(bytes));
      const Inspected inspected = inspect(whole.substr(0, bytes));
      if (bytes < 12) {
        EXPECT_EQ(inspected.outcome.end, ReadEnd::kRefused);
        EXPECT_TRUE(inspected.text.empty());
        continue;
      }
      Json preceding = Json::array();
      std::uint64_t end = 0;  // offset of the end of the last whole message
      for (const Json& message : messages) {
        if (message["offset"].get<std::size_t>() + message["size"].get<std::size_t>() > bytes)
          break;
        preceding.push_back(message);
        end = message["offset"].get<std::size_t>() + message["size"].get<std::size_t>();
      }
      EXPECT_EQ(inspected.json["messages"], preceding);
      EXPECT_EQ(inspected.json["file_size"], bytes);
      if (inspected.outcome.end == ReadEnd::kWhole) {
        EXPECT_TRUE(inspected.json["error"].is_null());
        EXPECT_TRUE(bytes == end || preceding.empty());
        continue;
      }
      EXPECT_EQ(inspected.json["error"]["offset"], inspected.outcome.offset);
      EXPECT_GE(inspected.outcome.offset, end);
      EXPECT_LE(inspected.outcome.offset, bytes);
    }
  }
}

TEST(TptpInspect, SurvivesAnyChangedByteAndDeliversWhatPrecedesIt) {
  for (const std::string& name : kSamples) {
    std::string bytes = file_text(name + ".trcbin");
    const Json messages = Json::parse(file_text(name + ".json"))["messages"];
    for (std::size_t at = 0; at < bytes.size(); at += bytes_apart()) {
      SCOPED_TRACE(name + " changed at " + std::to_string(at));
      const char before = bytes[at];
      bytes[at] = static_cast<char>(before ^ (at % 3 == 0 ? 0x01 : at % 3 == 1 ? 0x80 : 0xFF));
      const Inspected inspected = inspect(bytes);
      bytes[at] = before;
      // Header, encoding and frequency change the meaning of everything.
      if (at < messages[0]["offset"].get<std::size_t>()) continue;
      for (std::size_t i = 0; i < messages.size(); ++i) {
        const Json& message = messages[i];
        const auto end = message["offset"].get<std::size_t>() + message["size"].get<std::size_t>();
        if (end > at) break;
        EXPECT_EQ(inspected.json["messages"][i], message);
      }
      EXPECT_EQ(inspected.json["counts"]["messages"], inspected.json["messages"].size());
      EXPECT_EQ(inspected.json["counts"]["bad"], inspected.json["bad"].size());
      EXPECT_EQ(inspected.json["counts"]["unknown"], inspected.json["unknown"].size());
    }
  }
}

TEST(TptpInspect, SkipsUnknownMessagesOfBothRangesBySize) {
  for (const bool little : {true, false}) {
    TrcbinMaker trace(little);
    trace.message(7, [](TrcbinMaker& m) { m.raw("system"); });
    trace.message(1013, [](TrcbinMaker& m) { m.raw(std::string(300, 'x')); });
    trace.message(30000, [](TrcbinMaker&) {}).custom("here");
    const Json json = inspect(trace.text()).json;
    EXPECT_EQ(json["counts"]["unknown"], 3);
    EXPECT_EQ(json["unknown"], Json::parse(R"([{"offset": 12, "id": 7, "size": 12},
                              {"offset": 24, "id": 1013, "size": 306},
                              {"offset": 330, "id": 30000, "size": 6}])"));
    EXPECT_EQ(json["messages"][0]["attributes"]["Custom body"], "here");
    EXPECT_EQ(json["header"]["endianness"], little ? "little" : "big");
  }
}

TEST(TptpInspect, SkipsAndCountsBadMessagesOfAValidSize) {
  TrcbinMaker trace;
  trace.message(1041, [](TrcbinMaker& m) { m.raw("no zero byte"); });
  trace.message(1004, [](TrcbinMaker& m) { m.text("agent").number(std::uint32_t{1}); });
  // Frames that are missing.
  trace.message(1035, [](TrcbinMaker& m) {
    m.number(std::uint64_t{1}).number(std::uint64_t{2}).number(std::uint64_t{3});
    m.number(std::uint32_t{0x7FFFFFFF}).text("m");
  });
  trace.frequency(0).agent_destroy("a", 5);
  const Inspected inspected = inspect(trace.text());
  EXPECT_EQ(inspected.outcome.end, ReadEnd::kWhole);
  EXPECT_EQ(inspected.json["counts"]["bad"], 4);
  EXPECT_EQ(inspected.json["frequency_hz"], Json());
  ASSERT_EQ(inspected.json["messages"].size(), 1U);
  EXPECT_EQ(inspected.json["messages"][0]["time"], "0.000000005");
}

TEST(TptpInspect, EndsAtAnInvalidSize) {
  for (const std::uint32_t size : {0U, 5U, 0xFFFFFFFFU}) {
    TrcbinMaker trace;
    trace.custom("before").number(std::uint16_t{1041}).number(size).raw("xyz");
    const Inspected inspected = inspect(trace.text());
    EXPECT_EQ(inspected.outcome.end, ReadEnd::kDamaged);
    EXPECT_EQ(inspected.outcome.offset, 25U);
    EXPECT_EQ(inspected.json["messages"].size(), 1U);
  }
}

TEST(TptpInspect, IgnoresAndReportsBytesAfterTheAttributes) {
  TrcbinMaker trace;
  trace.message(1041, [](TrcbinMaker& m) { m.text("body").raw("more"); });
  const Inspected inspected = inspect(trace.text());
  EXPECT_EQ(inspected.json["messages"][0]["attributes"]["Custom body"], "body");
  EXPECT_EQ(inspected.json["messages"][0]["extra_bytes"], 4);
  EXPECT_EQ(inspected.outcome.warnings.size(), 1U);
}

TEST(TptpInspect, ReadsTextsInTheCurrentEncoding) {
  TrcbinMaker trace;
  trace.custom("Gr\xC3\xBC\xC3\x9F").encoding("KOI8-R").custom("\xF0\xD2\xC9\xD7\xC5\xD4");
  trace.encoding("ISO-8859-1").custom("Gr\xFC\xDF").encoding("Shift_JIS").custom("\x93\xFA\x96{");
  const Json json = inspect(trace.text()).json;
  EXPECT_EQ(json["messages"][0]["attributes"]["Custom body"], "Grüß");
  EXPECT_EQ(json["messages"][1]["attributes"]["Custom body"], "Привет");
  EXPECT_EQ(json["messages"][2]["attributes"]["Custom body"], "Grüß");
  EXPECT_EQ(json["messages"][3]["attributes"]["Custom body"], "日本");
  EXPECT_EQ(json["encoding"], "Shift_JIS");
}

TEST(TptpInspect, RefusesEncodingsThatItCannotRead) {
  for (const char* const name :
       {"", "EBCDIC-XYZ", "UTF-16", "UCS-4LE", "../../x", "UTF8//IGNORE"}) {
    SCOPED_TRACE(name);
    TrcbinMaker first;
    first.encoding(name).custom("x");
    EXPECT_EQ(inspect(first.text()).outcome.end, ReadEnd::kRefused);
    TrcbinMaker second;
    second.custom("x").encoding(name).custom("y");
    const Inspected inspected = inspect(second.text());
    EXPECT_EQ(inspected.outcome.end, ReadEnd::kDamaged);
    EXPECT_EQ(inspected.json["messages"].size(), 1U);
  }
}

TEST(TptpInspect, ReplacesInvalidText) {
  TrcbinMaker trace;
  trace.custom("a\xFF\xC3").encoding("US-ASCII").custom("b\xE4");
  const Inspected inspected = inspect(trace.text());
  EXPECT_EQ(inspected.json["messages"][0]["attributes"]["Custom body"], "a\uFFFD\uFFFD");
  EXPECT_EQ(inspected.json["messages"][1]["attributes"]["Custom body"], "b\uFFFD");
  EXPECT_EQ(inspected.outcome.warnings.size(), 1U);
}

TEST(TptpInspect, TruncatesTicksToNanoseconds) {
  TrcbinMaker trace;
  trace.agent_destroy("a", -1).frequency(3).agent_destroy("a", 5).agent_destroy("a", -4);
  trace.agent_destroy("a", INT64_MIN).frequency(UINT64_MAX).agent_destroy("a", INT64_MAX);
  const Json messages = inspect(trace.text()).json["messages"];
  EXPECT_EQ(messages[0]["time"], "-0.000000001");
  EXPECT_EQ(messages[1]["time"], "1.666666666");
  EXPECT_EQ(messages[2]["time"], "-1.333333333");
  EXPECT_EQ(messages[3]["time"], "-3074457345618258602.666666666");
  EXPECT_EQ(messages[4]["time"], "0.499999999");
}

TEST(TptpInspect, RefusesHeadersThatItDoesNotKnow) {
  const std::string sound(TrcbinMaker().custom("x").text());
  EXPECT_EQ(inspect(sound).outcome.end, ReadEnd::kWhole);
  const std::pair<std::size_t, char> changes[] = {{0, '1'},    {4, '\0'},   {4, '\2'},   {7, '\2'},
                                                  {8, '\x0B'}, {9, '\x70'}, {11, '\x7F'}};
  for (const auto& [at, byte] : changes) {
    SCOPED_TRACE(at);
    std::string changed = sound;
    changed[at] = byte;
    const Inspected inspected = inspect(changed);
    EXPECT_EQ(inspected.outcome.end, ReadEnd::kRefused);
    EXPECT_TRUE(inspected.text.empty());
    EXPECT_FALSE(inspected.outcome.message.empty());
  }
}

TEST(TptpInspect, BeginsAtTheOffsetOfTheHeader) {
  TrcbinMaker trace;
  trace.raw("what a later version says here").custom("data");
  trace.text()[8] = static_cast<char>(12 + 30);
  EXPECT_EQ(inspect(trace.text()).json["messages"][0]["offset"], 42);
}

TEST(TptpInspect, ShowsNoControlCharactersToPeople) {
  TrcbinMaker trace;
  trace.custom("a\x1B[2J\xC2\x9B");
  const std::string text = inspect(trace.text(), InspectStyle::kText).text;
  EXPECT_EQ(text.find('\x1B'), std::string::npos);
  EXPECT_EQ(text.find("\xC2\x9B"), std::string::npos);
  EXPECT_EQ(inspect(trace.text(), InspectStyle::kCsv).text,
            "offset,id,size,tag,time\n12,1041,14,custom,\n");
}

}  // namespace
}  // namespace ringside::tool::tptp
