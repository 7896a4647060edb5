/* The name of quill's header, for sources that stay unchanged. */
#pragma once
#include <fmt/chrono.h>
#include <ringside/compat/quill.hpp>
#include <ringside/compat/quill/formatted_text.hpp>
