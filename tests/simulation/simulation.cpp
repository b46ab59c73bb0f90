#include "simulation.hpp"

#include <memory>
#include <ostream>
#include <vector>

#include "bank.hpp"
#include "client.hpp"
#include "node.hpp"
#include "promises.hpp"

namespace gateway::simulation {

namespace {

using namespace std::chrono_literals;

/// Plain text instead of JSON: the actors do not care what the bytes mean. No two states look alike.
class text_encoder final : public payment_encoder, public event_encoder {
 public:
  answer encode(const outcome& result) const override {
    const auto status = !result.failure ? 200 : *result.failure == problem::provider_outcome_unknown ? 502 : 409;
    std::string body{to_string(result.what)};
    body.append(": ").append(to_string(result.after.state)).append(" v").append(std::to_string(result.after.version));
    if (result.refunded_amount > 0) body.append(", refunded ").append(std::to_string(result.refunded_amount));
    if (result.failure) body.append(", problem ").append(std::to_string(static_cast<int>(*result.failure)));
    return {static_cast<std::uint16_t>(status), std::move(body)};
  }
  std::string event_data(const payment& subject, std::string_view type) const override {
    return std::string{type} + " v" + std::to_string(subject.version);
  }
  std::string envelope(const event_record& event, destination_kind to, const entity_id&) const override {
    return event.id + ' ' + std::string{type_told_to(to, event.type)} + ' ' + event.subject.id + ' ' + event.data;
  }
};

/// Cards in euro by the route with separate capture, Hong Kong dollars by the one that captures at once.
merchant shop() {
  merchant m;
  m.id = merchant_id{"merch_1"};
  m.connections = {{environment::test, provider_kind::sandbox, connection_status::connected, "acct"},
                   {environment::test, provider_kind::sandbox_hosted, connection_status::connected, "acct"}};
  m.routes = {
      {environment::test, provider_kind::sandbox, 1, {*currency::parse("EUR")}, {payment_method_kind::card}},
      {environment::test, provider_kind::sandbox_hosted, 2, {*currency::parse("HKD")}, {payment_method_kind::card}}};
  return m;
}

class world {
 public:
  world(std::uint64_t seed, guard missing, std::ostream* story) : random_{seed}, log_{time_, story}, missing_{missing} {
    result_.seed = seed;
    found_shop();
    for (unsigned i = 0; i < plan_.nodes; ++i) {
      skews_.push_back(duration_ms{random_.between(-plan_.faults.clock_skew.count(), plan_.faults.clock_skew.count())});
      nodes_.push_back(nullptr);
      start(i);
    }
    for (unsigned i = 0; i < plan_.clients; ++i)
      clients_.push_back(std::make_unique<client>(
          i + 1, plan_, time_, random_, faults_, held_, log_,
          [this](entity_request request, auto told) { balance(std::move(request), std::move(told)); }));
    customer();
    if (plan_.keys_expire) purge();
    if (plan_.faults.meddling > 0 || plan_.faults.post_gone > 0 || plan_.faults.clock_set > 0) operators();
  }

  outcome_of_seed run() {
    faults_ = plan_.faults;
    const auto all_done = [this] { return std::ranges::all_of(clients_, [](const auto& c) { return c->done(); }); };
    go_on(all_done, 4h, "the clients do not come to an end");

    // The faults end, and the nodes come back. What is open settles without anybody asking.
    log_.write("world", "calms down");
    faults_ = weather::calm();
    ++calm_;
    for (auto& each : endpoints_)
      if (each.what.status == destination_status::disabled) set_status(each, destination_status::enabled);
    // What was held up in the database has landed by then.
    const auto landed = time_.now() + 30s;
    const auto settled = [&] {
      return time_.now() > landed && all_up() && unanswered() == 0 && !held_.anything_open();
    };
    go_on(settled, 1h, "not everything is settled an hour after the last fault");
    if (!held_.broken()) look_around();

    // Everyone asks for what they never learned, and for what they did.
    for (auto& c : clients_) c->ask_all_again();
    go_on([&] { return all_done() && !held_.anything_open(); }, 1h, "what is asked again stays open");
    // Once more: now every result is a replay.
    for (auto& c : clients_) c->ask_all_again();
    go_on([&] { return all_done() && unanswered() == 0; }, 1h, "a request is never answered");
    if (!held_.broken()) look_around();
    if (!held_.broken()) held_.at_rest();
    if (!held_.broken()) deliver_the_rest();

    result_.broken = held_.broken();
    result_.fingerprint = log_.fingerprint();
    result_.time = time_.elapsed();
    return result_;
  }

