// The command `subscriptions`, from the creation of its platform to its report.
#include <iostream>
#include <memory>
#include <stdexcept>
#include <thread>

#include "platform.hpp"
#include "report/format.hpp"
#include "report/progress.hpp"
#include "run.hpp"
#include "run_parts.hpp"
#include "subject_events.hpp"
#include "workload/merchants.hpp"
#include "workload/receiver.hpp"
#include "year.hpp"

namespace gateway::load {

namespace {

year_options year_of(const command_line& options, const std::string& run, const std::string& merchant) {
  year_options year;
  year.data_dir = options.where.data_dir;
  year.merchant_id = merchant;
  year.subscriptions = options.subscriptions;
  year.months = options.months;
  year.at_once = options.at_once;
  year.seed = options.load.seed;
  year.currency = options.load.currency;
  year.run = run;
  return year;
}

void describe(run_result& result, const command_line& options, const target& to, const std::string& began_at) {
  result.name = options.name.empty() ? "subscriptions" : options.name;
  result.scenario = count_text(options.subscriptions) + " subscriptions, " + count_text(options.months) + " months";
  result.schedule = "closed, " + std::to_string(options.at_once) + " at a time";
  result.target = to.url();
  result.connections = 2 * options.at_once;
  result.labels = options.labels;
  result.began_at = began_at;
}

}  // namespace

int execute_subscriptions(const command_line& options) {
  check_writable(options.json);
  check_writable(options.html);
  allow_files(4 * options.at_once);
  auto where = options.where;
  where.url = find_address(where.data_dir);
  const target to{where};
  const auto run = random_name();
  const auto platform = make_platform(options.where.data_dir, to, run, options.load.currency);
  const signer sign{to.authority(), platform.key, merchant_scope{platform.merchant_id, "live"}};

  subject_events events;
  receiver_options listening;
  listening.listen = options.receiver_listen;
  listening.on_new = [&events](const auto& envelope, bool rightly_signed) { events.take(envelope, rightly_signed); };
  auto receives = std::make_unique<receiver>(listening);
  receives->expect_signatures_of(
      make_platform_destination(options.where.data_dir, platform.platform_id, receives->url()));

  catch_interrupts();
  const auto began_at = now_text();
  year lived{year_of(options, run, platform.merchant_id), to, sign};
  {
    status_line shown{progress_style_of(options.progress)};
    const auto pause = std::chrono::seconds{shown.seconds()};
    auto next = clock::now() + pause;
    lived.live(interrupted(), [&](std::uint64_t done) {
      if (clock::now() < next) return;
      shown.show("subscriptions: " + count_text(done) + " of " + count_text(options.subscriptions) +
                 " have lived their year");
      next = clock::now() + pause;
    });
  }
  interrupted() = false;
  wait_for_events(*receives, lived.events_expected(), interrupted());
  receives.reset();  // a late post would change what is being compared
  lived.check(events, interrupted());
  auto result = lived.measured();
  describe(result, options, to, began_at);
  report(result, {options.json, options.html});
  const bool nothing = result.checked.subscriptions == 0;
  if (nothing) print_error("no subscription lived its year");
  if (interrupted()) print_error("interrupted: not everything was read back");
  return nothing || interrupted() || result.checked.violations > 0 ? 1 : 0;
}

}  // namespace gateway::load
