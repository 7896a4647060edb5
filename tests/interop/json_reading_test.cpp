// The base of the JSON readers: splitting a stream into values, and the values themselves.

#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tools/interop/json/json_cutter.hpp"
#include "tools/interop/json/json_decimal.hpp"
#include "tools/interop/json/json_tree.hpp"

namespace ringside::tool {
namespace {

std::span<const std::byte> json_bytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

// Returns at most `most` bytes at once.
std::unique_ptr<InputBytes> in_pieces(std::string_view text, std::size_t most) {
  return InputBytes::of("pieces", [text, most](std::span<std::byte> room) mutable {
    const std::size_t count = std::min({most, room.size(), text.size()});
    if (count != 0) std::memcpy(room.data(), text.data(), count);
    text.remove_prefix(count);
    return static_cast<std::ptrdiff_t>(count);
  });
}

class RandomJson {
 public:
  explicit RandomJson(std::uint64_t seed) : random_(seed) {}

  std::string object(unsigned depth = 0) {
    std::string text = "{";
    for (std::uint64_t i = 0, members = below(5); i < members; ++i) {
      if (i != 0) text += ",";
      text += string() + ":" + value(depth + 1);
    }
    return text + "}";
  }

 private:
  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }

  std::string string() {
    static constexpr std::string_view kPieces[] = {"\\\"", "\\\\", "{", "}", "[",  "]",
                                                   ",",    "a",    "ü", " ", "\\n"};
    std::string text = "\"";
    for (std::uint64_t i = 0, pieces = below(below(10) == 0 ? 200 : 12); i < pieces; ++i) {
      text += kPieces[below(std::size(kPieces))];
    }
    return text + "\"";
  }

  std::string value(unsigned depth) {
    switch (below(depth > 8 ? 4 : 6)) {
      case 0:
        return std::to_string(random_());
      case 1:
        return "null";
      case 2:
      case 3:
        return string();
      case 4:
        return object(depth);
      default:
        return "[" + value(depth + 1) + " , " + value(depth + 1) + "]";
    }
  }

  std::mt19937_64 random_;
};

TEST(JsonCutter, FindsTheEndOfAnyObject) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const std::string object = RandomJson(seed).object();
    ASSERT_TRUE(nlohmann::json::accept(object)) << object;
    const std::string text = std::string(seed % 70, ' ') + object + "]}\"";
    for (const std::size_t most : {std::size_t{1} << 20, std::size_t{61}, std::size_t{1}}) {
      const auto input = in_pieces(text, most);
      JsonCutter cutter(*input);
      ASSERT_EQ(cutter.next(), '{');
      std::span<const std::byte> value;
      ASSERT_EQ(cutter.cut(text.size(), value), JsonCut::kValue) << object;
      EXPECT_EQ(value.size(), object.size()) << object;
      ASSERT_EQ(cutter.pass_value(), JsonCut::kValue);
      EXPECT_EQ(input->offset(), seed % 70 + object.size()) << object;
    }
    for (std::size_t bytes = 1; bytes < object.size(); ++bytes) {
      const auto input = in_pieces(std::string_view(object).substr(0, bytes), 64);
      std::span<const std::byte> value;
      ASSERT_EQ(JsonCutter(*input).cut(text.size(), value), JsonCut::kEnd) << bytes << object;
    }
  }
}

TEST(JsonCutter, HasABound) {
  const std::string text = "{\"a\":\"" + std::string(100'000, 'x') + "\"}";
  const auto input = in_pieces(text, 1000);
  JsonCutter cutter(*input);
  std::span<const std::byte> value;
  EXPECT_EQ(cutter.cut(text.size() - 1, value), JsonCut::kTooLong);
  EXPECT_EQ(cutter.cut(text.size(), value), JsonCut::kValue);
  EXPECT_EQ(cutter.pass_value(), JsonCut::kValue);
  EXPECT_EQ(cutter.next(), '\0');
}

TEST(JsonTree, AgreesWithAnotherParser) {
  JsonTree tree;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const std::string object = RandomJson(seed).object();
    ASSERT_TRUE(tree.parse(json_bytes(object))) << tree.why() << object;
    std::size_t members = 0;
    const auto parsed = nlohmann::json::parse(object);
    tree.for_each_in(0, [&](std::uint32_t i) {
      const JsonNode& node = tree.nodes()[i];
      ++members;
      ASSERT_TRUE(parsed.contains(node.key)) << node.key;
      if (node.kind == JsonKind::kString) return;
      if (node.kind == JsonKind::kArray || node.kind == JsonKind::kObject) {
        EXPECT_TRUE(nlohmann::json::accept(node.text)) << node.text;
      }
    });
    EXPECT_GE(members, parsed.size());
  }
}

