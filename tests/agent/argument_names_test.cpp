// Names of fields, from the source text of a statement's arguments.
#include "libagent/description/argument_names.hpp"

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "shm-layout/dictionary_entry.hpp"

namespace ringside::test {
namespace {

using Names = std::vector<std::string>;

// The names of the arguments after the format.
Names names_of(std::string_view arguments, std::size_t count) {
  static ArgumentNames names;
  Names all;
  const std::string text = "\"format\", " + std::string(arguments);
  for (const std::string_view name : names.read(text, count)) all.emplace_back(name);
  return all;
}

std::string name_of(std::string_view argument) {
  return names_of(argument, 1).front();
}

struct Case {
  std::string_view argument;
  std::string_view name;
};

void expect_names(std::initializer_list<Case> cases) {
  for (const Case& one : cases) EXPECT_EQ(name_of(one.argument), one.name) << one.argument;
}

TEST(ArgumentNames, AnExpressionIsItsName) {
  expect_names({{"x", "x"},
                {"order->qty", "order->qty"},
                {"items[i % 2].price", "items[i % 2].price"},
                {"std::max(a, b) + c", "std::max(a, b) + c"},
                {"++*count", "++*count"},
                {"errno", "errno"},
                {"kMost", "kMost"},
                {"strerror(errno)", "strerror(errno)"},
                {"ok ? \"a\" : \"b\"", "ok ? \"a\" : \"b\""},
                {"sizeof(int)", "sizeof(int)"},
                {"[&]{ return x; }()", "[&]{ return x; }()"},
                {"größe", "größe"}});
}

TEST(ArgumentNames, CastsAreRemoved) {
  expect_names({{"(int)x", "x"},
                {"(unsigned long long)(x)", "x"},
                {"(unsigned long long) x", "x"},
                {"(const char*)p", "p"},
                {"(const char *const)p->name", "p->name"},
                {"(struct order *)p->next", "p->next"},
                {"(Type)x", "x"},
                {"(ns::Type<int, long>)x", "x"},
                {"(size_t)(n)", "n"},
                {"(void*)(uintptr_t)(x)", "x"},
                {"(int)(a + b)", "a + b"},
                {"(long)items[3]->count(a, b)", "items[3]->count(a, b)"},
                {"static_cast<int>(x)", "x"},
                {"static_cast<unsigned>(a + b)", "a + b"},
                {"static_cast<std::map<int, std::vector<long>>>(x)", "x"},
                {"reinterpret_cast<const void *>(p)", "p"},
                {"const_cast<char*>(p)", "p"},
                {"dynamic_cast<Base&>(x)", "x"},
                {"int(x)", "x"},
                {"double{x}", "x"},
                {"std::uint64_t{x}", "x"},
                {"static_cast<int>((long)(x))", "x"}});
}

TEST(ArgumentNames, ConversionsWithoutEffectOnTheValueAreRemoved) {
  expect_names({{"name.c_str()", "name"},
                {"user->name().c_str()", "user->name()"},
                {"user->c_str()", "user"},
                {"text.data()", "text"},
                {"stream.str()", "stream"},
                {"stream.str().c_str()", "stream"},
                {"get<int, long>(x).data()", "get<int, long>(x)"},
                {"std::string(user->name).c_str()", "std::string(user->name)"},
                {"std::move(x)", "x"},
                {"std::forward<T>(x)", "x"},
                {"std::as_const(x)", "x"},
                {"std::ref(x)", "x"},
                {"std::to_underlying(side)", "side"},
                {"(x)", "x"},
                {"((a + b))", "a + b"},
                {"+x", "x"},
                {"!!x", "x"},
                {"(int)name.size()", "name.size()"},
                {"static_cast<const char*>(name.c_str())", "name"}});
}

TEST(ArgumentNames, WhatChangesTheValueStays) {
  expect_names({{"*p", "*p"},
                {"&x", "&x"},
                {"-x", "-x"},
                {"!x", "!x"},
                {"~mask", "~mask"},
                {"i++", "i++"},
                {"*text.c_str()", "*text.c_str()"},
                {"(int)*p", "*p"},
                {"x.value()", "x.value()"},
                {"move(x)", "move(x)"},
                {"round(x)", "round(x)"}});
}

// A conversion of a part does not name the whole.
TEST(ArgumentNames, ConversionsOfPartsStay) {
  for (const std::string_view argument : {"(int)a + b",
                                          "static_cast<int>(a) + b",
                                          "a + b.c_str()",
                                          "a ? b.c_str() : c.c_str()",
                                          "(a) + (b)",
                                          "(a)->b",
                                          "(a, b)",
                                          "(count) - 1",
                                          "(f)(x)",
                                          "(f)(x, y)",
                                          "(a)[3]",
                                          "(a) and b",
                                          "({ int a = 1; a; })",
                                          "(int[]){x, y}",
                                          "int()",
                                          "f(static_cast<int>(x))",
                                          "(long)sizeof x",
                                          "a < b",
                                          "!x.c_str()",
                                          "c_str()",
                                          "x.c_str",
                                          "x.c_str(1)",
                                          "std::move()",
                                          "static_cast<int>(a, b)",
                                          "static_cast<int>x",
                                          "(a * b)[c]",
                                          "(a * b)(c)"}) {
    EXPECT_EQ(name_of(argument), argument);
  }
}

TEST(ArgumentNames, AConstantIsNamedByItsPosition) {
  EXPECT_EQ(names_of("42, \"text, \\\"quoted\\\"\", 'c', 1.5e-3f, true, nullptr, -1, 2 * 1'024", 8),
            (Names{"arg1", "arg2", "arg3", "arg4", "arg5", "arg6", "arg7", "arg8"}));
  EXPECT_EQ(names_of("x, (const char*)\"a\" \"b\", L\"c\", R\"(d\",e)\", NULL, u8'\"', \"f\"sv", 7),
            (Names{"x", "arg2", "arg3", "arg4", "arg5", "arg6", "arg7"}));
  EXPECT_EQ(names_of("0xAB'CD'EF, x", 2), (Names{"arg1", "x"}));
}

TEST(ArgumentNames, EqualNamesGetANumber) {
  EXPECT_EQ(names_of("x, (int)x, x.c_str()", 3), (Names{"x", "x_2", "x_3"}));
  EXPECT_EQ(names_of("x, x, x_2", 3), (Names{"x", "x_3", "x_2"}));
  EXPECT_EQ(names_of("x, x_2, x, x_2", 4), (Names{"x", "x_2", "x_3", "x_2_2"}));
  EXPECT_EQ(names_of("1, arg1, arg1_2", 3), (Names{"arg1_3", "arg1", "arg1_2"}));
  EXPECT_EQ(names_of("width, precision, value, width, width, value", 6),
            (Names{"width", "precision", "value", "width_2", "width_3", "value_2"}));
}

TEST(ArgumentNames, CommasOfTemplateArgumentsSeparateNothing) {
  EXPECT_EQ(names_of("get<int, long>(x), y", 2), (Names{"get<int, long>(x)", "y"}));
  EXPECT_EQ(names_of("Pair<A, B<C, D>>::first, y", 2), (Names{"Pair<A, B<C, D>>::first", "y"}));
  EXPECT_EQ(names_of("is_same_v<A, B>, y", 2), (Names{"is_same_v<A, B>", "y"}));
  EXPECT_EQ(names_of("Pair<A, B>{1, 2}.sum(), y", 2), (Names{"Pair<A, B>{1, 2}.sum()", "y"}));
  EXPECT_EQ(names_of("static_cast<Map<A, B>&>(x), y", 2), (Names{"x", "y"}));
  EXPECT_EQ(names_of("get < int, long > (x), y", 2), (Names{"get < int, long > (x)", "y"}));
  EXPECT_EQ(names_of("apply<&S::f, (1 > 2)>(x), p->y", 2),
            (Names{"apply<&S::f, (1 > 2)>(x)", "p->y"}));
}

TEST(ArgumentNames, CommasBetweenComparisonsSeparateArguments) {
  EXPECT_EQ(names_of("a < b, c > d", 2), (Names{"a < b", "c > d"}));
  EXPECT_EQ(names_of("a<b, c>(d)", 2), (Names{"a<b", "c>(d)"}));
  EXPECT_EQ(names_of("a < b, c > (d), get<int, long>(x)", 3),
            (Names{"a < b", "c > (d)", "get<int, long>(x)"}));
  EXPECT_EQ(names_of("i < n, get<int, long>(x)", 2), (Names{"i < n", "get<int, long>(x)"}));
  EXPECT_EQ(names_of("a << b, c >> d, get<int, long>(x), p->q", 4),
            (Names{"a << b", "c >> d", "get<int, long>(x)", "p->q"}));
}

TEST(ArgumentNames, FieldsThatCannotBeToldApartHaveTheWholeTextAndANumber) {
  EXPECT_EQ(names_of("a<b, c>(d), e<f, g>(h), password", 4),
            (Names{"a<b, c>(d), e<f, g>(h), password", "a<b, c>(d), e<f, g>(h), password_2",
                   "a<b, c>(d), e<f, g>(h), password_3", "a<b, c>(d), e<f, g>(h), password_4"}));
}

TEST(ArgumentNames, WithoutTextFieldsHaveNoNames) {
  ArgumentNames names;
  for (const std::string_view text : {"", "\"format\"", "format(1, 2"}) {
    const auto all = names.read(text, 2);
    ASSERT_EQ(all.size(), 2U);
    EXPECT_TRUE(all[0].empty() && all[1].empty()) << text;
  }
  EXPECT_TRUE(names.read("\"format\"", 0).empty());
}

TEST(ArgumentNames, AMacroGivesAName) {
  expect_names({{"RS_NAMED(\"qty\", o.qty())", "qty"},
                {"RS_NAMED( \"qty\" , 1)", "qty"},
                {"RS_NAMED(\"order\" \".\" \"qty\", f(a, b))", "order.qty"},
                {"RS_NAMED(\"a\\\"b\\\\c\\td\", x)", "a\"b\\c\td"},
                {"RS_NAMED(\"\\x41\\101\", x)", "\\x41\\101"},
                {"RS_NAMED(\"\", (int)x)", "x"},
                {"RS_NAMED(kName, (int)x)", "x"},
                {"RS_NAMED(\"qty\")", "RS_NAMED(\"qty\")"},
                {"RS_NAMED(\"qty\", x) + 1", "RS_NAMED(\"qty\", x) + 1"},
                {"RS_ARG(px)", "px"},
                {"RS_ARG((int)order->px)", "order->px"},
                {"RS_ARG(name.c_str())", "name"}});
  EXPECT_EQ(names_of("RS_NAMED(\"qty\", get<a, b>(x)), RS_ARG(qty), qty", 3),
            (Names{"qty", "qty_2", "qty_3"}));
}

// A placeholder {x} of a brace format means the argument whose text is x.
TEST(ArgumentNames, AGivenNameComesBeforeADerivedOne) {
  EXPECT_EQ(names_of("(int)x, x", 2), (Names{"x_2", "x"}));
  EXPECT_EQ(names_of("x.c_str(), RS_NAMED(\"x\", 1), 2", 3), (Names{"x_2", "x", "arg3"}));
  EXPECT_EQ(names_of("x, RS_NAMED(\"x\", 1)", 2), (Names{"x", "x_2"}));
  EXPECT_EQ(names_of("(int)x, (long)x", 2), (Names{"x", "x_2"}));
}

TEST(ArgumentNames, SpacesAreThoseOfThePreprocessor) {
  expect_names({{"  a  +\tb\n", "a + b"},
                {"( int )  x", "x"},
                {"text . c_str ( )", "text"},
                {"f( \"a  b\" )", "f( \"a  b\" )"},
                {"a+b", "a+b"}});
}

TEST(ArgumentNames, LongNamesAreCutBetweenCharacters) {
  constexpr std::size_t kMost = shm::kMaxFieldNameBytes;
  const std::string ascii(kMost - 1, 'a');
  EXPECT_EQ(name_of(ascii + "bc"), ascii + "b");
  EXPECT_EQ(name_of(ascii + "ä"), ascii);
  EXPECT_EQ(name_of(ascii.substr(2) + "€"), ascii.substr(2) + "€");
  EXPECT_EQ(name_of(ascii.substr(1) + "€"), ascii.substr(1));
  EXPECT_EQ(name_of(ascii.substr(2) + "\U0001F600"), ascii.substr(2));
  EXPECT_EQ(name_of("f(  " + ascii + ")"), "f( " + ascii.substr(2));
  EXPECT_EQ(name_of("RS_NAMED(\"" + ascii + "€\", x)"), ascii);
  EXPECT_EQ(name_of(std::string(2000, '\x80')).size(), kMost);
  const std::string wide = ascii.substr(2) + "€€";
  EXPECT_EQ(names_of(wide + ", " + wide, 2),
            (Names{ascii.substr(2) + "€", ascii.substr(2) + "_2"}));
}

// The work is bounded, for texts that close nothing too.
TEST(ArgumentNames, AnyTextGivesDistinctNames) {
  constexpr std::size_t kBytes = 64U << 10;
  const auto repeated = [](std::string_view part) {
    std::string text;
    while (text.size() < kBytes) text += part;
    return text;
  };
  std::vector<std::string> texts;
  for (const std::string_view part : {"(",
                                      ")",
                                      "((int)",
                                      "<",
                                      "a<",
                                      "a<b,",
                                      ">",
                                      "a<b>,",
                                      ",",
                                      "\"",
                                      "'",
                                      "1'",
                                      "R\"(",
                                      "R\"",
                                      "))",
                                      "\\",
                                      "RS_NAMED(\"a\",",
                                      "RS_ARG(",
                                      "!!",
                                      "+",
                                      "static_cast<int>(",
                                      "x.c_str().c_str()",
                                      "a::",
                                      "(a)",
                                      "x,",
                                      "1,",
                                      "\"a\"",
                                      "1e+",
                                      "{",
                                      "[",
                                      "x ",
                                      " ",
                                      "\xFF",
                                      "\x80"}) {
    texts.push_back(repeated(part));
    texts.push_back("x, " + repeated(part) + ", y");
  }
  texts.push_back(std::string(kBytes / 2, '(') + "x" + std::string(kBytes / 2, ')'));
  texts.push_back("R\"" + std::string(kBytes / 2, ')') + "(" + std::string(kBytes / 2, ')'));
  for (const std::string& text : texts) {
    for (const std::size_t count : {std::size_t{1}, std::size_t{3}, std::size_t{RS_MAX_FIELDS}}) {
      const Names names = names_of(text, count);
      ASSERT_EQ(names.size(), count);
      if (names.front().empty()) continue;
      EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), count)
          << text.substr(0, 20);
      for (const std::string& name : names) EXPECT_LE(name.size(), shm::kMaxFieldNameBytes);
    }
  }
}

