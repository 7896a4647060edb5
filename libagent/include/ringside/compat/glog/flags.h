/* The name of glog's header, for sources that stay unchanged. */
#pragma once
#include <ringside/compat/glog.hpp>
