#include "libagent/examples/kvd/resp_parser.hpp"

#include <cstddef>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace kvd {
namespace {

constexpr RequestLimits kSmallLimits{.inline_bytes = 24,
                                     .count_line_bytes = 8,
                                     .array_length = 4,
                                     .bulk_bytes = 16,
                                     .request_bytes = 64};

// Requests as "[a][b]", an error as "!reason", in the order of the parser's output.
using Outcome = std::vector<std::string>;

void drain(RespParser& parser, Outcome& outcome) {
  for (;;) {
    const ParseStatus status = parser.next();
    if (status == ParseStatus::kNeedMore) return;
    std::string text;
    if (status == ParseStatus::kError) {
      text = "!" + std::string(parser.error());
      if (outcome.empty() || outcome.back() != text) outcome.push_back(text);
      return;
    }
    for (const std::string_view argument : parser.arguments()) {
      text.append("[").append(argument).append("]");
    }
    outcome.push_back(text);
  }
}

Outcome parse_pieces(const std::vector<std::string_view>& pieces, const RequestLimits& limits) {
  RespParser parser(limits);
  Outcome outcome;
  for (const std::string_view piece : pieces) {
    parser.append(piece);
    drain(parser, outcome);
  }
  return outcome;
}

// The outcome of the stream in one piece; every way to split it must give the same.
Outcome parse(std::string_view stream, const RequestLimits& limits = {}) {
  Outcome whole = parse_pieces({stream}, limits);
  std::vector<std::string_view> bytes;
  for (std::size_t at = 0; at < stream.size(); ++at) bytes.push_back(stream.substr(at, 1));
  EXPECT_EQ(parse_pieces(bytes, limits), whole) << "byte by byte: " << stream;
  for (std::size_t first = 0; first <= stream.size(); ++first) {
    EXPECT_EQ(parse_pieces({stream.substr(0, first), stream.substr(first)}, limits), whole)
        << "split at " << first << ": " << stream;
    if (stream.size() > 100) continue;
    for (std::size_t second = first; second <= stream.size(); ++second) {
      EXPECT_EQ(parse_pieces({stream.substr(0, first), stream.substr(first, second - first),
                              stream.substr(second)},
                             limits),
                whole)
          << "split at " << first << " and " << second << ": " << stream;
    }
  }
  return whole;
}

TEST(RespParser, GivesTheArgumentsOfAnArrayOfBulks) {
  EXPECT_EQ(parse("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$5\r\nvalue\r\n"), (Outcome{"[SET][k][value]"}));
}

TEST(RespParser, KeepsLineEndsAndZeroBytesInsideBulks) {
  using namespace std::string_literals;
  EXPECT_EQ(parse("*2\r\n$4\r\n\r\n\0*\r\n$0\r\n\r\n"s), (Outcome{"[\r\n\0*][]"s}));
}

TEST(RespParser, GivesPipelinedRequestsOfBothFormsInOrder) {
  EXPECT_EQ(parse("*1\r\n$4\r\nPING\r\nGET a\r\n*2\r\n$3\r\nGET\r\n$1\r\nb\r\nINCR c\n*1\r\n$1"),
            (Outcome{"[PING]", "[GET][a]", "[GET][b]", "[INCR][c]"}));
}

TEST(RespParser, PassesOverEmptyLinesAndEmptyArrays) {
  EXPECT_EQ(parse("\r\n\n  \r\n*0\r\n*-1\r\n*-7\r\nPING\r\n"), (Outcome{"[PING]"}));
}

TEST(RespParser, UnderstandsQuotesAndEscapesInInlineRequests) {
  EXPECT_EQ(parse(R"(SET "a b" 'c\'d' "\x41\n\"\q" e"f" "\x4")"
                  "\r\n"),
            (Outcome{"[SET][a b][c'd][A\n\"q][ef][x4]"}));
  EXPECT_EQ(parse("SET \"\" ''\n"), (Outcome{"[SET][][]"}));
}

TEST(RespParser, RejectsUnbalancedQuotes) {
  const Outcome expected{"!unbalanced quotes in request"};
  EXPECT_EQ(parse("GET \"a\r\n"), expected);
  EXPECT_EQ(parse("GET 'a\r\n"), expected);
  EXPECT_EQ(parse("GET \"a\"b\r\n"), expected);
  EXPECT_EQ(parse("GET \"a\\\r\n"), expected);
}

TEST(RespParser, RejectsArrayLengthsThatAreNotANumberOrTooLarge) {
  const Outcome expected{"!invalid multibulk length"};
  for (const char* const length :
       {"", "a", "1a", " 1", "+1", "01", "-0", "--1", "5", "65537", "9999999", "1\n", "1\rx"}) {
    EXPECT_EQ(parse("*" + std::string(length) + "\r\n", kSmallLimits), expected) << length;
  }
  EXPECT_EQ(parse("*99999999999999999999\r\n"), expected);
  EXPECT_EQ(parse("*65537\r\n"), expected);
  EXPECT_EQ(parse("*65536\r\n"), Outcome{});
}

TEST(RespParser, RejectsBulkLengthsThatAreNotANumberOrTooLarge) {
  const Outcome expected{"!invalid bulk length"};
  for (const char* const length : {"", "a", "-1", "1a", "+1", "01", "17", "9999999", "1\rx"}) {
    EXPECT_EQ(parse("*1\r\n$" + std::string(length) + "\r\n", kSmallLimits), expected) << length;
  }
  EXPECT_EQ(parse("*1\r\n$67108865\r\n"), expected);
  EXPECT_EQ(parse("*1\r\n$67108864\r\n"), Outcome{});
  EXPECT_EQ(parse("*1\r\n$99999999999999999999\r\n"), expected);
}

