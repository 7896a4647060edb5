#include "perf/driver/programs.hpp"

#include <array>

namespace ringside::perf {
namespace {

using Rows = std::string_view;

constexpr std::array kRecordCost{Rows("floor"), Rows("back_to_back"), Rows("paced"), Rows("cold")};
constexpr std::array kProducers{Rows("producers")};
constexpr std::array kConsumerClock{Rows("consumer_clock"), Rows("shared_stamp")};
constexpr std::array kCFrontEnd{Rows("c_front_end")};
constexpr std::array kCostSampling{Rows("cost_sampling")};
constexpr std::array kSwitchStates{Rows("switch_states")};
constexpr std::array kGates{Rows("gates")};
constexpr std::array kRunTime{Rows("run_time")};
constexpr std::array kStyles{Rows("styles")};
constexpr std::array kContexts{Rows("contexts")};
constexpr std::array kSpans{Rows("spans")};
constexpr std::array kNetLoggerCalls{Rows("netlogger_calls")};
constexpr std::array kDurable{Rows("durable")};
constexpr std::array kFullRings{Rows("full_rings")};
constexpr std::array kSustained{Rows("sustained")};
constexpr std::array kBytes{Rows("bytes_per_record")};
constexpr std::array kScaling{Rows("scaling")};
constexpr std::array kPollRound{Rows("poll_round")};
constexpr std::array kIdle{Rows("idle")};
constexpr std::array kMemory{Rows("memory")};
constexpr std::array kFirstCall{Rows("first_call")};
constexpr std::array kPacedTail{Rows("paced_tail")};
constexpr std::array kReadable{Rows("readable")};
constexpr std::array kFollowed{Rows("followed")};
constexpr std::array kMixBytes{Rows("mix_bytes")};
constexpr std::array kText{Rows("text")};
constexpr std::array kTextThreads{Rows("text_threads")};
constexpr std::array kTail{Rows("tail")};
constexpr std::array kGrep{Rows("grep")};
constexpr std::array kOrdered{Rows("ordered")};
constexpr std::array kTextOutput{Rows("text_output")};
constexpr std::array kCodec{Rows("encoder"), Rows("decoder")};
constexpr std::array kAggregation{Rows("aggregation")};
constexpr std::array kIntegration{Rows("integration")};
constexpr std::array kPeer{Rows("back_to_back"), Rows("paced"), Rows("cold"), Rows("sustained"),
                           Rows("bytes_per_record")};
constexpr std::array kLttng{
    Rows("back_to_back"),     Rows("paced"), Rows("cold"), Rows("sustained"),
    Rows("bytes_per_record"), Rows("text")};

constexpr std::string_view kNotBuilt = "not built: ninja -C BUILD measuring_programs";
constexpr std::string_view kNoPeer =
    "not built: its library was not installed when the build was set up";

constexpr std::array kPrograms{
    Program{"ringside/record_cost", Speaks::kLines, "ringside", kRecordCost, kNotBuilt},
    Program{"peers/peer_spdlog", Speaks::kLines, "spdlog", kPeer, kNoPeer},
    Program{"peers/peer_glog", Speaks::kLines, "glog", kPeer, kNoPeer},
    Program{"peers/peer_boost_log", Speaks::kLines, "boost_log", kPeer, kNoPeer},
    Program{"peers/peer_lttng", Speaks::kLines, "lttng", kLttng, kNoPeer},
    Program{"ringside/producers", Speaks::kLines, "ringside", kProducers, kNotBuilt},
    Program{"ringside/paced_tail", Speaks::kLines, "ringside", kPacedTail, kNotBuilt},
    Program{"ringside/consumer_clock", Speaks::kLines, "ringside", kConsumerClock, kNotBuilt},
    Program{"ringside/c_front_end", Speaks::kLines, "ringside", kCFrontEnd, kNotBuilt},
    Program{"ringside/cost_sampling", Speaks::kLines, "ringside", kCostSampling, kNotBuilt},
    Program{"ringside/switch_states", Speaks::kLines, "ringside", kSwitchStates, kNotBuilt},
    Program{"ringside/gates", Speaks::kLines, "ringside", kGates, kNotBuilt},
    Program{"ringside/run_time", Speaks::kLines, "ringside", kRunTime, kNotBuilt},
    Program{"ringside/styles", Speaks::kLines, "ringside", kStyles, kNotBuilt},
    Program{"ringside/contexts", Speaks::kLines, "ringside", kContexts, kNotBuilt},
    Program{"ringside/spans", Speaks::kLines, "ringside", kSpans, kNotBuilt},
    Program{"ringside/netlogger_calls", Speaks::kLines, "ringside", kNetLoggerCalls, kNotBuilt},
    Program{"ringside/sustained", Speaks::kLines, "ringside", kSustained, kNotBuilt},
    Program{"ringside/durable", Speaks::kLines, "ringside", kDurable, kNotBuilt},
    Program{"ringside/full_rings", Speaks::kLines, "ringside", kFullRings, kNotBuilt},
    Program{"extent_codec_benchmark", Speaks::kGoogleBenchmark, "ringside", kCodec, kNotBuilt},
    Program{"ringside/bytes_per_record", Speaks::kLines, "ringside", kBytes, kNotBuilt},
    Program{"compression/mix_bytes", Speaks::kLines, "ringside", kMixBytes, kNotBuilt},
    Program{"ringside/text", Speaks::kLines, "ringside", kText, kNotBuilt},
    Program{"ringside/text_threads", Speaks::kLines, "ringside", kTextThreads, kNotBuilt},
    Program{"message_text_bench", Speaks::kGoogleBenchmark, "ringside", kText, kNotBuilt},
    Program{"aggregation_benchmark", Speaks::kGoogleBenchmark, "ringside", kAggregation, kNotBuilt},
    Program{"ringside/tail", Speaks::kLines, "ringside", kTail, kNotBuilt},
    Program{"ringside/grep", Speaks::kLines, "ringside", kGrep, kNotBuilt},
    Program{"ringside/ordered", Speaks::kLines, "ringside", kOrdered, kNotBuilt},
    Program{"ringside/poll_round", Speaks::kLines, "ringside", kPollRound, kNotBuilt},
    Program{"ringside/idle", Speaks::kLines, "ringside", kIdle, kNotBuilt},
    Program{"ringside/first_call", Speaks::kLines, "ringside", kFirstCall, kNotBuilt},
    Program{"ringside/memory_usage", Speaks::kLines, "ringside", kMemory, kNotBuilt},
    Program{"ringside/readable", Speaks::kLines, "ringside", kReadable, kNotBuilt},
    Program{"ringside/text_output", Speaks::kLines, "ringside", kTextOutput, kNotBuilt},
    Program{"ringside/followed", Speaks::kLines, "ringside", kFollowed, kNotBuilt},
    Program{"scaling/scaling", Speaks::kLines, "ringside", kScaling, kNotBuilt},
    Program{"integration/run_integration.py", Speaks::kIntegration, "", kIntegration,
            "the script is not in the tree"},
};

constexpr std::array<MissingRow, 0> kMissing{};

}  // namespace

std::span<const Program> programs() {
  return kPrograms;
}

std::span<const MissingRow> missing_rows() {
  return kMissing;
}

}  // namespace ringside::perf
