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

}  // namespace
}  // namespace ringside::trace