// Every text of a few tokens: nothing is read outside of the text (as AddressSanitizer sees), and a
// name has no conversion that could be removed.
TEST(ArgumentNames, EveryCombinationOfTokensHasAName) {
  const std::string_view tokens[] = {"x", "int", "(",     ")",  "<", ">", ",",
                                     ".", "->",  "c_str", "::", "*", "!", "\"",
                                     "'", "1",   "R\"",   " ",  "{", "}", "RS_NAMED"};
  constexpr std::size_t kLength = 4;
  std::size_t combinations = 1;
  for (std::size_t i = 0; i < kLength; ++i) combinations *= std::size(tokens);
  ArgumentNames names;
  for (std::size_t number = 0; number < combinations; ++number) {
    std::string text = "f,";
    for (std::size_t rest = number, i = 0; i < kLength; ++i, rest /= std::size(tokens)) {
      text += tokens[rest % std::size(tokens)];
    }
    // Without the string's terminator after it.
    const auto exact = std::make_unique<char[]>(text.size());
    text.copy(exact.get(), text.size());
    const auto all = names.read({exact.get(), text.size()}, 2);
    ASSERT_TRUE(all[0].empty() == all[1].empty() && (all[0] != all[1] || all[0].empty())) << text;
  }
}

}  // namespace
}  // namespace ringside::test
