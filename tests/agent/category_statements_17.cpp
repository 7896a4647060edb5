#define RS_CATEGORY "file"
#include "libagent/include/ringside/log.hpp"
#include "tests/agent/category_statements.h"
#define LANGUAGE "c++17"
#define CATEGORIES cpp17_categories
#include "tests/agent/category_statements.inc"
