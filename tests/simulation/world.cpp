#include "world.hpp"

#include <algorithm>
#include <ostream>
#include <utility>

namespace gateway::simulation {

using namespace std::chrono_literals;

merchant shop(card_routes cards) {
  merchant m;
  m.id = merchant_id{"merch_1"};
  m.connections = {{environment::test, provider_kind::sandbox, connection_status::connected, "acct"},
                   {environment::test, provider_kind::sandbox_hosted, connection_status::connected, "acct"}};
  m.routes = {
      {environment::test,
       provider_kind::sandbox,
       2,
       {*currency::parse("EUR")},
       {payment_method_kind::card, payment_method_kind::recurring_card}},
      {environment::test, provider_kind::sandbox_hosted, 3, {*currency::parse("HKD")}, {payment_method_kind::card}}};
  if (cards == card_routes::sandbox) return m;
  if (cards == card_routes::stripe) m.routes.front().methods = {payment_method_kind::recurring_card};
  m.connections.push_back({environment::test, provider_kind::stripe, connection_status::connected, "acct_1"});
  m.routes.insert(
      m.routes.begin(),
      {environment::test, provider_kind::stripe, 1, {*currency::parse("EUR")}, {payment_method_kind::card}});
  return m;
}

world::world(std::uint64_t seed, guard missing, std::ostream* story)
    : random_{seed}, log_{time_, story}, missing_{missing}, result_{.seed = seed} {
  database_.last_seen = time_.now();
  jumps_.resize(plan_.nodes);
  shelves_.resize(plan_.nodes);
  for (unsigned i = 0; i < plan_.nodes; ++i)
    clock_rates_.push_back(1 + plan_.drift * static_cast<double>(company_.between(-100, 100)) / 100);
  for (const auto& platform : platform_scene::platforms())
    for (auto& key : platform_scene::keys_of(platform))
      platform_keys_.push_back({std::move(key), platform, *parse_scopes("*"), "secret"});
  publish_destinations();
  publish_providers(merchants_);
  publish_platforms(merchants_);
  if (!has_platforms_) give_lasting_grants(merchants_);
  for (unsigned i = 0; i < plan_.nodes; ++i) {
    skews_.push_back(duration_ms{random_.between(-plan_.faults.clock_skew.count(), plan_.faults.clock_skew.count())});
    nodes_.push_back(nullptr);
    start(i);
  }
  for (unsigned i = 0; i < plan_.clients; ++i)
    clients_.push_back(std::make_unique<client>(
        "client " + std::to_string(i + 1), std::nullopt, plan_, time_, random_, faults_, promises_, log_,
        [this](entity_request request, auto reported) { balance(std::move(request), std::move(reported)); }));
  if (has_platforms_ || plan_.customers > 0) open_platforms();
  if (has_subscriptions_)
    subscribers_ = std::make_unique<subscription_scene>(
        time_, apart_, faults_, database_, subscription_promises_, log_,
        [this](entity_request request, auto reported) { balance(std::move(request), std::move(reported)); });
  if (has_notices_)
    notices_ = std::make_unique<notices>(
        time_, random_, faults_, notice_promises_, log_,
        [this](entity_request request, auto reported) { balance(std::move(request), std::move(reported)); });
  if (plan_.faults.provider_acts > 0) act_as_provider();
  customer();
  if (plan_.keys_expire) purge();
  if (plan_.faults.operator_acts > 0 || plan_.faults.post_gone > 0 || plan_.faults.clock_set > 0 ||
      plan_.faults.clock_jumps > 0)
    operators();
  if (plan_.faults.cuts > 0) cut_network();
}

outcome_of_seed world::run() {
  faults_ = plan_.faults;
  const auto all_done = [this] { return std::ranges::all_of(clients_, [](const auto& c) { return c->done(); }); };
  run_until(all_done, 4h, "the clients do not come to an end");
  if (faults_.crash > 0 && time_.elapsed() > crashes_last) log_.occurs("crashes cease before the clients are done");
  calm_down();
  settle();
  ask_all_again();
  if (has_notices_) let_a_quiet_day_pass();
  check_at_rest();
  result_.broken = promises_.broken();
  result_.fingerprint = log_.fingerprint();
  result_.time = time_.elapsed();
  count_what_happened();
  return result_;
}

/// The faults end, and crashed nodes start again. Open operations settle without a client's request.
void world::calm_down() {
  log_.write("world", "calms down");
  faults_ = fault_rates::none();
  ++calm_;
  if (platforms_) settle_platforms();
  if (subscribers_) subscribers_->calm_down();
  if (notices_) notices_->calm_down();
  refreshes_.calm_down();
  for (auto& each : endpoints_)
    if (each.what.status == destination_status::disabled) set_status(each, destination_status::enabled);
  if (plan_.faults.clock_jumps > 0) sleep_through_jumps();
}

void world::settle() {
  // By this time late commits have happened.
  const auto landed = time_.now() + 30s;
  const auto settled = [&] {
    return time_.now() > landed && all_up() && unanswered() == 0 && !promises_.anything_open() && subscribed() &&
           all_is_told();
  };
  // The gateway learns what its provider has not posted about a payment at its next inquiry, after an hour at the
  // latest.
  const auto most = has_notices_ ? 2h : 1h;
  run_until(settled, most, "not everything is settled an hour after the last fault");
  if (promises_.broken()) log_.write("world", what_is_not_settled());
  if (!promises_.broken()) compare_views_with_rows();
}

/// All clients repeat all their requests, answered or not.
void world::ask_all_again() {
  const auto all_done = [this] { return std::ranges::all_of(clients_, [](const auto& c) { return c->done(); }); };
  for (auto& c : clients_) c->ask_all_again();
  if (subscribers_) subscribers_->ask_all_again();
  run_until([&] { return all_done() && !promises_.anything_open() && subscribed(); }, 1h,
            "what is asked again stays open");
  // Once more: now every answer is a replay.
  for (auto& c : clients_) c->ask_all_again();
  run_until([&] { return all_done() && unanswered() == 0; }, 1h, "a request is never answered");
  if (!promises_.broken()) compare_views_with_rows();
}

void world::check_at_rest() {
  const auto slots_are_back = [&] {
    return std::ranges::all_of(nodes_, [](const auto& n) { return n->slots_held() == 0; });
  };
  run_until(slots_are_back, 1min, "a provider slot is never given back");
  run_until([&] { return std::ranges::all_of(nodes_, [](const auto& n) { return !is_away_for(*n); }); }, 2min,
            "a breaker stays open");
  if (!promises_.broken()) promises_.at_rest();
  if (!promises_.broken()) customer_promises_.at_rest();
  if (!promises_.broken()) subscription_promises_.at_rest();
  if (!promises_.broken()) notice_promises_.at_rest();
  if (!promises_.broken()) provider_promises_.at_rest();
  if (!promises_.broken()) event_log_.at_rest(running_nodes());
  if (!promises_.broken() && platforms_)
    for (unsigned i = 0; i < plan_.nodes; ++i) grant_promises_.at_rest(published(i));
  if (!promises_.broken()) deliver_the_rest();
}

void world::step() {
  if (event_log_.due()) event_log_.read(running_nodes());
  std::vector<node*> runnable;
  for (const auto& n : nodes_)
    if (n && !n->paused() && n->runnable()) runnable.push_back(n.get());
  // Sometimes time passes before the actors have handled all messages.
  if (runnable.empty() || random_.chance(0.01)) return let_time_pass(runnable.empty());
  ++result_.steps;
  random_.pick(runnable)->step();
  if (random_.chance(time_.elapsed() < crashes_last ? faults_.crash : 0))
    crash(static_cast<unsigned>(random_.below(nodes_.size())));
  if (has_other_nodes_ && random_.chance(faults_.pauses)) pause(static_cast<unsigned>(random_.below(nodes_.size())));
}

void world::let_time_pass(bool idle) {
  auto to = idle ? time_point::max() : time_.now() + duration_ms{random_.between(1, 20)};
  for (const auto& n : nodes_)
    if (n && !n->paused())
      if (const auto timer = n->next_timer(); timer && *timer < to) to = *timer;
  time_.advance_to(to);
  for (const auto& n : nodes_)
    if (n && !n->paused()) n->catch_up();
  time_.run_due();
}

/// Whether no subscription has anything outstanding.
bool world::subscribed() const {
  return !subscribers_ || (subscribers_->done() && !subscription_promises_.anything_open());
}

/// Whether the gateway knows everything that its customers have done at the provider, and all the provider's
/// notifications.
bool world::all_is_told() const {
  return !has_notices_ || (notices_->done() && refreshes_.done() && !checkouts_.anything_undelivered() &&
                           !notice_promises_.anything_open());
}

bool world::is_away_for(const node& which) {
  return which.board().state_of(provider_kind::stripe, environment::test) == provider_state::away;
}

void world::count_what_happened() {
  if (has_other_nodes_) {
    for (const auto* way : {"passed", "taken_back", "lost_claim"})
      log_.occurs(std::string{"a request is "} + way, static_cast<std::uint64_t>(meters_.node_requests(way).Value()));
    log_.occurs("a world has several nodes");
    if (plan_.mixed_versions) log_.occurs("a world has two message versions");
    if (!plan_.leases_hold()) log_.occurs("a world has leases that do not hold");
  }
  result_.occurrences = log_.occurrences();
}

std::string world::what_is_not_settled() const {
  std::string text = "not settled:";
  for (const auto& n : nodes_) {
    if (!n)
      text += " a node is down,";
    else if (n->paused() || !n->among().serves())
      text += ' ' + n->name() + (n->paused() ? " pauses," : " has no lease,");
    else if (n->unanswered() > 0)
      text += ' ' + n->name() + " has " + std::to_string(n->unanswered()) + " unanswered,";
  }
  if (promises_.anything_open()) text += " an operation is open,";
  if (!subscribed()) text += " a subscription is not at rest,";
  if (checkouts_.anything_undelivered()) text += " what a customer has done at the provider is not known,";
  if (notice_promises_.anything_open()) text += " a notification is not applied,";
  if (!refreshes_.done()) text += " a refresh is not answered,";
  if (notices_ && !notices_->done()) text += " a notification is not stored,";
  if (provider_promises_.anything_due()) text += " a payment is due,";
  return text;
}

world_plan world::draw_whole_plan() {
  auto plan = draw_plan(random_);
  draw_company(plan, company_);
  random_source apart{result_.seed ^ 0x57'217'9e5eedULL};
  draw_provider(plan, apart);
  return plan;
}

outcome_of_seed simulate(std::uint64_t seed, guard missing, std::ostream* story) {
  return world{seed, missing, story}.run();
}

}  // namespace gateway::simulation
