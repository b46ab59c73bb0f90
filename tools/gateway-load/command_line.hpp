// The command line of gateway-load.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/schedule.hpp"
#include "engine/target.hpp"
#include "workload/workload.hpp"

namespace gateway::load {

enum class command : unsigned char {
  run,
  subscriptions,
  report,
  information,  ///< show text, exit 0
  usage_error,  ///< text says in one line what is wrong, exit 2
};

struct command_line {
  command what = command::usage_error;
  std::string text;

  // run
  target_options where;
  std::vector<std::string>
      targets;  ///< where.url and further ones that share the load; empty: the gateway of where.data_dir
  std::string key_id;
  std::string environment;  ///< the environment in which a platform's key acts: test or live
  std::optional<schedule> open;  ///< none: the closed model
  std::uint64_t lasts_ns = schedule::no_end;
  std::uint64_t warm_up_ns = 0;
  std::chrono::nanoseconds timeout{};
  unsigned connections = 64, threads = 1;
  std::uint64_t most_waiting = 100'000;
  workload_options load;
  std::string mix;
  std::string name, receiver_listen;
  std::map<std::string, double> labels;
  bool verify = true;
  std::optional<schedule> reads;  ///< when the payments are read back; none: as fast as the answers come
  bool progress = false;
  std::filesystem::path json, html;

  // subscriptions, besides the options shared with run
  std::uint64_t subscriptions = 10'000;
  std::uint32_t months = 12;
  unsigned at_once = 32;

  // report
  std::vector<std::filesystem::path> files;
  std::string title;
};

command_line parse_command_line(int argc, const char* const* argv);

}  // namespace gateway::load
