// gatewayd: the payments gateway's server. `gatewayd --help` lists its settings.

#include <signal.h>

#include <cstdlib>
#include <exception>
#include <iostream>

#include "config/settings_loader.hpp"
#include "gateway/base/log.hpp"
#include "gateway/base/memory_secrecy.hpp"
#include "gateway/base/scheduling.hpp"
#include "gateway_process.hpp"

#ifdef GATEWAY_MIMALLOC
#include <mimalloc.h>
#endif

namespace {

/// Blocks the signals that main waits for, in this thread and in every thread started later.
sigset_t block_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (int each : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, each);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
  return signals;
}

int run(gateway::settings config, bool shows_password) {
  const auto signals = block_signals();
  if (!config.core_dumps) gateway::forbid_dumps();  // before the first key is read
  gateway::use_batch_scheduling();
  const auto level = gateway::parse_name<gateway::log::level>(config.log_level).value_or(gateway::log::level::info);
  gateway::log::name_node(config.node);
  gateway_process process{std::move(config)};
  gateway::log::start(level);
  if (shows_password)
    gateway::log::warn(
        "store_password_on_command_line",
        {{"advice", "every user of this machine can read it: set store and mail-url in the configuration file"}});
  process.start();
  std::cout << "listening on " << process.listening_on() << '\n';
  if (!process.operator_listening_on().empty())
    std::cout << "operator metrics on " << process.operator_listening_on() << '\n';
  std::cout << std::flush;
  gateway::log::info("started", {{"address", process.listening_on()}});

  for (int received = 0;;) {
    if (sigwait(&signals, &received) != 0) continue;
    if (received != SIGHUP) break;
    process.reload_certificate();
  }

  const auto failure = process.failure();
  gateway::log::info("draining");
  process.drain();
  if (!failure.empty()) gateway::log::error("ended_by_failure", {{"reason", failure}});
  gateway::log::info("stopped");
  if (!gateway::log::stop()) std::_Exit(failure.empty() ? 0 : 1);
  if (!failure.empty()) std::cerr << "gatewayd: " << failure << '\n';
  return failure.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
#ifdef GATEWAY_MIMALLOC
  mi_version();  // without a reference the linker would drop the allocator
#endif
  auto parsed = gateway::load_settings(argc, argv);
  if (parsed.outcome != gateway::load_outcome::run) {
    (parsed.exit_code() == 0 ? std::cout : std::cerr) << parsed.text;
    return parsed.exit_code();
  }
  try {
    return run(std::move(parsed.config), parsed.shows_password);
  } catch (const bad_setting& fault) {
    std::cerr << "gatewayd: " << fault.what() << " (try --help)\n";
    return 2;  // as for a setting whose own text is wrong
  } catch (const std::exception& error) {
    gateway::log::stop();
    std::cerr << "gatewayd: " << error.what() << '\n';
    return 1;
  }
}