JsonNode number(std::string_view text) {
  JsonNode node;
  EXPECT_TRUE(parse_json_number(text, node)) << text;
  node.text = text;
  return node;
}

TEST(JsonNumber, KeepsIntegersOf128Bits) {
  EXPECT_EQ(number("0").kind, JsonKind::kUnsigned);
  EXPECT_EQ(number("18446744073709551615").low, UINT64_MAX);
  EXPECT_EQ(number("-9223372036854775808").kind, JsonKind::kSigned);
  EXPECT_EQ(number("-9223372036854775809").kind, JsonKind::kLarge);
  EXPECT_EQ(number("18446744073709551616").high, 1U);
  EXPECT_EQ(number("340282366920938463463374607431768211455").high, UINT64_MAX);
  EXPECT_EQ(number("340282366920938463463374607431768211456").kind, JsonKind::kFloating);
  EXPECT_EQ(number("-170141183460469231731687303715884105728").high, std::uint64_t{1} << 63);
  EXPECT_EQ(number("-170141183460469231731687303715884105729").kind, JsonKind::kFloating);
  EXPECT_TRUE(std::signbit(number("-0").floating));
  EXPECT_EQ(number("1e400").floating, INFINITY);
  EXPECT_EQ(number("-1e400").floating, -INFINITY);
  EXPECT_EQ(number("1e-400").floating, 0.0);
  EXPECT_EQ(number("-Infinity").floating, -INFINITY);
  for (const char* const none :
       {"", "-", "01", "1.", ".5", "1e", "1e+", "+1", "0x1", "1a", "Nan"}) {
    JsonNode node;
    EXPECT_FALSE(parse_json_number(none, node)) << none;
  }
}

TEST(JsonNumber, ScalesDecimalsWithoutADouble) {
  EXPECT_EQ(scaled_decimal(number("1700000000123.456"), 3), 1700000000123456);
  EXPECT_EQ(scaled_decimal(number("-0.5"), 3), -500);
  EXPECT_EQ(scaled_decimal(number("0.0005"), 3), 1);
  EXPECT_EQ(scaled_decimal(number("1e3"), 3), 1'000'000);
  EXPECT_EQ(scaled_decimal(number("9223372036854775807"), 3), std::nullopt);
  EXPECT_EQ(scaled_decimal(number("1e300"), 3), std::nullopt);
  EXPECT_EQ(scaled_decimal(number("NaN"), 3), std::nullopt);
}

struct JsonFault {
  std::string text;
  std::size_t at;
};

TEST(JsonTree, ReportsThePlaceOfDamage) {
  const JsonFault damages[] = {
      {"[1]", 0},         {"{\"a\":\"\xFF\"}", 6}, {"{\"a\":01}", 5},
      {"{\"a\":tru}", 5}, {"{\"a\":\"\\x\"}", 6},  {"{\"a\":1}{}", 7},
  };
  JsonTree tree;
  for (const JsonFault& damage : damages) {
    EXPECT_FALSE(tree.parse(json_bytes(damage.text))) << damage.text;
    EXPECT_EQ(tree.damaged_at(), damage.at) << damage.text << ": " << tree.why();
  }
  const std::string deep = "{\"a\":" + std::string(100, '[') + std::string(100, ']') + "}";
  EXPECT_FALSE(tree.parse(json_bytes(deep)));
  EXPECT_NE(tree.why().find("64 deep"), std::string::npos) << tree.why();
}

TEST(JsonTree, ReadsEscapes) {
  JsonTree tree;
  ASSERT_TRUE(tree.parse(
      json_bytes(R"({"\u0041":"\"\\\/\b\f\n\r\t\u00e9\u20ac\ud83d\ude00\ud800x\udc00"})")));
  EXPECT_EQ(tree.nodes()[1].key, "A");
  EXPECT_EQ(tree.nodes()[1].text, "\"\\/\b\f\n\r\té€😀\xEF\xBF\xBDx\xEF\xBF\xBD");
}

TEST(JsonTree, KeepsEqualKeys) {
  JsonTree tree;
  ASSERT_TRUE(tree.parse(json_bytes(R"({"a":1,"a":"b"})")));
  ASSERT_EQ(tree.nodes().size(), 3U);
  EXPECT_EQ(tree.nodes()[1].key, tree.nodes()[2].key);
}

}  // namespace
}  // namespace ringside::tool
