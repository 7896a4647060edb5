#define RS_CATEGORY "file"
#include "libagent/include/ringside/ringside.h"
#include "tests/agent/category_statements.h"
#define LANGUAGE "c11"
#define CATEGORIES c11_categories
#include "tests/agent/category_statements.inc"
