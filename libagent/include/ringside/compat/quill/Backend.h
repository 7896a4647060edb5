/* The name of quill's header, for sources that stay unchanged. */
#pragma once
#include <ringside/compat/quill.hpp>
