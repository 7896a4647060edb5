// The fields that a query names.
#include "trace-format/query/field_binding.hpp"

#include <initializer_list>

#include <gtest/gtest.h>

namespace ringside::trace::query {
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

TEST(FieldBinding, FindsAFieldByNameOrNumber) {
  const Site site = site_with({"id", "order->qty", "id"});
  EXPECT_EQ(find_field(site, "id"), 0);
  EXPECT_EQ(find_field(site, "#3"), 2);
  EXPECT_EQ(find_field(site, "qty"), kNoPlace);
  EXPECT_EQ(find_field(site, "#4"), kNoPlace);
  EXPECT_EQ(find_field(site, ""), kNoPlace);
}

// Earlier libraries stored whole expressions.
TEST(FieldBinding, ConversionsDoNotCount) {
  const Site site = site_with({"static_cast<int>(order->qty)", "x", "(int)x", "(int)y", "(long)y"});
  EXPECT_EQ(find_field(site, "order->qty"), 0);
  EXPECT_EQ(find_field(site, "(long)order->qty"), 0);
  EXPECT_EQ(find_field(site, "x"), 1) << "the whole name comes first";
  EXPECT_EQ(find_field(site, "(int)x"), 2);
  EXPECT_EQ(find_field(site, "y"), kNoPlace) << "of two fields";
}

}  // namespace
}  // namespace ringside::trace::query
