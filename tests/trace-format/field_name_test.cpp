// Fields by their whole names and by their short ones.
#include "trace-format/condition/field_name.hpp"

#include <initializer_list>
#include <optional>

#include <gtest/gtest.h>

namespace ringside::trace {
namespace {

Site site_with(std::initializer_list<const char*> names) {
  Site site;
  for (const char* const name : names) {
    Field field;
    field.name = name;
    site.fields.push_back(field);
  }
  return site;
}

TEST(FieldName, AShortNameOfSeveralFieldsNamesNone) {
  const Site site = site_with({"order.id", "user->id", "order.price"});
  EXPECT_EQ(find_field(site, "price"), std::optional<std::size_t>(2));
  EXPECT_EQ(find_field(site, "id"), std::nullopt);
  EXPECT_EQ(find_field(site, "user->id"), std::optional<std::size_t>(1));
  EXPECT_TRUE(has_field(site, "id"));
}

TEST(FieldName, AWholeNameComesBeforeShortOnes) {
  const Site site = site_with({"order.id", "user->id", "id"});
  EXPECT_EQ(find_field(site, "id"), std::optional<std::size_t>(2));
}

TEST(FieldName, ConversionsDoNotCount) {
  const Site site =
      site_with({"static_cast<int>(order->qty)", "(long)x", "name.c_str()", "size()"});
  EXPECT_EQ(find_field(site, "qty"), std::optional<std::size_t>(0));
  EXPECT_EQ(find_field(site, "order->qty"), std::optional<std::size_t>(0));
  EXPECT_EQ(find_field(site, "(unsigned)order->qty"), std::optional<std::size_t>(0));
  EXPECT_EQ(find_field(site, "x"), std::optional<std::size_t>(1));
  EXPECT_EQ(find_field(site, "static_cast<long>(x)"), std::optional<std::size_t>(1));
  EXPECT_EQ(find_field(site, "name"), std::optional<std::size_t>(2));
  EXPECT_EQ(find_field(site, "name.data()"), std::optional<std::size_t>(2));
  EXPECT_EQ(find_field(site, "size"), std::optional<std::size_t>(3));
  EXPECT_EQ(find_field(site, "int"), std::nullopt);
  EXPECT_EQ(find_field(site, ""), std::nullopt);
  EXPECT_TRUE(has_field(site, "x") && has_field(site, "(int)x") && has_field(site, "qty"));
  EXPECT_FALSE(has_field(site, "c_str") || has_field(site, "y"));
}

TEST(FieldName, ANameWithoutConversionsComesBeforeShortOnes) {
  const Site site = site_with({"order.id", "(int)id", "user->id"});
  EXPECT_EQ(find_field(site, "id"), std::optional<std::size_t>(1));
  EXPECT_EQ(find_field(site_with({"(int)id", "(long)id"}), "id"), std::nullopt);
}

}  // namespace
}  // namespace ringside::trace
