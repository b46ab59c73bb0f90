#include "run.hpp"

#include <cmath>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "engine/engine.hpp"
#include "engine/result.hpp"
#include "report/format.hpp"
#include "report/progress.hpp"
#include "report/report.hpp"
#include "run_parts.hpp"
#include "workload/merchants.hpp"
#include "workload/receiver.hpp"

namespace gateway::load {

using namespace std::chrono_literals;

namespace {

constexpr double most_busy =
    0.75;       ///< share of the time; with three other threads on its core it was measured to be 0.8
constexpr std::size_t most_shown = 100;  ///< violations

credentials key_from_environment(const std::string& key_id) {
  const char* secret = std::getenv("GATEWAY_LOAD_SECRET");
  if (secret == nullptr || *secret == '\0')
    throw std::invalid_argument("--key-id: its secret is expected in GATEWAY_LOAD_SECRET");
  return {key_id, secret};
}

std::vector<target> targets_of(const command_line& options) {
  auto urls = options.targets;
  if (urls.empty()) urls.push_back(find_address(options.where.data_dir));
  std::vector<target> all;
  all.reserve(urls.size());
  for (const auto& url : urls) {
    auto where = options.where;
    where.url = url;
    all.emplace_back(where);
  }
  return all;
}

std::string text_of(const std::vector<target>& all) {
  std::string text;
  for (const auto& one : all) text += (text.empty() ? "" : ", ") + one.url();
  return text;
}

class load_run {
 public:
  explicit load_run(const command_line& options) : options_(options), to_(targets_of(options)) {}

  int execute() {
    prepare();
    const auto began_at = now_text();
    load_outcome outcome;
    {
      progress shown{progress_style_of(options_.progress), options_.threads};
      const auto show = [&](unsigned, const load_moment& moment) { shown(moment); };
      outcome = run_load(to_, *sign_, load_plan_of(), scenarios(), interrupted(), show);
    }
    if (!outcome.fault.empty()) print_error(outcome.fault);
    warn_if_busy(outcome);
    auto& run = outcome.measured;
    run.name = options_.name.empty() ? one_line(options_.mix) : options_.name;
    run.scenario = one_line(options_.mix);
    run.schedule =
        options_.open ? options_.open->text() : "closed, " + std::to_string(options_.connections) + " connections";
    run.target = text_of(to_);
    run.merchants = options_.load.callers;
    run.random_ids = options_.load.payment_ids == id_order::random;
    run.labels = options_.labels;
    run.began_at = began_at;
    bool unverified = false;
    if (options_.verify) unverified = !verify(run.checked);

    report(run, {options_.json, options_.html});
    if (run.answered() == 0) print_error("nothing was measured: no request was answered");
    return run.checked.violations > 0 || unverified || !outcome.fault.empty() || run.answered() == 0 ? 1 : 0;
  }

 private:
  void prepare() {
    check_writable(options_.json);
    check_writable(options_.html);
    allow_files(options_.connections);
    std::string merchant_id;
    if (options_.key_id.empty())
      sign_ = std::make_unique<signer>(to_.front().authority(), keys_of_fresh_merchants(merchant_id));
    else
      sign_ = std::make_unique<signer>(to_.front().authority(), key_from_environment(options_.key_id),
                                       merchant_scope{options_.load.merchant, options_.environment});
    make_workloads();
    if (!options_.receiver_listen.empty()) listen(merchant_id);
    catch_interrupts();
  }

  /// Creates the merchants. `merchant_id` becomes the id of the last one; it is used only if there is one merchant.
  std::shared_ptr<const key_ring> keys_of_fresh_merchants(std::string& merchant_id) const {
    auto keys = std::make_shared<key_ring>();
    status_line shown{progress_style_of(options_.progress)};
    const auto pause = std::chrono::seconds{shown.seconds()};
    auto next = clock::now() + pause;
    const auto wanted = options_.load.callers;
    make_merchants(options_.where.data_dir, wanted, [&](const fresh_merchant& one) {
      keys->add(one.key);
      merchant_id = one.merchant_id;
      const auto now = clock::now();
      if (now < next && keys->size() < wanted) return;
      if (wanted > 1) shown.show("merchants: " + count_text(keys->size()) + " of " + count_text(wanted) + " made");
      next = now + pause;
    });
    return keys;
  }

  void listen(const std::string& merchant_id) {
    if (merchant_id.empty())
      throw std::invalid_argument("webhooks go to the merchant that --data-dir makes: --key-id names another");
    receiver_options options;
    options.listen = options_.receiver_listen;
    receiver_ = std::make_unique<receiver>(options);
    receiver_->expect_signatures_of(make_destination(options_.where.data_dir, merchant_id, receiver_->url()));
  }

