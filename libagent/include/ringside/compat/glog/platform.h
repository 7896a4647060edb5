/* The name of glog's header, for sources that stay unchanged. */
#pragma once
// glog's macros for platforms and exported symbols. The functions here are inline.

#define GLOG_OS_LINUX
#define GLOG_EXPORT
#define GLOG_NO_EXPORT
#define GLOG_DEPRECATED [[deprecated]]
