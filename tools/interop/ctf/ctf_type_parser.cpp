#include "tools/interop/ctf/ctf_type_parser.hpp"

#include <algorithm>
#include <bit>
#include <iterator>

namespace ringside::tool::ctf {
namespace {

constexpr unsigned kMostDepth = 40;
constexpr std::uint64_t kMostAlign = 4096;

}  // namespace

const TypePointer* TypeParser::find(const std::string& name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    const auto found = scope->find(name);
    if (found != scope->end()) return &found->second;
  }
  return nullptr;
}

TypePointer TypeParser::named(const std::string& name) {
  const TypePointer* const found = find(name);
  if (found == nullptr) fail(fmt::format("unknown type '{}'", name));
  return found == nullptr ? nullptr : *found;
}

void TypeParser::define(const std::string& name, TypePointer type) {
  if (type != nullptr) scopes_.back()[name] = std::move(type);
}

TypePointer TypeParser::type() {
  return type_named(word());
}

TypePointer TypeParser::type_named(const std::string& first) {
  if (failed_) return nullptr;
  if (++depth_ > kMostDepth) fail("types are nested more than 40 deep");
  TypePointer result;
  if (failed_) {
  } else if (first == "integer") {
    result = integer();
  } else if (first == "floating_point") {
    result = floating_point();
  } else if (first == "string") {
    result = string();
  } else if (first == "struct") {
    result = structure();
  } else if (first == "variant") {
    result = variant();
  } else if (first == "enum") {
    result = enumeration();
  } else {
    result = by_words(first);
  }
  --depth_;
  return result;
}

void TypeParser::stars(std::string& name) {
  while (!failed_ && take("*")) name += " *";
}

TypePointer TypeParser::by_words(std::string name) {
  while (token_.kind == TokenKind::kWord && find(name + " " + token_.text) != nullptr) {
    name += " " + word();
  }
  while (find(name) == nullptr && token_.kind == TokenKind::kWord) name += " " + word();
  stars(name);
  return named(name);
}

void TypeParser::common(const std::string& key, const Attribute& a, Type& type) {
  if (key == "align") {
    const std::uint64_t align = number_of(a);
    if (!std::has_single_bit(align) || align > kMostAlign) {
      return fail(fmt::format("invalid alignment of {} bits", align));
    }
    type.align_bits = static_cast<std::uint32_t>(align);
  } else if (key == "byte_order") {
    type.order = a.text == "le"                          ? ByteOrder::kLittle
                 : a.text == "be" || a.text == "network" ? ByteOrder::kBig
                                                         : ByteOrder::kNative;
  } else if (key == "encoding") {
    type.is_text = a.text == "UTF8" || a.text == "ASCII" || a.text == "utf8" || a.text == "ascii" ||
                   a.text == "UTF-8";
  }
}

TypePointer TypeParser::integer() {
  auto type = std::make_shared<Type>();
  bool aligned = false;
  std::uint64_t bits = 0;
  block([&](const std::string& key, const Attribute& a) {
    common(key, a, *type);
    aligned |= key == "align";
    if (key == "size") bits = number_of(a);
    if (key == "signed") type->is_signed = a.number != 0 || a.text == "true" || a.text == "TRUE";
    if (key == "base") type->base = base_of(a);
    if (key == "map") type->clock = clock_of(a.text);
  });
  if (bits < 1 || bits > 64)
    fail(fmt::format("an integer of {} bits; 1 to 64 are supported", bits));
  type->bits = static_cast<std::uint32_t>(bits);
  if (!aligned) type->align_bits = bits % 8 == 0 ? 8 : 1;
  return type;
}

std::uint32_t TypeParser::base_of(const Attribute& a) {
  if (a.is_number) return static_cast<std::uint32_t>(a.number & 0xFF);
  constexpr std::string_view kHex[] = {"hexadecimal", "hex", "x", "X", "p"};
  return std::find(std::begin(kHex), std::end(kHex), a.text) != std::end(kHex) ? 16 : 10;
}

std::string TypeParser::clock_of(std::string_view path) {
  if (path.starts_with("clock.")) path.remove_prefix(6);
  if (path.ends_with(".value")) path.remove_suffix(6);
  return std::string(path);
}

TypePointer TypeParser::floating_point() {
  auto type = std::make_shared<Type>();
  type->kind = TypeKind::kFloat;
  type->align_bits = 8;
  std::uint64_t exponent = 0;
  std::uint64_t mantissa = 0;
  block([&](const std::string& key, const Attribute& a) {
    common(key, a, *type);
    if (key == "exp_dig") exponent = number_of(a);
    if (key == "mant_dig") mantissa = number_of(a);
  });
  const bool known = (exponent == 8 && mantissa == 24) || (exponent == 11 && mantissa == 53);
  if (!known) fail("floating-point types of other than 32 or 64 bits are not supported");
  type->bits = exponent == 8 ? 32 : 64;
  return type;
}