  /// Makes one workload for each thread.
  void make_workloads() {
    const auto run = random_name();
    for (unsigned i = 0; i < options_.threads; ++i) {
      auto options = options_.load;
      options.run = options_.threads == 1 ? run : run + std::to_string(i);
      options.seed += i;
      const auto all = options.count;
      options.count = all / options_.threads + (i < all % options_.threads ? 1 : 0);
      // A count of 0 would mean that the thread's load does not end.
      if (all > 0 && options.count == 0) throw std::invalid_argument("--count: each thread needs a request");
      workloads_.push_back(make_workload(options));
    }
  }

  std::vector<scenario*> scenarios() const {
    std::vector<scenario*> all;
    all.reserve(workloads_.size());
    for (const auto& one : workloads_) all.push_back(one.get());
    return all;
  }

  load_plan load_plan_of() const {
    load_plan plan;
    plan.open = options_.open;
    plan.lasts_ns = options_.lasts_ns;
    plan.warm_up_ns = options_.warm_up_ns;
    plan.connections = options_.connections;
    plan.timeout = options_.timeout;
    plan.most_waiting = options_.most_waiting;
    return plan;
  }

  /// Returns false if verification was not possible.
  bool verify(verification& into) {
    interrupted() = false;
    if (!run_step("settling what got no answer", [](workload& of) { return of.settle(); })) return false;
    if (!run_step("reading back", [](workload& of) { return of.read_back(); }, options_.reads)) return false;
    if (receiver_) wait_for_events(*receiver_, events_expected(), interrupted());
    std::optional<std::vector<received_event>> received;
    if (receiver_) received = receiver_->received();
    for (const auto& one : workloads_) add(into, one->conclude(received));
    return true;
  }

  /// Warns if a thread was busy most of the time, because the tool's own delays then are part of the latencies.
  static void warn_if_busy(const load_outcome& outcome) {
    if (outcome.ran + outcome.queued < most_busy) return;
    const auto percent = [](double share) { return std::to_string(std::lround(share * 100)) + " %"; };
    print_error(
        "the tool itself was busy: it ran " + percent(outcome.ran) + " of the time and waited " +
        percent(outcome.queued) +
        " for a core, so its own delays are part of the latencies (--threads, a lower rate or another machine)");
  }

  bool run_step(const char* what, const std::function<std::unique_ptr<scenario>(workload&)>& of,
                const std::optional<schedule>& when = {}) try {
    std::vector<std::unique_ptr<scenario>> steps;
    std::vector<scenario*> all;
    steps.reserve(workloads_.size());
    all.reserve(workloads_.size());
    for (const auto& one : workloads_) all.push_back(steps.emplace_back(of(*one)).get());
    load_plan plan;
    plan.open = when;
    plan.connections = options_.connections;
    plan.timeout = options_.timeout;
    const auto outcome = run_load(to_, *sign_, plan, all, interrupted());
    if (interrupted()) throw std::runtime_error("interrupted");
    if (!outcome.fault.empty()) throw std::runtime_error(outcome.fault);
    return true;
  } catch (const std::runtime_error& fault) {
    print_error(std::string{"not verified, while "} + what + ": " + fault.what());
    return false;
  }

  std::uint64_t events_expected() const {
    std::uint64_t all = 0;
    for (const auto& one : workloads_) all += one->events_expected();
    return all;
  }

  static void add(verification& to, verification part) {
    to.done = part.done;
    to.keys += part.keys;
    to.payments += part.payments;
    to.customers += part.customers;
    to.events += part.events;
    to.settled += part.settled;
    to.violations += part.violations;
    for (auto& one : part.shown)
      if (to.shown.size() < most_shown) to.shown.push_back(std::move(one));
  }

  /// The mix on one line without comments: a mix from a file has several lines.
  static std::string one_line(const std::string& text) {
    std::string line;
    bool comment = false;
    for (const char c : text) {
      if (c == '#') comment = true;
      if (c == '\n') comment = false;
      if (comment) continue;
      if (c > ' ')
        line += c;
      else if (!line.empty() && line.back() != ' ')
        line += ' ';
    }
    while (line.ends_with(' ')) line.pop_back();
    return line;
  }

  const command_line& options_;
  std::vector<target> to_;
  std::unique_ptr<signer> sign_;
  std::vector<std::unique_ptr<workload>> workloads_;
  std::unique_ptr<receiver> receiver_;
};

}  // namespace

int execute_run(const command_line& options) { return load_run{options}.execute(); }

int execute_report(const command_line& options) {
  check_writable(options.html);
  std::vector<run_result> runs;
  runs.reserve(options.files.size());
  for (const auto& file : options.files) runs.push_back(read_json(file));
  for (std::size_t i = 0; i < runs.size(); ++i) std::cout << (i == 0 ? "" : "\n") << table_of(runs[i]);
  std::cout << table_of_curves(runs) << std::flush;
  if (!options.html.empty()) write_page(runs, options.title, options.html);
  return 0;
}

}  // namespace gateway::load