 private:
  /// Until `enough`, or something breaks.
  template <class Enough>
  void go_on(Enough enough, duration_ms limit, std::string_view too_long) {
    const auto deadline = time_.now() + limit;
    while (!held_.broken() && !enough()) {
      if (time_.now() > deadline || result_.steps > 3'000'000) return held_.break_(std::string{too_long});
      step();
    }
  }

  void step() {
    std::vector<node*> runnable;
    for (const auto& n : nodes_)
      if (n && n->runnable()) runnable.push_back(n.get());
    // Sometimes the world outside is faster than the actors.
    if (runnable.empty() || random_.chance(0.01)) return let_time_pass(runnable.empty());
    ++result_.steps;
    random_.pick(runnable)->step();
    if (random_.chance(faults_.crash)) crash(static_cast<unsigned>(random_.below(nodes_.size())));
  }

  void let_time_pass(bool idle) {
    auto to = idle ? time_point::max() : time_.now() + duration_ms{random_.between(1, 20)};
    for (const auto& n : nodes_)
      if (n)
        if (const auto timer = n->next_timer(); timer && *timer < to) to = *timer;
    time_.advance_to(to);
    for (const auto& n : nodes_)
      if (n) n->catch_up();
    time_.run_due();
  }

  void start(unsigned which) {
    log_.write("node " + std::to_string(which + 1), "starts");
    nodes_[which] = std::make_unique<node>(surroundings{time_, random_, faults_, log_, rows_, provider_, receivers_,
                                                        [this](const auto& wanted) { return disable(wanted); },
                                                        plan_.config, merchants_, encoder_, encoder_, meters_},
                                           which + 1, skews_[which], which % plan_.number_salts);
  }

