// Which names of fields a rule hides.
#include "consumerd/rules/redacted_name.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "shm-layout/dictionary_entry.hpp"

namespace ringside::consumer_test {
namespace {

using consumer::RedactionRule;

RedactionRule rule_for(std::vector<std::string> globs) {
  RedactionRule rule;
  rule.fields = std::move(globs);
  return rule;
}

TEST(RedactedName, AnyIdentifierInTheExpressionMatches) {
  const RedactionRule rule = rule_for({"password", "card*"});
  for (const char* const name : {"password",
                                 "u->password",
                                 "user.password.c_str()",
                                 "have ? u->password : \"\"",
                                 "static_cast<const char*>(password)",
                                 "(const char*)password",
                                 "std::string(u->password).c_str()",
                                 "mask(password, 3)",
                                 "Vault::password()",
                                 "password[i]",
                                 "get<int, long>(x), password",
                                 "json[\"password\"]",
                                 "row.at('x', \"card_no\")",
                                 "*password",
                                 "password.empty() ? none : some",
                                 "std::string(R\"x(a\"b)x\" + password)",
                                 "!cards_.empty()",
                                 "1'000 + password",
                                 "Password",
                                 "PASSWORD",
                                 "escaped(\"\\npassword\")",
                                 "password_2",
                                 "u->password_13",
                                 "card_no_2"}) {
    EXPECT_TRUE(consumer::why_redacted(rule, name)) << name;
  }
  for (const char* const name : {"user",
                                 "passwords",
                                 "pass_word",
                                 "my_password",
                                 "password_",
                                 "password2",
                                 "password_2x",
                                 "_2",
                                 "x_2",
                                 "discard(x)",
                                 "i",
                                 "a < b ? x : y",
                                 "'('",
                                 "\"(\"",
                                 "1'000",
                                 "0xAB'CD",
                                 "u8'\"'",
                                 "R\"((\")\"",
                                 "names[answer % 2]",
                                 "\"\\n\""}) {
    EXPECT_FALSE(consumer::why_redacted(rule, name)) << name;
  }
  EXPECT_EQ(consumer::why_redacted(rule, "f(u->password)"), "\"password\" matches password");
}

// Earlier libraries stored the whole expression, which a rule may repeat.
TEST(RedactedName, ARuleMayNameTheWholeExpression) {
  const RedactionRule rule = rule_for({"user->key.c_str()", "static_cast<int>(user->pin)"});
  for (const char* const name :
       {"user->key.c_str()", "user->key", "user->key_2", "user->pin", "(long)user->pin"}) {
    EXPECT_TRUE(consumer::why_redacted(rule, name)) << name;
  }
  for (const char* const name : {"user", "key", "pin", "c_str"}) {
    EXPECT_FALSE(consumer::why_redacted(rule, name)) << name;
  }
}

TEST(RedactedName, InDoubtTheFieldIsHidden) {
  const RedactionRule rule = rule_for({"password"});
  const std::string call = "look_up(a_variable_with_a_name_of_some_length, ";
  for (const std::string& name :
       {std::string(), (call + call).substr(0, 64), std::string(shm::kMaxFieldNameBytes, 'x'),
        std::string(shm::kMaxFieldNameBytes - 3, 'x'), std::string("f(x"), std::string("x)"),
        std::string("(x]"), std::string("R\"x(a)\""), std::string("\"open"),
        std::string("at(\"p\\x61ssword\")"), std::string("\\u0070assword")}) {
    const auto why = consumer::why_redacted(rule, name);
    ASSERT_TRUE(why) << name;
    EXPECT_TRUE(why->starts_with("in doubt: ")) << *why;
  }
}

}  // namespace
}  // namespace ringside::consumer_test
