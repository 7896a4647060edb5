#include "libagent/crashes/signal_text.hpp"

#include "libagent/process/former_signal_action.hpp"

namespace ringside {
namespace {

std::string_view segv_reason(int code) {
  switch (code) {
    case SEGV_MAPERR:
      return "no memory at this address";
    case SEGV_ACCERR:
      return "access not permitted";
    default:
      return "invalid access";
  }
}

std::string_view bus_reason(int code) {
  switch (code) {
    case BUS_ADRALN:
      return "misaligned address";
    case BUS_ADRERR:
      return "no such page: the file is shorter, or its disk is full";
    case BUS_MCEERR_AR:
    case BUS_MCEERR_AO:
      return "memory error of the machine";
    default:
      return "invalid access";
  }
}

std::string_view fpe_reason(int code) {
  switch (code) {
    case FPE_INTDIV:
      return "integer division by zero or overflow";
    case FPE_INTOVF:
      return "integer overflow";
    case FPE_FLTDIV:
      return "floating-point division by zero";
    case FPE_FLTOVF:
      return "floating-point overflow";
    case FPE_FLTUND:
      return "floating-point underflow";
    case FPE_FLTRES:
      return "inexact floating-point result";
    default:
      return "invalid arithmetic operation";
  }
}

std::string_view fault_reason(const siginfo_t& info) {
  switch (info.si_signo) {
    case SIGSEGV:
      return segv_reason(info.si_code);
    case SIGBUS:
      return bus_reason(info.si_code);
    case SIGFPE:
      return fpe_reason(info.si_code);
    case SIGILL:
      return "illegal instruction";
    case SIGTRAP:
      return "trap";
    default:
      return "raised by the kernel";
  }
}

}  // namespace

std::string_view signal_name(int signal) {
  switch (signal) {
    case SIGSEGV:
      return "SIGSEGV";
    case SIGBUS:
      return "SIGBUS";
    case SIGILL:
      return "SIGILL";
    case SIGFPE:
      return "SIGFPE";
    case SIGABRT:
      return "SIGABRT";
    case SIGTRAP:
      return "SIGTRAP";
    default:
      return {};
  }
}

std::string_view signal_reason(const siginfo_t& info) {
  if (is_fault(info)) return fault_reason(info);
  switch (info.si_code) {
    case SI_TKILL:
      return info.si_signo == SIGABRT ? "abort()" : "raise() or tgkill()";
    case SI_USER:
      return "kill()";
    case SI_QUEUE:
      return "sigqueue()";
    default:
      return "sent";
  }
}

}  // namespace ringside
