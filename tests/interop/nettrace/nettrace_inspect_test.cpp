// What `ringcat inspect` reports about NetTrace files, valid and invalid.

#include "tools/interop/nettrace/nettrace_inspect.hpp"

#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <zlib.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/interop/bytes_apart.hpp"
#include "tests/interop/nettrace/nettrace_maker.hpp"

namespace ringside::tool::nettrace {
namespace {

using namespace std::string_literals;
using Json = nlohmann::ordered_json;

std::string sample_path(const std::string& name) {
  return std::string(std::getenv("RINGSIDE_TEST_NETTRACE_SAMPLES")) + "/" + name;
}

std::string file_text(const std::string& name) {
  std::ifstream file(sample_path(name), std::ios::binary);
  EXPECT_TRUE(file) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string unzipped(const std::string& name) {
  std::string text;
  std::array<char, 65536> part{};
  const gzFile file = ::gzopen(sample_path(name).c_str(), "rb");
  EXPECT_NE(file, nullptr) << name;
  for (int got = 0; (got = ::gzread(file, part.data(), part.size())) > 0;) {
    text.append(part.data(), static_cast<std::size_t>(got));
  }
  ::gzclose(file);
  return text;
}

struct Inspected {
  ReadOutcome outcome;
  std::string text;
  Json json;
};

Inspected inspect(std::string_view bytes, InspectStyle style = InspectStyle::kJson,
                  const std::string& name = "some/trace.nettrace") {
  Inspected inspected;
  OutputBytes output([&](std::span<const std::byte> part) {
    inspected.text.append(reinterpret_cast<const char*>(part.data()), part.size());
    return true;
  });
  const auto input = InputBytes::in_memory(name, std::as_bytes(std::span(bytes)));
  inspected.outcome = inspect_nettrace(*input, style, output);
  output.flush();
  if (style == InspectStyle::kJson && !inspected.text.empty()) {
    inspected.json = Json::parse(inspected.text);
  }
  return inspected;
}

const std::string kSmallSamples[] = {"s00_empty", "s01_uncompressed", "s02_all_flag_bytes",
                                     "s03_dropped"};
const std::string kRealSamples[] = {"eventpipe-dotnetcore5.0-win-x64-arraytypes",
                                    "mixed_managed_external_samples"};

void expect_sample(const std::string& name, const Json& summary, const std::string& lines) {
  SCOPED_TRACE(name);
  const std::string bytes = file_text(name + ".nettrace");
  const Inspected json = inspect(bytes, InspectStyle::kJson, "dir/" + name + ".nettrace");
  EXPECT_EQ(json.outcome.end, ReadEnd::kWhole) << json.outcome.message;
  EXPECT_TRUE(json.outcome.warnings.empty());
  for (const auto& [key, value] : summary.items()) EXPECT_EQ(json.json[key], value) << key;
  EXPECT_EQ(json.json.size(), summary.size());
  EXPECT_EQ(inspect(bytes, InspectStyle::kCsv).text, lines);
}

TEST(NettraceInspect, ReportsTheSamplesAsExpected) {
  for (const std::string& name : kSmallSamples) {
    const Json sample = Json::parse(file_text(name + ".json"));
    expect_sample(name, sample["summary"], sample["csv"].get<std::string>());
  }
}

TEST(NettraceInspect, ReportsTracesOfDotnetAsExpected) {
  for (const std::string& name : kRealSamples) {
    Json summary = Json::parse(file_text(name + ".json"));
    summary.erase("kind");
    summary.erase("source");
    expect_sample(name, summary, unzipped(name + ".csv.gz"));
  }
}

void expect_beginning(const Inspected& part, const std::string& lines, std::size_t bytes) {
  const ReadEnd end = part.outcome.end;
  EXPECT_TRUE(end == ReadEnd::kWhole || !part.outcome.message.empty());
  if (end != ReadEnd::kWhole) {
    EXPECT_LE(part.outcome.offset, bytes);
  }
  if (end == ReadEnd::kRefused) {
    EXPECT_TRUE(part.text.empty());
  }
  EXPECT_EQ(part.text, lines.substr(0, part.text.size()));
}

TEST(NettraceInspect, DeliversWhatPrecedesATruncationAtAnyByte) {
  for (const std::string& name : kSmallSamples) {
    const std::string whole = file_text(name + ".nettrace");
    // In order of time, which is the order of the file for all events but one.
    const std::string lines = inspect(whole, InspectStyle::kCsv).text;
    std::size_t longest = 0;
    for (std::size_t bytes = first_cut(whole.size()); bytes < whole.size();
         bytes += bytes_apart()) {
      SCOPED_TRACE(name + " cut to " + std::to_string(bytes));
      const Inspected part = inspect(whole.substr(0, bytes), InspectStyle::kCsv);
      if (name != "s01_uncompressed") expect_beginning(part, lines, bytes);
      EXPECT_EQ(part.outcome.end == ReadEnd::kRefused, bytes < 101);
      EXPECT_TRUE(part.outcome.end != ReadEnd::kWhole || !part.outcome.warnings.empty());
      EXPECT_GE(part.text.size(), longest);
      longest = part.text.size();
    }
    EXPECT_EQ(longest, lines.size());
  }
}

TEST(NettraceInspect, DeliversEachEventThatStandsBeforeATruncation) {
  FileMaker file;
  file.block("MetadataBlock", blob_block(metadata_blob(metadata_head(1, "P", 7, "E"))));
  const std::string one = event_blob(1, 0, 5, 1, "payload");
  file.block("EventBlock", blob_block(one + one + one));
  const std::string bytes = file.bytes();
  for (std::size_t events = 0; events <= 2; ++events) {
    // The block ends with the tag of its end.
    const std::size_t kept = bytes.size() - 1 - (3 - events) * one.size();
    for (std::size_t more = 0; more < one.size(); ++more) {
      const Inspected part = inspect(bytes.substr(0, kept + more));
      EXPECT_EQ(part.outcome.end, ReadEnd::kDamaged);
      EXPECT_EQ(part.outcome.offset, kept);
      EXPECT_EQ(part.json["events"], events);
      EXPECT_FALSE(part.json["parse_error"].is_null());
    }
  }
}

TEST(NettraceInspect, SurvivesAnyChangedByte) {
  for (const std::string& name : kSmallSamples) {
    std::string bytes = file_text(name + ".nettrace");
    for (std::size_t at = 0; at < bytes.size(); at += bytes_apart()) {
      SCOPED_TRACE(name + " changed at " + std::to_string(at));
      const char before = bytes[at];
      bytes[at] = static_cast<char>(before ^ (at % 3 == 0 ? 0x01 : at % 3 == 1 ? 0x80 : 0xFF));
      const Inspected changed = inspect(bytes, InspectStyle::kText);
      bytes[at] = before;
      EXPECT_TRUE(changed.outcome.end == ReadEnd::kWhole || !changed.outcome.message.empty());
      EXPECT_EQ(changed.text.empty(), changed.outcome.end == ReadEnd::kRefused);
    }
  }
}

TEST(NettraceInspect, RefusesFilesThatAreNotNetTraceOfASupportedVersion) {
  const auto refused = [](std::string_view bytes) {
    const Inspected inspected = inspect(bytes);
    EXPECT_EQ(inspected.outcome.end, ReadEnd::kRefused);
    EXPECT_TRUE(inspected.text.empty());
    return inspected.outcome.message;
  };
  EXPECT_NE(refused("something else").find("magic"), std::string::npos);
  EXPECT_NE(refused(FileMaker(5, 5).whole()).find("version 5"), std::string::npos);
  EXPECT_NE(refused(FileMaker(5, 4).whole()).find("version 5"), std::string::npos);
  EXPECT_NE(refused(FileMaker(4, 5).whole()).find("version 5"), std::string::npos);
  std::string earlier = FileMaker().whole().substr(0, 32);
  earlier += "\x05\x05\x01";
  for (const std::uint32_t value : {1U, 0U, 38U}) put(earlier, value);
  earlier += "Microsoft.DotNet.Runtime.EventPipeFile\x06";
  EXPECT_NE(refused(earlier).find("not a trace object"), std::string::npos);
}

TEST(NettraceInspect, HonoursTheMinimumReaderVersionOfABlock) {
  FileMaker file;
  file.block("MetadataBlock", blob_block(metadata_blob(metadata_head(1, "P", 7, "E"))), {}, 3, 2);
  file.block("EventBlock", blob_block(event_blob(1, 0, 5, 1, "x")));
  file.block("EventBlock", blob_block(event_blob(1, 0, 5, 1, "x")), {}, 3, 3);
  const Inspected inspected = inspect(file.whole());
  EXPECT_EQ(inspected.outcome.end, ReadEnd::kDamaged);
  EXPECT_NE(inspected.outcome.message.find("version 3"), std::string::npos);
  EXPECT_EQ(inspected.json["events"], 1);
}

TEST(NettraceInspect, PassesOverUnknownObjectsTaggedFieldsAndLongerHeaders) {
  const std::string fields = "\x08\x01\x09\x01\x02\x0a\x01\x02\x03\x04\x0b"s + "12345678" + "\x0d" +
                             number(3) + "abc" + "\x0e" + number(2) + "\x06\x05" + "\x01";
  FileMaker file;
  file.begin("Tagged");
  file.raw(fields);
  file.end();
  file.begin("Nothing");
  file.end();
  file.block("FutureBlock", std::string(100, '\x06'));
  file.block("LargeBlock", std::string(3 << 20, 'x'));
  file.block("MetadataBlock", blob_block(metadata_blob(metadata_head(1, "P", 7, "E"))), fields);
  file.block("EventBlock", blob_block(event_blob(1, 0, 5, 1, "x"), "more of a header"), fields);
  const Inspected inspected = inspect(file.whole());
  EXPECT_EQ(inspected.outcome.end, ReadEnd::kWhole) << inspected.outcome.message;
  EXPECT_EQ(inspected.outcome.warnings.size(), 4U);
  EXPECT_EQ(inspected.json["events"], 1);
  EXPECT_EQ(inspected.json["objects"].size(), 7U);
  EXPECT_EQ(inspected.json["block_header_sizes"], Json::parse(R"({"20": 1, "36": 1})"));
}

TEST(NettraceInspect, PassesOverTaggedFieldsOfAnyLength) {
  const std::string large = "\x0e" + number(3 << 20) + std::string(3 << 20, '\x06');
  const std::string object = "\x05\x05\x01"s + number(1) + number(1) + number(1) + "T\x06";
  FileMaker file;
  file.begin("Tagged");
  file.raw(large + object + large + "\x06" + large);
  file.end();
  file.block("EventBlock", blob_block(event_blob(1, 0, 5, 1, "x")), large);
  file.block("Microsoft.Later", "an unknown object, for all its name");
  file.block("EventBlock", blob_block(event_blob(1, 0, 5, 1, "x")));
  const Inspected inspected = inspect(file.whole());
  EXPECT_EQ(inspected.outcome.end, ReadEnd::kWhole) << inspected.outcome.message;
  EXPECT_EQ(inspected.json["events"], 2);
  FileMaker cut;
  cut.block("EventBlock", blob_block(event_blob(1, 0, 5, 1, "x")),
            "\x0e" + number(0xFFFF'FFFF) + "x");
  EXPECT_EQ(inspect(cut.whole()).outcome.end, ReadEnd::kDamaged);
}

// As .NET writes them; with a size that leaves out the padding; and without the padding after the
// last event.
TEST(NettraceInspect, FindsUncompressedEventsWhetherOrNotTheirSizeCountsThePadding) {
  for (const bool counted : {true, false}) {
    for (std::size_t payload = 0; payload < 5; ++payload) {
      for (const bool padded : {true, false}) {
        std::string body = blob_block("");
        body[2] = 0;
        for (std::uint32_t sequence = 1; sequence <= 3; ++sequence) {
          const std::size_t padding =
              padded || sequence < 3 ? (4 - payload % 4) % 4 : std::size_t{0};
          put(body, static_cast<std::uint32_t>(76 + payload + (counted ? padding : 0)));
          put(body, sequence == 2 ? 0x8000'0001U : 1U);
          put(body, sequence);
          put(body, std::uint64_t{5});
          put(body, std::uint64_t{5});
          for (const std::uint32_t value : {0U, 0U}) put(body, value);
          put(body, std::uint64_t{1000} + sequence);
          body.append(32, '\0');
          put(body, static_cast<std::uint32_t>(payload));
          body += std::string(payload, 'p') + std::string(padding, '\0');
        }
        FileMaker file;
        file.block("EventBlock", body);
        const Inspected inspected = inspect(file.whole());
        EXPECT_EQ(inspected.outcome.end, ReadEnd::kWhole) << inspected.outcome.message;
        EXPECT_EQ(inspected.json["events"], 3);
        EXPECT_EQ(inspected.json["payload_bytes"], 3 * payload);
        EXPECT_EQ(inspected.json["sorted_flag_events"], 2);
        EXPECT_EQ(inspected.json["last_timestamp"], 1003);
      }
    }
  }
}

TEST(NettraceInspect, ReadsBothFieldDescriptions) {
  const std::string string = number(18);
  const std::string nested =
      number(1) + number(2) + v1_field("a", number(9)) + v1_field("b", string);
  const std::string v1 = number(2) + v1_field("inner", nested) + v1_field("c", number(3));
  const std::string element = number(1) + number(1) + v2_field("s", string);
  const std::string v2 = number(0) + tag(77, "what is this") + tag(1, "\x09") +
                         tag(2, number(2) + v2_field("list", number(19) + element, "padding") +
                                    v2_field("n", number(11)));
  const std::string unknown = number(2) + v1_field("a", number(99)) + v1_field("b", number(9));
  FileMaker file;
  file.block("MetadataBlock", blob_block(metadata_blob(metadata_head(1, "P", 1, "A") + v1) +
                                         metadata_blob(metadata_head(2, "P", 2, "B") + v2) +
                                         metadata_blob(metadata_head(3, "P", 3, "C") + unknown) +
                                         metadata_blob(metadata_head(4, "P", 4, "D"))));
  const std::string first = number(5) + utf16("five") + number(1);
  const std::string second = "\x02\0"s + utf16("x") + utf16("yy") + std::string(8, '\1');
  file.block("EventBlock",
             blob_block(event_blob(1, 0, 5, 1, first) + event_blob(2, 0, 5, 1, second) +
                        event_blob(2, 0, 5, 1, second + "more") +
                        event_blob(2, 0, 5, 1, second.substr(1)) + event_blob(3, 0, 5, 1, "any") +
                        event_blob(4, 0, 5, 1, "any") + event_blob(9, 0, 5, 1, "any")));
  const Json json = inspect(file.whole()).json;
  EXPECT_EQ(json["payload_decode"],
            Json::parse(R"({"no_fields": 3, "exact": 2, "extra_bytes": 1, "too_short": 1})"));
  EXPECT_EQ(json["metadata_field_descriptions"],
            Json::parse(R"({"none": 1, "v1": 1, "v2": 1, "unknown": 1})"));
  EXPECT_EQ(json["metadata_with_opcode_tag"], 1);
  EXPECT_EQ(json["events_without_metadata"], 1);
}

TEST(NettraceInspect, TreatsATypeWithAbsurdlyManyFieldsAsUnknown) {
  const auto description_of = [](std::string_view fields) {
    FileMaker file;
    file.block("MetadataBlock",
               blob_block(metadata_blob(metadata_head(1, "P", 1, "A") + std::string(fields))));
    return inspect(file.whole()).json["metadata_field_descriptions"];
  };
  const auto times = [](std::uint32_t count, std::string_view field) {
    std::string fields = number(count);
    for (std::uint32_t i = 0; i < count; ++i) fields += field;
    return fields;
  };
  const std::string empty = v1_field("", number(1) + number(0));
  const std::string v2_empty = v2_field("", number(1) + number(0));
  const auto v2 = [&](std::uint32_t count) {
    const std::string inner = v2_field("o", number(1) + times(count, v2_empty));
    const std::string fields = number(2) + inner + v2_field("s", number(18));
    return number(0) + tag(2, fields);
  };
  const std::string byte = v1_field("", number(6));
  const Json known_v1 = Json::parse(R"({"v1": 1})");
  const Json known_v2 = Json::parse(R"({"v2": 1})");
  const Json unknown = Json::parse(R"({"unknown": 1})");
  EXPECT_EQ(description_of(times(256, empty)), known_v1);
  EXPECT_EQ(description_of(times(257, empty)), unknown);
  EXPECT_EQ(description_of(v2(255)), known_v2);
  EXPECT_EQ(description_of(v2(256)), unknown);  // 256 and the object around them
  EXPECT_EQ(description_of(times(65535, byte)), known_v1);
  EXPECT_EQ(description_of(times(65536, byte)), unknown);
}

TEST(NettraceInspect, CountsGapsResetsAndRegressionsAcrossTheWrap) {
  std::string blobs;
  std::uint32_t last = 0;
  for (const std::uint32_t sequence : {0xFFFF'FFFEU, 0xFFFF'FFFFU, 2U, 1U, 2U, 2U, 3U}) {
    blobs += event_blob(1, sequence - last - 1, 5, 1, "");
    last = sequence;
  }
  FileMaker file;
  file.block("EventBlock", blob_block(blobs));
  const Json dropped = inspect(file.whole()).json["dropped"];
  EXPECT_EQ(dropped["events_gap"], 2);  // 0 and 1
  EXPECT_EQ(dropped["gaps"], 1);
  EXPECT_EQ(dropped["resets"], 1);
  EXPECT_EQ(dropped["regressions"], 1);
  EXPECT_EQ(dropped["first_seen_missing"], 0xFFFF'FFFDU);
}

TEST(NettraceInspect, WarnsAboutAMissingEndAndAboutBytesAfterIt) {
  const Inspected missing = inspect(FileMaker().bytes());
  EXPECT_EQ(missing.outcome.end, ReadEnd::kWhole);
  EXPECT_EQ(missing.outcome.warnings.size(), 1U);
  EXPECT_EQ(missing.json["ended_with_null_reference"], false);
  const Inspected behind = inspect(FileMaker().whole() + "more");
  EXPECT_EQ(behind.outcome.end, ReadEnd::kWhole);
  EXPECT_EQ(behind.outcome.warnings.size(), 1U);
  EXPECT_EQ(behind.json["trailing_bytes"], 4);
}

TEST(NettraceInspect, DoesNotTrustAbsurdLengths) {
  const auto damaged = [](std::string_view type, std::string_view body) {
    FileMaker file;
    file.block(type, body);
    Inspected inspected = inspect(file.whole());
    EXPECT_EQ(inspected.outcome.end, ReadEnd::kDamaged) << type;
    return inspected;
  };
  damaged("StackBlock", number(1) + number(0xFFFF'FFFF));
  damaged("StackBlock", number(1) + number(1) + number(0xFFFF'FFF0));
  damaged("SPBlock", std::string(8, '\0') + number(0xFFFF'FFFF));
  damaged("EventBlock", "\x00\x00\x01\x00"s + std::string(30, '\0'));
  damaged("EventBlock", blob_block("\x80" + varint(1) + varint(0xFFFF'FFFF)));
  damaged("EventBlock", blob_block(std::string(30, '\xFF')));
  damaged("MetadataBlock", blob_block(metadata_blob("short")));
  damaged("MetadataBlock", blob_block(metadata_blob(metadata_head(1, "P", 1, "A") + number(5))));
  FileMaker file;
  file.begin("EventBlock");
  file.raw(number(0x8000'0000));
  EXPECT_EQ(inspect(file.bytes()).outcome.end, ReadEnd::kDamaged);
  // An absurd event is not kept in memory, even if it is the only one.
  EXPECT_NE(damaged("EventBlock",
                    blob_block("\x80" + varint(1) + varint(65 << 20) + std::string(65 << 20, 'x')))
                .outcome.message.find("the maximum is"),
            std::string::npos);
  FileMaker large;
  large.begin("EventBlock");
  large.raw(number(0x7FFF'FFFF) + blob_block(event_blob(1, 0, 5, 1, "x")));
  EXPECT_EQ(inspect(large.bytes()).json["events"], 1);
}

}  // namespace
}  // namespace ringside::tool::nettrace
