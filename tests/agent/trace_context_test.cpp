// Headers that carry the identity of a request: those of W3C Trace Context and B3.

#include "libagent/include/ringside/trace_context.hpp"

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "libagent/include/ringside/b3.hpp"
#include "libagent/include/ringside/trace_state.hpp"

namespace ringside::test {
namespace {

// The example of the recommendation.
constexpr std::string_view kParent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

std::string text_of(const TraceParent& parent) {
  const auto text = format_traceparent(parent);
  return {text.data(), text.size()};
}

TEST(TraceParentHeader, HasItsFields) {
  const auto parent = parse_traceparent(kParent);
  ASSERT_TRUE(parent);
  EXPECT_EQ(parent->trace_id, (ActivityId{0x4B, 0xF9, 0x2F, 0x35, 0x77, 0xB3, 0x4D, 0xA6, 0xA3,
                                          0xCE, 0x92, 0x9D, 0x0E, 0x0E, 0x47, 0x36}));
  EXPECT_EQ(parent->span_id, (SpanId{0x00, 0xF0, 0x67, 0xAA, 0x0B, 0xA9, 0x02, 0xB7}));
  EXPECT_TRUE(parent->is_sampled);
  EXPECT_EQ(text_of(*parent), kParent);
}

TEST(TraceParentHeader, OtherFlagsAreNotPassedOn) {
  const auto parent = parse_traceparent("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-fe");
  ASSERT_TRUE(parent);
  EXPECT_FALSE(parent->is_sampled);
  EXPECT_EQ(text_of(*parent).substr(53), "00");
}

TEST(TraceParentHeader, LaterVersionsMayHaveMore) {
  const std::string later = "cc" + std::string(kParent.substr(2));
  EXPECT_TRUE(parse_traceparent(later));
  EXPECT_TRUE(parse_traceparent(later + "-what-the-future-will-be-like"));
  EXPECT_FALSE(parse_traceparent(later + ".what"));
  EXPECT_FALSE(parse_traceparent(std::string(kParent) + "-what"));
}

TEST(TraceParentHeader, InvalidOnesAreRefused) {
  for (const std::string_view header :
       {"", "00", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0",
        "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e473g-00f067aa0ba902b7-01",
        "00_4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736_00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7_01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-x1",
        "0x-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}) {
    EXPECT_FALSE(parse_traceparent(header)) << header;
  }
}

TEST(TraceStateHeader, HasItsMembersInTheirOrder) {
  const auto state =
      TraceState::parse(" rojo=00f067aa0ba902b7 ,\tcongo=t61rcWkgMzE,, fw529a3039@dt=FfSA ");
  ASSERT_TRUE(state);
  ASSERT_EQ(state->size(), 3U);
  EXPECT_EQ((*state)[0].key, "rojo");
  EXPECT_EQ(state->find("congo"), "t61rcWkgMzE");
  EXPECT_EQ(state->find("fw529a3039@dt"), "FfSA");
  EXPECT_FALSE(state->find("other"));
  EXPECT_EQ(TraceState::parse("")->size(), 0U);
}

TEST(TraceStateHeader, InvalidOnesAreRefused) {
  const std::string long_text(257, 'a');
  for (const std::string& header :
       {std::string("a"), std::string("=b"), std::string("a="), std::string("A=b"),
        std::string("a=b=c"), std::string("a=1,a=2"), std::string("-a=b"), std::string("a b=c"),
        std::string("a=\x01"), std::string("a=\x80"), long_text + "=b", "a=" + long_text}) {
    EXPECT_FALSE(TraceState::parse(header)) << header;
  }
  std::string most;
  for (int i = 0; i < 32; ++i) most += "k" + std::to_string(i) + "=v,";
  EXPECT_EQ(TraceState::parse(most)->size(), 32U);
  EXPECT_FALSE(TraceState::parse(most + "one=more"));
}

TEST(TraceStateHeader, AChangedMemberComesFirst) {
  const auto state = TraceState::parse("rojo=1,congo=2,lima=3");
  std::array<char, 64> out{};
  const auto written = [&](std::string_view key, std::string_view value, std::size_t bytes) {
    return std::string(out.data(), state->write_with(key, value, out.data(), bytes));
  };
  EXPECT_EQ(written("congo", "9", out.size()), "congo=9,rojo=1,lima=3");
  EXPECT_EQ(written("new", "9", out.size()), "new=9,rojo=1,congo=2,lima=3");
  EXPECT_EQ(written("new", "9", 20), "new=9,rojo=1,congo=2");
  EXPECT_EQ(written("new", "9", 19), "new=9,rojo=1");
  EXPECT_EQ(written("new", "9", 4), "");
  EXPECT_EQ(written("New", "9", out.size()), "");
  EXPECT_EQ(written("new", "9,", out.size()), "");
}

TEST(B3Header, HasItsFields) {
  const auto parent =
      parse_b3("80f198ee56343ba864fe8b2a57d3eff7-e457b5a2e4d86bd1-1-05e3ac9a4f6e3b90");
  ASSERT_TRUE(parent);
  EXPECT_EQ(text_of(*parent), "00-80f198ee56343ba864fe8b2a57d3eff7-e457b5a2e4d86bd1-01");
  const auto text = format_b3(*parent);
  EXPECT_EQ(std::string_view(text.data(), text.size()),
            "80f198ee56343ba864fe8b2a57d3eff7-e457b5a2e4d86bd1-1");
  EXPECT_FALSE(parse_b3("80f198ee56343ba864fe8b2a57d3eff7-e457b5a2e4d86bd1")->is_sampled);
  EXPECT_TRUE(parse_b3("80f198ee56343ba864fe8b2a57d3eff7-e457b5a2e4d86bd1-d")->is_sampled);
  EXPECT_EQ(text_of(*parse_b3("64fe8b2a57d3eff7-e457b5a2e4d86bd1-0")),
            "00-000000000000000064fe8b2a57d3eff7-e457b5a2e4d86bd1-00");
}

TEST(B3Header, InvalidOnesAreRefused) {
  for (const std::string_view header :
       {"", "0", "1", "d", "-", "64fe8b2a57d3eff7", "64fe8b2a57d3eff7-",
        "64fe8b2a57d3eff7-e457b5a2e4d86bd", "64fe8b2a57d3eff-e457b5a2e4d86bd1",
        "64fe8b2a57d3eff7-e457b5a2e4d86bd1-2", "64fe8b2a57d3eff7-e457b5a2e4d86bd1-1-",
        "64fe8b2a57d3eff7-e457b5a2e4d86bd1-1-05e3ac9a4f6e3b90-",
        "0000000000000000-e457b5a2e4d86bd1-1", "64fe8b2a57d3eff7-0000000000000000-1",
        "64fe8b2a57d3efg7-e457b5a2e4d86bd1-1", "64fe8b2a57d3eff7-e457b5a2e4d86bd1-"}) {
    EXPECT_FALSE(parse_b3(header)) << header;
  }
}

TEST(B3Header, MayComeInPieces) {
  const auto parent = parse_b3("80F198EE56343BA864FE8B2A57D3EFF7", "e457b5a2e4d86bd1", "true", "");
  ASSERT_TRUE(parent);
  EXPECT_TRUE(parent->is_sampled);
  EXPECT_TRUE(parse_b3("64fe8b2a57d3eff7", "e457b5a2e4d86bd1", "", "1")->is_sampled);
  EXPECT_FALSE(parse_b3("64fe8b2a57d3eff7", "e457b5a2e4d86bd1", "0", "")->is_sampled);
  EXPECT_FALSE(parse_b3("", "", "", ""));
}

// What is accepted comes back; nothing is read outside of the text (AddressSanitizer).
TEST(Headers, RandomOnesAreReadOrRefused) {
  const char* const given = std::getenv("RINGSIDE_TEST_SEED");
  const std::uint64_t seed =
      given != nullptr ? std::strtoull(given, nullptr, 0) : std::uint64_t{std::random_device{}()};
  std::printf("RINGSIDE_TEST_SEED=%llu\n", static_cast<unsigned long long>(seed));
  std::mt19937_64 random(seed);
  constexpr std::string_view kSeeds[] = {
      kParent, "80f198ee56343ba864fe8b2a57d3eff7-e457b5a2e4d86bd1-1-05e3ac9a4f6e3b90",
      "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE,fw529a3039@dt=FfSA"};
  constexpr std::string_view kCharacters = "0123456789abcdefABCDEF-,= \t@*/_g\x01\xFF";
  int accepted = 0;
  for (int i = 0; i < 200'000; ++i) {
    // On the heap, at its exact size.
    std::string text(kSeeds[random() % 3]);
    for (std::uint64_t changes = random() % 4; changes > 0 && !text.empty(); --changes) {
      const std::size_t at = random() % text.size();
      const char c = kCharacters[random() % kCharacters.size()];
      switch (random() % 4) {
        case 0:
          text.erase(at, 1 + random() % 8);
          break;
        case 1:
          text.insert(at, 1 + random() % 8, c);
          break;
        default:
          text[at] = c;
      }
    }
    const std::vector<char> exact(text.begin(), text.end());
    const std::string_view header(exact.data(), exact.size());
    if (const auto parent = parse_traceparent(header)) {
      ++accepted;
      EXPECT_EQ(text_of(*parent).substr(2, 51), header.substr(2, 51)) << text;
    }
    if (const auto parent = parse_b3(header)) {
      ++accepted;
      const auto again = parse_traceparent(text_of(*parent));
      ASSERT_TRUE(again) << text;
      EXPECT_EQ(again->span_id, parent->span_id);
    }
    if (const auto state = TraceState::parse(header)) {
      std::array<char, 1024> out{};
      const std::size_t bytes = state->write_with("ringside", "1", out.data(), out.size());
      const auto again = TraceState::parse({out.data(), bytes});
      ASSERT_TRUE(again) << text;
      EXPECT_LE(state->size(), again->size());
      ++accepted;
    }
  }
  EXPECT_GT(accepted, 1000);
}

}  // namespace
}  // namespace ringside::test