TEST(RespParser, RejectsWhatIsNotABulk) {
  EXPECT_EQ(parse("*2\r\n:1\r\n"), (Outcome{"!expected '$', got ':'"}));
  EXPECT_EQ(parse("*2\r\n$1\r\na\r\n*1\r\n"), (Outcome{"!expected '$', got '*'"}));
}

TEST(RespParser, RejectsBulksLongerThanTheirLength) {
  EXPECT_EQ(parse("*1\r\n$3\r\nPING\r\n"), (Outcome{"!expected CRLF after bulk"}));
  EXPECT_EQ(parse("*1\r\n$4\r\nPING\rx"), (Outcome{"!expected CRLF after bulk"}));
}

TEST(RespParser, AcceptsEachLimitExactlyAndRejectsOneMore) {
  const std::string line(24, 'x');
  EXPECT_EQ(parse(line + "\r\n", kSmallLimits), (Outcome{"[" + line + "]"}));
  EXPECT_EQ(parse(line + "x\r\n", kSmallLimits), (Outcome{"!too big inline request"}));
  EXPECT_EQ(parse(line + "x", kSmallLimits), (Outcome{"!too big inline request"}));

  const std::string bulk(16, 'y');
  EXPECT_EQ(parse("*1\r\n$16\r\n" + bulk + "\r\n", kSmallLimits), (Outcome{"[" + bulk + "]"}));

  EXPECT_EQ(parse("*123456789\r\n", kSmallLimits), (Outcome{"!too big mbulk count string"}));
  EXPECT_EQ(parse("*1\r\n$123456789", kSmallLimits), (Outcome{"!too big bulk count string"}));

  // 4 + 3 * (5 + 12 + 2) = 61 bytes fit into 64, 4 + 3 * (5 + 14 + 2) = 67 do not.
  const std::string fits = "$12\r\n" + std::string(12, 'z') + "\r\n";
  const std::string over = "$14\r\n" + std::string(14, 'z') + "\r\n";
  const std::string part = "[" + std::string(12, 'z') + "]";
  EXPECT_EQ(parse("*3\r\n" + fits + fits + fits, kSmallLimits), (Outcome{part + part + part}));
  EXPECT_EQ(parse("*3\r\n" + over + over + over, kSmallLimits), (Outcome{"!too big request"}));
}

TEST(RespParser, RejectsTooManyInlineArguments) {
  EXPECT_EQ(parse("a b c d\n", kSmallLimits), (Outcome{"[a][b][c][d]"}));
  EXPECT_EQ(parse("a b c d e\n", kSmallLimits), (Outcome{"!too many inline arguments"}));
}

TEST(RespParser, StaysWithItsFirstError) {
  RespParser parser;
  parser.append("*x\r\n");
  ASSERT_EQ(parser.next(), ParseStatus::kError);
  parser.append("*1\r\n$4\r\nPING\r\n");
  EXPECT_EQ(parser.next(), ParseStatus::kError);
  EXPECT_EQ(parser.error(), "invalid multibulk length");
}

TEST(RespParser, GivesWhatCameBeforeAnError) {
  EXPECT_EQ(parse("PING\r\n*1\r\n$4\r\nECHO\r\n*1\r\n!"),
            (Outcome{"[PING]", "[ECHO]", "!expected '$', got '!'"}));
}

TEST(RespParser, CountsTheBytesOfTheRequestAndThoseLeft) {
  RespParser parser;
  parser.append("PING\r\n*1\r\n$4\r\nECHO\r\n*2\r\n");
  EXPECT_EQ(parser.buffered_bytes(), 24U);
  ASSERT_EQ(parser.next(), ParseStatus::kRequest);
  EXPECT_TRUE(parser.is_inline());
  EXPECT_EQ(parser.request_bytes(), 6U);
  EXPECT_EQ(parser.buffered_bytes(), 18U);
  ASSERT_EQ(parser.next(), ParseStatus::kRequest);
  EXPECT_FALSE(parser.is_inline());
  EXPECT_EQ(parser.request_bytes(), 14U);
  ASSERT_EQ(parser.next(), ParseStatus::kNeedMore);
  EXPECT_EQ(parser.buffered_bytes(), 4U);
}

// Bytes close enough to the protocol to reach every state. The seed is fixed, so every run is the
// same.
TEST(RespParser, GivesOneOutcomeForGarbageHoweverItIsSplit) {
  static constexpr std::string_view kAlphabet[] = {
      "*", "$",  "\r\n", "\r",           "\n",           "0",     "1", "2", "-1", "a", " ", "\"",
      "'", "\\", "\x01", "*1\r\n$1\r\n", "$2\r\nab\r\n", "*2\r\n"};
  std::mt19937 random(7);  // NOLINT(bugprone-random-generator-seed,cert-msc51-cpp)
  std::size_t requests = 0;
  std::size_t errors = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string stream;
    for (std::size_t part = random() % 12; part > 0; --part) {
      stream += kAlphabet[random() % std::size(kAlphabet)];
    }
    const Outcome whole = parse_pieces({stream}, kSmallLimits);
    const std::size_t first = stream.empty() ? 0 : random() % stream.size();
    const std::size_t second = first + (stream.empty() ? 0 : random() % (stream.size() - first));
    const std::string_view view = stream;
    ASSERT_EQ(parse_pieces(
                  {view.substr(0, first), view.substr(first, second - first), view.substr(second)},
                  kSmallLimits),
              whole)
        << "round " << round;
    for (const std::string& text : whole) ++(text.front() == '!' ? errors : requests);
  }
  // Otherwise the garbage would not reach the code under test.
  EXPECT_GT(requests, 1000U);
  EXPECT_GT(errors, 1000U);
}

}  // namespace
}  // namespace kvd