  void crash(unsigned which) {
    if (!nodes_[which]) return;
    log_.write(nodes_[which]->name(), "crashes");
    nodes_[which].reset();
    ++result_.crashes;
    time_.in(duration_ms{random_.between(1, 20'000)}, [this, which] { start(which); });
  }

  bool all_up() const {
    return std::ranges::all_of(nodes_, [](const auto& n) { return n != nullptr; });
  }
  std::size_t unanswered() const {
    std::size_t open = 0;
    for (const auto& n : nodes_)
      if (n) open += n->unanswered();
    return open;
  }

  /// The balancer knows which nodes are up, and no more.
  void balance(entity_request request, std::function<void(entity_reply&)> told) {
    std::vector<node*> up;
    for (const auto& n : nodes_)
      if (n) up.push_back(n.get());
    if (up.empty()) return;
    auto* chosen = random_.pick(up);
    log_.write(chosen->name(), "gets it");
    chosen->send(request, [this, request, told = std::move(told), asked_at = held_.moment()](entity_reply& reply) {
      held_.told(request, reply, asked_at, nodes_.size() == 1);
      told(reply);
    });
  }

  /// The customer sits in front of the provider's pages: pays, declines, presses twice.
  void customer() {
    time_.in(duration_ms{random_.between(500, 8'000)}, [this] {
      if (calm_ == 0) customer();
      for (const auto& [key, row] : database_.payments) {
        if (row.hosted_url.empty() || !random_.chance(0.5)) continue;
        const auto signal = random_.chance(0.7) ? hosted_signal::paid : hosted_signal::declined;
        log_.write("customer", signal == hosted_signal::paid ? "pays " : "declines ", row.key.id);
        if (signal == hosted_signal::paid) held_.page_paid(row.key);
        balance({row.key, std::nullopt, hosted_result{signal, row.provider_ref}}, [](entity_reply&) {});
      }
    });
  }

  /// What a lone node shows when nothing is under way is what is stored. One of several may lag behind until it acts.
  void look_around() {
    if (nodes_.size() > 1) return;
    for (const auto& [key, row] : database_.payments)
      balance({row.key, std::nullopt, view_entity{}}, [this](entity_reply& reply) {
        held_.seen_at_rest(*std::get<payment_ptr>(std::get<entity_row>(reply.what)));
      });
    go_on([this] { return unanswered() == 0; }, 1min, "a look is never answered");
  }

  /// Keys are kept longer than any request takes, and no longer.
  void purge() {
    time_.in(1min, [this] {
      if (calm_ > 0) return;
      purge();
      const auto before = time_.now() - 10min;
      for (const auto& [key, row] : database_.commands)
        if (row.result && row.created_at < before) held_.key_expires(row.key);
      if (const auto purged = database_.run(purge_commands{before, 1'000}).deleted; purged > 0)
        log_.write("database", "purges ", purged, " keys");
    });
  }

  // ---- destinations -----------------------------------------------------------------------------

  void found_shop() {
    const auto open = [&](std::string name, destination_kind kind, std::vector<std::string> events) {
      webhook_endpoint e;
      e.what.id = destination_id{"dest_" + name};
      e.what.kind = kind;
      e.what.owner = kind == destination_kind::merchant ? "merch_1" : "plat_1";
      e.what.url = "https://" + name + ".test/hook";
      e.what.events = std::move(events);
      e.secret = "whsec_" + name;
      endpoints_.push_back(std::move(e));
    };
    open("a", destination_kind::merchant, {});
    open("b", destination_kind::merchant, {"payment.captured", "payment.voided", "payment.refunded"});
    if (plan_.destinations > 2) open("c", destination_kind::merchant, {});
    // Hears of nothing in test.
    open("p", destination_kind::platform, {});
    for (const auto& each : endpoints_) publish(each);
  }

  /// As the directory does: the merchant first, then the destination, then those who wait for it.
  void publish(const webhook_endpoint& changed) {
    auto m = shop();
    for (const auto& each : endpoints_) m.destinations.push_back(each.what);
    merchants_.publish(std::make_shared<const merchant>(std::move(m)));
    merchants_.publish(std::make_shared<const webhook_endpoint>(changed));
    told_.published(changed);
    for (const auto& n : nodes_)
      if (n) n->tell({changed.what.id});
  }

  void set_status(webhook_endpoint& of, destination_status to) {
    log_.write("operator", to == destination_status::enabled ? "enables " : "disables ", of.what.id.value);
    of.what.status = to;
    publish(of);
  }

  /// A node's dispatcher has been told 410.
  bool disable(const disable_destination& wanted) {
    if (calm_ > 0 || random_.chance(faults_.directory_fails)) return false;
    const auto which = std::ranges::find(endpoints_, wanted.id, [](const webhook_endpoint& e) { return e.what.id; });
    set_status(*which, destination_status::disabled);
    return true;
  }

  void operators() {
    time_.in(duration_ms{random_.between(500, 20'000)}, [this] {
      if (calm_ > 0) return;
      operators();
      auto& endpoint = random_.pick(endpoints_);
      if (random_.chance(faults_.clock_set)) set_a_clock();
      const bool off = endpoint.what.status == destination_status::disabled;
      if (off && random_.chance(0.5)) return set_status(endpoint, destination_status::enabled);
      if (!random_.chance(faults_.meddling)) return;
      switch (random_.below(4)) {
        case 0: return set_status(endpoint, destination_status::disabled);
        case 1: {
          endpoint.previous_secret = std::exchange(endpoint.secret, endpoint.secret + "+");
          endpoint.previous_until = time_.now() + duration_ms{random_.between(1'000, 60'000)};
          log_.write("operator", "gives ", endpoint.what.id.value, " a new secret");
          return publish(endpoint);
        }
        case 2: return redeliver({0, endpoint.what.id, {}, {}});
        default:
          if (database_.deliveries.empty()) return;
          auto row = database_.deliveries.begin();
          std::advance(row, static_cast<std::ptrdiff_t>(random_.below(database_.deliveries.size())));
          return redeliver({row->first, {}, {}, {}});
      }
    });
  }

  void set_a_clock() {
    const auto which = random_.below(nodes_.size());
    skews_[which] = duration_ms{random_.between(-plan_.faults.clock_skew.count(), plan_.faults.clock_skew.count())};
    log_.write("operator", "sets the clock of node ", which + 1, ": ", skews_[which].count(), " ms off");
    if (nodes_[which]) nodes_[which]->set_clock(skews_[which]);
  }

  void redeliver(gateway::redeliver wanted) {
    std::vector<node*> up;
    for (const auto& n : nodes_)
      if (n) up.push_back(n.get());
    if (up.empty()) return;
    redeliver(*random_.pick(up), std::move(wanted));
  }
  void redeliver(node& by, gateway::redeliver wanted) {
    log_.write("operator", "redelivers ", wanted.id, ' ', wanted.to.value, " by ", by.name());
    by.redeliver(std::move(wanted), [this](std::optional<std::uint64_t> made) {
      log_.write("operator", "redelivers ", made.value_or(0));
    });
  }

  /// What failed, or killed too many workers, waits for an operator; the rest for nobody.
  void deliver_the_rest() {
    const auto waits_for_operator = [&](std::int64_t number) {
      return std::ranges::all_of(nodes_, [&](const auto& n) { return n->has_set_aside(number); });
    };
    const auto nothing_waits = [&] {
      return std::ranges::all_of(database_.deliveries, [&](const auto& row) {
        return row.second.status != delivery_status::pending || waits_for_operator(row.first);
      });
    };
    go_on(nothing_waits, 2h, "a delivery is neither delivered nor given up");
    for (const auto& [number, row] : database_.deliveries)
      if (row.status == delivery_status::pending) redeliver(*nodes_.front(), {number, {}, {}, {}});
    for (const auto& each : endpoints_) redeliver({0, each.what.id, {}, {}});
    const auto all_delivered = [&] {
      return std::ranges::all_of(database_.deliveries,
                                 [](const auto& row) { return row.second.status == delivery_status::delivered; });
    };
    go_on(all_delivered, 10min, "what was redelivered is not delivered");
    if (!held_.broken()) told_.at_rest();
  }

  agenda time_;
  dice random_;
  journal log_;
  guard missing_;
  outcome_of_seed result_;
  world_plan plan_ = draw_plan(random_);
  weather faults_ = weather::calm();
  unsigned calm_ = 0;
  text_encoder encoder_;
  testing::memory_store database_;
  promises held_{database_, encoder_, log_};
  directory merchants_;
  const duration_ms clocks_jump_by_ = plan_.faults.clock_set > 0 ? 2 * plan_.faults.clock_skew : duration_ms{0};
  delivery_promises told_{database_, encoder_, merchants_, time_, plan_.config, clocks_jump_by_, held_};
  database rows_{database_, held_, told_, log_, missing_};
  bank provider_{time_, random_, faults_, held_, log_, missing_};
  receivers receivers_{time_, random_, faults_, plan_.config, told_, log_};
  std::vector<webhook_endpoint> endpoints_;
  metrics meters_;
  std::vector<duration_ms> skews_;
  std::vector<std::unique_ptr<client>> clients_;
  std::vector<std::unique_ptr<node>> nodes_;
};

}  // namespace

outcome_of_seed simulate(std::uint64_t seed, guard missing, std::ostream* story) {
  return world{seed, missing, story}.run();
}

}  // namespace gateway::simulation
