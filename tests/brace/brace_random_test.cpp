// Messages of random brace formats with random arguments, compared with {fmt}.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/args.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/brace/random_arguments.hpp"
#include "trace-format/text/message_text.hpp"

namespace ringside::test {
namespace {

using shm::FieldType;

constexpr std::uint64_t kDefaultSeed = 20261123;
constexpr int kMessages = 10'000;

// One format with its arguments, for both sides.
class RandomMessage {
 public:
  explicit RandomMessage(std::mt19937_64& engine) : arguments_(engine) {
    const bool manual = arguments_.below(2) == 0;
    if (manual) {
      for (int count = 1 + arguments_.below(4); count > 0; --count)
        arguments_.add_field(any_type(), true);
    }
    for (int count = 1 + arguments_.below(5); count > 0; --count) {
      format_ += literal();
      placeholder(manual);
    }
    format_ += literal();
  }

  const std::string& format() const { return format_; }

  // Nothing if {fmt} refuses the format.
  std::optional<std::string> expected() const {
    try {
      return fmt::vformat(format_, arguments_.store());
    } catch (const fmt::format_error&) {
      return std::nullopt;
    }
  }

  std::optional<std::string> text(std::string* why) const {
    std::vector<trace::FormatField> fields;
    for (std::size_t i = 0; i < arguments_.values().size(); ++i)
      fields.push_back({arguments_.names()[i], arguments_.values()[i].type});
    const auto message = trace::MessageFormat::parse(shm::FormatStyle::brace, format_, fields, why);
    if (!message) return std::nullopt;
    std::string out = "before ";
    message->append(out, arguments_.values());
    return out.substr(7);
  }

 private:
  std::string literal() {
    return std::string(
        arguments_.pick({"", "", " ", "x=", "{{", "}}", "a{{}}b", "%d ", "\xe2\x82\xac",
                         "a literal of more than thirty-two bytes, "}));
  }

  FieldType any_type() {
    const auto scalar = static_cast<FieldType>(1 + arguments_.below(shm::kLastFieldType));
    return arguments_.below(5) == 0 && scalar != FieldType::enumeration ? shm::array_of(scalar)
                                                                        : scalar;
  }

  std::string reference(int index) {
    const std::string& name = arguments_.names()[static_cast<std::size_t>(index)];
    return name.empty() || arguments_.below(2) == 0 ? std::to_string(index) : name;
  }

  std::string_view types_of(FieldType type) {
    if (arguments_.below(30) == 0) return "aAbBcdeEfFgGopsxX?y";
    switch (type) {
      case FieldType::boolean:
        return "sdxXobB";
      case FieldType::character:
        return "cdxXobB?";
      case FieldType::f32:
      case FieldType::f64:
      case FieldType::f80:
        return "aAeEffffFgG";
      case FieldType::pointer:
        return "p";
      case FieldType::string:
      case FieldType::bytes:
        return "s?";
      case FieldType::enumeration:
        return "sdx?";
      default:
        return "cdxXobB";
    }
  }

  struct Spec {
    std::string before_width;
    std::string width;  // "{" for one in an argument
    std::string precision;
    std::string end;
    char type = '\0';
  };

  // Most suit the type.
  Spec spec(FieldType type) {
    Spec spec;
    const bool wild = arguments_.below(25) == 0;
    const bool real = type == FieldType::f32 || type == FieldType::f64 || type == FieldType::f80;
    const bool number = real || shm::is_integer(type);
    if (arguments_.below(3) == 0) {
      if (arguments_.below(2) == 0) {
        spec.before_width +=
            arguments_.pick({"*", "0", "<", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80"});
      }
      spec.before_width += arguments_.pick({"<", ">", "^"});
    }
    if (wild || ((real || shm::is_signed(type)) && arguments_.below(4) == 0)) {
      spec.before_width += arguments_.pick({"+", "-", " "});
    }
    if (wild || (number && arguments_.below(4) == 0)) spec.before_width += "#";
    if (wild || (number && arguments_.below(4) == 0)) spec.before_width += "0";
    switch (arguments_.below(4)) {
      case 0:
        spec.width = std::to_string(1 + arguments_.below(arguments_.below(20) == 0 ? 4095 : 30));
        break;
      case 1:
        spec.width = "{";
        break;
      default:
        break;
    }
    const bool text =
        type == FieldType::string || type == FieldType::bytes || type == FieldType::enumeration;
    if (wild || ((real || text) && arguments_.below(3) == 0)) {
      spec.precision =
          arguments_.below(2) == 0
              ? "{"
              : std::to_string(arguments_.below(arguments_.below(20) == 0 ? 4096 : 20));
    }
    if (wild || (number && arguments_.below(8) == 0)) spec.end += "L";
    if (arguments_.below(2) == 0) {
      const std::string_view types = types_of(type);
      spec.type = types[static_cast<std::size_t>(arguments_.below(static_cast<int>(types.size())))];
      spec.end += spec.type;
    }
    return spec;
  }

  // Automatic positions: the value's field comes first, then the width's and the precision's.
  void placeholder(bool manual) {
    FieldType type = any_type();
    int index = 0;
    const bool known = manual && arguments_.below(2) == 0;
    if (known) {
      index = arguments_.below(static_cast<int>(arguments_.values().size()));
      type = arguments_.values()[static_cast<std::size_t>(index)].type;
      if (type == FieldType::enumeration) return;
    }
    const bool plain = arguments_.below(4) == 0;
    const Spec form = plain ? Spec() : spec(shm::element_type(type));
    if (!known) index = arguments_.add_field(type, manual, form.type);
    format_ += "{";
    if (manual) format_ += reference(index);
    if (!plain) {
      if (shm::is_array(type))
        format_ += arguments_.pick({":", ":n", ":n:", "::", "::", "::"});
      else
        format_ += ":";
      if (format_.back() == ':') {
        format_ += form.before_width;
        size(form.width, manual);
        if (!form.precision.empty()) {
          format_ += ".";
          size(form.precision, manual);
        }
        format_ += form.end;
      }
    }
    format_ += "}";
  }

  void size(const std::string& size, bool manual) {
    if (size != "{") {
      format_ += size;
      return;
    }
    const int index = arguments_.add_width(manual);
    format_ += "{" + (manual ? reference(index) : std::string()) + "}";
  }

  RandomArguments arguments_;
  std::string format_;
};

TEST(BraceRandom, MessagesEqualFmt) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): the test has one thread
  const char* const wanted = std::getenv("RINGSIDE_TEST_SEED");
  const std::uint64_t seed = wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : kDefaultSeed;
  std::printf("seed %llu (set RINGSIDE_TEST_SEED to choose)\n",
              static_cast<unsigned long long>(seed));
  std::mt19937_64 engine(seed);
  int refused = 0;
  for (int done = 0; done < kMessages; ++done) {
    const RandomMessage message(engine);
    const std::optional<std::string> expected = message.expected();
    std::string why;
    const std::optional<std::string> text = message.text(&why);
    ASSERT_EQ(text.has_value(), expected.has_value())
        << "seed " << seed << " format " << message.format() << ": " << why;
    ASSERT_EQ(text, expected) << "seed " << seed << " format " << message.format();
    if (!text) ++refused;
  }
  EXPECT_GT(refused, kMessages / 50);
  EXPECT_LT(refused, kMessages / 3);
}

}  // namespace
}  // namespace ringside::test
