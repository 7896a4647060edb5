#define RS_CATEGORY "file"
#include "libagent/include/ringside/log.hpp"
#include "tests/agent/category_statements.h"
#define LANGUAGE "c++20"
#define CATEGORIES cpp20_categories
#include "tests/agent/category_statements.inc"