TypePointer TypeParser::string() {
  auto type = std::make_shared<Type>();
  type->kind = TypeKind::kString;
  type->align_bits = 8;
  if (token_.is("{")) block([](const std::string&, const Attribute&) {});
  return type;
}

TypePointer TypeParser::enumeration() {
  std::string name;
  if (token_.kind == TokenKind::kWord) name = word();
  if (!name.empty() && !token_.is(":") && !token_.is("{")) return named("enum " + name);
  TypePointer container;
  if (take(":")) {
    container = type();
  } else {
    container = named("int");
  }
  if (failed_) return nullptr;
  if (container->kind != TypeKind::kInteger) fail("the base of an enumeration is not an integer");
  auto type = std::make_shared<Type>(*container);
  type->kind = TypeKind::kEnum;
  expect("{");
  std::uint64_t next = 0;
  while (!failed_ && !take("}")) {
    EnumRange range;
    if (token_.kind != TokenKind::kWord && token_.kind != TokenKind::kText)
      fail("expected a label");
    range.label = token_.text;
    advance();
    range.first = range.last = next;
    if (take("=")) {
      range.first = range.last = number_of(value());
      if (take("...")) range.last = number_of(value());
    }
    next = range.last + 1;
    type->ranges.push_back(std::move(range));
    if (!take(",") && !token_.is("}")) expect(",");
  }
  if (!name.empty()) define("enum " + name, type);
  return type;
}

TypePointer TypeParser::structure() {
  std::string name;
  if (token_.kind == TokenKind::kWord && !token_.is_word("align")) name = word();
  if (!token_.is("{")) return named("struct " + name);
  auto type = std::make_shared<Type>();
  type->kind = TypeKind::kStruct;
  members(*type);
  if (take_word("align")) {
    expect("(");
    Type minimum;
    common("align", value(), minimum);
    type->align_bits = minimum.align_bits;
    expect(")");
  }
  for (const Member& member : type->members) {
    if (member.type != nullptr)
      type->align_bits = std::max(type->align_bits, member.type->align_bits);
  }
  if (!name.empty()) define("struct " + name, type);
  return type;
}

TypePointer TypeParser::variant() {
  std::string name;
  std::string tag;
  if (token_.kind == TokenKind::kWord) name = word();
  if (take("<")) {
    tag = dotted();
    expect(">");
  }
  std::shared_ptr<Type> type;
  if (token_.is("{")) {
    type = std::make_shared<Type>();
    type->kind = TypeKind::kVariant;
    members(*type);
    if (!name.empty()) define("variant " + name, type);
  } else if (const TypePointer known = named("variant " + name)) {
    type = std::make_shared<Type>(*known);
  }
  if (type != nullptr && !tag.empty()) {
    type = std::make_shared<Type>(*type);
    type->reference = tag;
  }
  return type;
}

void TypeParser::members(Type& type) {
  expect("{");
  scopes_.emplace_back();
  while (!failed_ && !take("}")) {
    if (token_.is_word("typealias") || token_.is_word("typedef")) {
      alias();
      continue;
    }
    const TypePointer base = this->type();
    if (failed_) break;
    if (!token_.is(";")) {
      do {
        Member member;
        member.name = word();
        member.type = dimensions(base);
        type.members.push_back(std::move(member));
      } while (!failed_ && take(","));
    }
    expect(";");
  }
  scopes_.pop_back();
}

TypePointer TypeParser::dimensions(const TypePointer& element) {
  if (failed_ || !take("[")) return element;
  if (++depth_ > kMostDepth) fail("arrays are nested more than 40 deep");
  auto type = std::make_shared<Type>();
  if (token_.kind == TokenKind::kNumber) {
    type->kind = TypeKind::kArray;
    type->length = token_.number;
    advance();
  } else {
    type->kind = TypeKind::kSequence;
    type->reference = dotted();
  }
  expect("]");
  type->element = dimensions(element);
  if (type->element != nullptr) type->align_bits = type->element->align_bits;
  --depth_;
  return type;
}

void TypeParser::alias() {
  const bool is_typedef = word() == "typedef";
  const TypePointer base = type();
  if (failed_) return;
  if (is_typedef) {
    do {
      const std::string name = word();
      define(name, dimensions(base));
    } while (!failed_ && take(","));
  } else {
    expect(":=");
    std::string name = word();
    while (!failed_ && token_.kind == TokenKind::kWord) name += " " + word();
    stars(name);
    define(name, base);
  }
  expect(";");
}

}  // namespace ringside::tool::ctf
