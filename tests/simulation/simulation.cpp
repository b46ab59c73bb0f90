#include "simulation.hpp"

#include <memory>
#include <ostream>
#include <vector>

#include "checkouts.hpp"
#include "client.hpp"
#include "customers.hpp"
#include "gateway/customer_key.hpp"
#include "grants.hpp"
#include "network.hpp"
#include "node.hpp"
#include "node_table.hpp"
#include "notices.hpp"
#include "platform_scene.hpp"
#include "promises.hpp"
#include "simulated_provider.hpp"
#include "subscription_scene.hpp"

namespace gateway::simulation {

namespace {

using namespace std::chrono_literals;

/// Encodes plain text instead of JSON, because the actors do not read it. Different states have different texts.
class text_encoder final : public payment_encoder,
                           public event_encoder,
                           public grant_encoder,
                           public subscription_encoder {
 public:
  answer encode(const outcome& result) const override {
    const auto status = !result.failure ? 200 : *result.failure == problem::provider_outcome_unknown ? 502 : 409;
    std::string body{to_string(result.what)};
    body.append(": ").append(to_string(result.after.state)).append(" v").append(std::to_string(result.after.version));
    if (result.refunded_amount > 0) body.append(", refunded ").append(std::to_string(result.refunded_amount));
    if (const auto& customer = result.after.customer)
      body.append(", for ").append(customer->provider_id).append(" by ").append(customer->saved_method);
    if (result.failure) body.append(", problem ").append(std::to_string(static_cast<int>(*result.failure)));
    return {static_cast<std::uint16_t>(status), std::move(body)};
  }
  std::string event_data(const payment& subject, std::string_view type) const override {
    auto data = std::string{type} + " v" + std::to_string(subject.version);
    if (subject.customer) data.append(" by ").append(subject.customer->saved_method);
    return data;
  }
  std::string envelope(const event_record& event, destination_kind to, const entity_id&, bool partial) const override {
    return event.id + ' ' + std::string{type_told_to(to, event.type)} + ' ' + event.subject.id + ' ' +
           (partial ? "in part " : "") + std::string{event.data.view()};
  }
  answer encode(const subscription_outcome& result) const override {
    const auto problem = result.failure ? ", problem " + std::to_string(static_cast<int>(*result.failure)) : "";
    return {static_cast<std::uint16_t>(result.failure ? 409 : 200),
            std::string{to_string(result.what)} + ": " + std::string{to_string(result.after.state.status)} + " v" +
                std::to_string(result.after.version) + problem};
  }
  std::string event_data(const subscription_event_data& what) const override {
    return std::string{to_string(what.state.status)} + " by " + what.source_event_id;
  }
  answer exchanged(const grant_binding& subject, const entity_id&) const override {
    return {200, "exchanged: " + subject.newest->id.value + ' ' + to_string(subject.newest->scopes)};
  }
  answer revoked() const override { return {204, {}}; }
};

/// A merchant whose cards in EUR use the route with separate capture, and in HKD the route that captures at once.
/// Subscriptions stay with the sandbox, whose own rows define their expected outcome.
merchant shop(card_routes cards = card_routes::sandbox) {
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

/// The largest jump of a clock. Without a correction the gateway would have to trust it, because only the passing of
/// time distinguishes it from a long downtime.
constexpr duration_ms longest_jump = 60 * 24h;

/// Nodes crash during this time only. At the highest rates a single node crashes about fifty steps after each start and
/// is down for most of the time, so its clients may not finish within their four hours.
constexpr duration_ms crashes_last = 2h;

class world {
 public:
  world(std::uint64_t seed, guard missing, std::ostream* story)
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
          [this](entity_request request, auto told) { balance(std::move(request), std::move(told)); }));
    if (has_platforms_ || plan_.customers > 0) open_platforms();
    if (has_subscriptions_)
      subscribers_ = std::make_unique<subscription_scene>(
          time_, apart_, faults_, database_, subscription_promises_, log_,
          [this](entity_request request, auto told) { balance(std::move(request), std::move(told)); });
    if (has_notices_)
      notices_ = std::make_unique<notices>(
          time_, random_, faults_, notice_promises_, log_,
          [this](entity_request request, auto told) { balance(std::move(request), std::move(told)); });
    customer();
    if (plan_.keys_expire) purge();
    if (plan_.faults.operator_acts > 0 || plan_.faults.post_gone > 0 || plan_.faults.clock_set > 0 ||
        plan_.faults.clock_jumps > 0)
      operators();
    if (plan_.faults.cuts > 0) cut_network();
  }

  outcome_of_seed run() {
    faults_ = plan_.faults;
    const auto all_done = [this] { return std::ranges::all_of(clients_, [](const auto& c) { return c->done(); }); };
    run_until(all_done, 4h, "the clients do not come to an end");
    if (faults_.crash > 0 && time_.elapsed() > crashes_last) log_.occurs("crashes cease before the clients are done");

    // The faults end, and crashed nodes start again. Open operations settle without a client's request.
    log_.write("world", "calms down");
    faults_ = fault_rates::none();
    ++calm_;
    if (platforms_) settle_platforms();
    if (subscribers_) subscribers_->calm_down();
    if (notices_) notices_->calm_down();
    for (auto& each : endpoints_)
      if (each.what.status == destination_status::disabled) set_status(each, destination_status::enabled);
    if (plan_.faults.clock_jumps > 0) sleep_through_jumps();
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

    // All clients repeat all their requests, answered or not.
    for (auto& c : clients_) c->ask_all_again();
    if (subscribers_) subscribers_->ask_all_again();
    run_until([&] { return all_done() && !promises_.anything_open() && subscribed(); }, 1h,
              "what is asked again stays open");
    // Once more: now every answer is a replay.
    for (auto& c : clients_) c->ask_all_again();
    run_until([&] { return all_done() && unanswered() == 0; }, 1h, "a request is never answered");
    if (!promises_.broken()) compare_views_with_rows();
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
    if (!promises_.broken() && platforms_)
      for (unsigned i = 0; i < plan_.nodes; ++i) grant_promises_.at_rest(published(i));
    if (!promises_.broken()) deliver_the_rest();

    result_.broken = promises_.broken();
    result_.fingerprint = log_.fingerprint();
    result_.time = time_.elapsed();
    count_what_happened();
    return result_;
  }

 private:
  /// Runs until `enough` returns true or a promise is broken.
  template <class Enough>
  void run_until(Enough enough, duration_ms limit, std::string_view too_long) {
    const auto deadline = time_.now() + limit;
    while (!promises_.broken() && !enough()) {
      if (time_.now() > deadline || result_.steps > 3'000'000) return promises_.break_(std::string{too_long});
      step();
    }
  }

  void step() {
    std::vector<node*> runnable;
    for (const auto& n : nodes_)
      if (n && !n->paused() && n->runnable()) runnable.push_back(n.get());
    // Sometimes time passes before the actors have handled all messages.
    if (runnable.empty() || random_.chance(0.01)) return let_time_pass(runnable.empty());
    ++result_.steps;
    random_.pick(runnable)->step();
    if (random_.chance(time_.elapsed() < crashes_last ? faults_.crash : 0))
      crash(static_cast<unsigned>(random_.below(nodes_.size())));
    if (has_company_ && random_.chance(faults_.pauses)) pause(static_cast<unsigned>(random_.below(nodes_.size())));
  }

  void let_time_pass(bool idle) {
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
  bool subscribed() const { return !subscribers_ || (subscribers_->done() && !subscription_promises_.anything_open()); }

  /// Whether the gateway knows everything that its customers have done at the provider, and all the provider's
  /// notifications.
  bool all_is_told() const {
    return !has_notices_ || (notices_->done() && !checkouts_.anything_untold() && !notice_promises_.anything_open());
  }
  static bool is_away_for(const node& which) {
    return which.board().state_of(provider_kind::stripe, environment::test) == provider_state::away;
  }

  void start(unsigned which) {
    const auto name = "node " + std::to_string(which + 1);
    if (has_company_)
      if (const auto wait = table_.wait_for(name); wait > 0ms) return time_.in(wait, [this, which] { start(which); });
    log_.write(name, "starts");
    if (has_own_directories_) load_directory(which);
    const auto process = has_company_ ? "process " + std::to_string(++processes_) : std::string{};
    if (has_company_) table_.take_name(name, process);
    nodes_[which] =
        std::make_unique<node>(node_environment{time_,
                                                random_,
                                                faults_,
                                                log_,
                                                rows_,
                                                provider_,
                                                receivers_,
                                                [this](const auto& wanted) { return disable(wanted); },
                                                plan_.config,
                                                published(which),
                                                [this, which](const unit_of_work& unit) { composed(which, unit); },
                                                encoder_,
                                                encoder_,
                                                meters_,
                                                has_platforms_ ? shelves_[which].published.get() : nullptr,
                                                encoder_,
                                                encoder_,
                                                process,
                                                wire_,
                                                table_,
                                                plan_.mixed_versions ? which % 2 : 0,
                                                clock_rates_[which],
                                                [this, which] { return publish_what_is_stored(which); }},
                               which + 1, clock_of(which), which % plan_.number_salts);
  }

  /// A node without its lease writes nothing that it composes.
  void composed(unsigned which, const unit_of_work& unit) {
    if (nodes_[which] && is_away_for(*nodes_[which])) begins_without(which, unit);
    if (plan_.leases_hold() && nodes_[which] && nodes_[which]->among().serves()) grant_promises_.composed(unit);
  }

  /// While the node's breaker is open no operation begins at the provider.
  void begins_without(unsigned which, const unit_of_work& unit) {
    if (unit.kind != unit_kind::begin) return;
    const testing::unit_parts parts{unit};
    const auto* row = parts.changed();
    if (row && row->provider == provider_kind::stripe)
      promises_.break_(nodes_[which]->name() + " begins " + row->key.id + " at a provider that it knows to be away");
    if (row && row->provider == provider_kind::sandbox && parts.insert_payment)
      log_.occurs("a provider that is away is passed over");
  }

  void crash(unsigned which) {
    if (!nodes_[which]) return;
    log_.write(nodes_[which]->name(), "crashes");
    nodes_[which].reset();
    ++result_.crashes;
    // The node may boot with a wrong clock.
    if (random_.chance(faults_.clock_jumps)) jump_a_clock(which);
    time_.in(duration_ms{random_.between(1, 20'000)}, [this, which] { start(which); });
  }

  void pause(unsigned which) {
    if (!nodes_[which] || nodes_[which]->paused()) return;
    auto& sleeper = *nodes_[which];
    log_.write(sleeper.name(), "pauses");
    log_.occurs("a node pauses");
    sleeper.pause();
    time_.in(duration_ms{random_.between(1, 15'000)}, [this, which, process = sleeper.among().incarnation()] {
      if (!nodes_[which] || nodes_[which]->among().incarnation() != process) return;
      log_.write(nodes_[which]->name(), "goes on");
      if (!nodes_[which]->among().serves()) log_.occurs("a pause outlasts a lease");
      nodes_[which]->resume();
      nodes_[which]->catch_up();
    });
  }

  /// Between two nodes, or between one and all others.
  void cut_network() {
    time_.in(duration_ms{random_.between(500, 15'000)}, [this] {
      if (calm_ > 0) return;
      cut_network();
      if (!random_.chance(faults_.cuts)) return;
      const auto name = [](std::uint64_t which) { return "node " + std::to_string(which + 1); };
      const auto one = random_.below(nodes_.size());
      const auto other = (one + 1 + random_.below(nodes_.size() - 1)) % nodes_.size();
      const bool from_all = random_.chance(0.3);
      const duration_ms lasts{random_.between(1, 10'000)};
      for (std::uint64_t i = 0; i < nodes_.size(); ++i)
        if (i == other || (from_all && i != one)) wire_.cut(name(one), name(i), lasts);
    });
  }

  void count_what_happened() {
    if (has_company_) {
      for (const auto* way : {"passed", "served_for_owner"})
        log_.occurs(std::string{"a request is "} + way, static_cast<std::uint64_t>(meters_.node_requests(way).Value()));
      log_.occurs("a world has several nodes");
      if (plan_.mixed_versions) log_.occurs("a world has two message versions");
      if (!plan_.leases_hold()) log_.occurs("a world has leases that do not hold");
    }
    result_.occurrences = log_.occurrences();
  }

  bool all_up() const {
    return std::ranges::all_of(nodes_, [](const auto& n) { return n && !n->paused() && n->among().serves(); });
  }
  std::string what_is_not_settled() const {
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
    if (checkouts_.anything_untold()) text += " what a customer has done at the provider is not known,";
    if (notice_promises_.anything_open()) text += " a notification is not applied,";
    if (notices_ && !notices_->done()) text += " a notification is not stored,";
    return text;
  }
  std::size_t unanswered() const {
    std::size_t open = 0;
    for (const auto& n : nodes_)
      if (n) open += n->unanswered();
    return open;
  }

  /// A check that the receiving node makes first.
  using check_at_node = std::function<std::optional<problem>(unsigned which)>;

  /// The load balancer picks any node that is up.
  void balance(entity_request request, std::function<void(entity_reply&)> told, check_at_node check = {}) {
    std::vector<node*> up;
    for (const auto& n : nodes_)
      if (n) up.push_back(n.get());
    if (up.empty()) return;
    auto* chosen = random_.pick(up);
    log_.write(chosen->name(), "gets it");
    auto answer = [this, request, told = std::move(told), asked_at = promises_.moment(),
                   customers_asked_at = customer_promises_.moment()](entity_reply& reply) {
      const bool has_result = std::holds_alternative<finished>(reply.what) && request.key.kind != entity_kind::grant;
      if ((request.key.kind == entity_kind::payment && plan_.leases_hold()) || has_result)
        promises_.told(request, reply, asked_at);
      customer_promises_.told(request, reply, customers_asked_at);
      told(reply);
    };
    if (!has_company_) return chosen->send(std::move(request), std::move(answer));
    count_owners(request.key, up);
    const auto which = static_cast<unsigned>(std::ranges::find(nodes_, chosen, [](const auto& n) { return n.get(); }) -
                                             nodes_.begin());
    chosen->receive(
        std::move(request), [check = std::move(check), which] { return check ? check(which) : std::nullopt; },
        std::move(answer));
  }

  void count_owners(const entity_key& key, const std::vector<node*>& up) {
    const auto think_so = std::ranges::count_if(
        up, [&](const node* n) { return !n->paused() && n->among().serves() && n->among().owns(key); });
    if (think_so > 1) log_.occurs("two nodes think that they own what is asked for");
    if (think_so == 0) log_.occurs("no node thinks that it owns what is asked for");
  }

  // ---- platforms --------------------------------------------------------------------------------

  void open_platforms() {
    if (has_platforms_)
      platforms_ = std::make_unique<platform_scene>(
          time_, random_, faults_, database_, grant_promises_, log_,
          [this](entity_request request, auto told) { balance(std::move(request), std::move(told)); });
    // The customers of a platform are shared by two of its programs.
    const unsigned programs = plan_.customers > 0 ? 2 : 1;
    for (const auto& platform : platform_scene::platforms())
      for (unsigned i = 0; i < programs; ++i) {
        customer_book book{platform, platform_scene::keys_of(platform), plan_.customers,
                           [this, platform](const std::string& ref) { return saved_methods(platform, ref); }};
        clients_.push_back(std::make_unique<client>(platform.value + std::string(i, 'b'), std::move(book), plan_, time_,
                                                    random_, faults_, promises_, log_,
                                                    [this, platform](entity_request request, auto told) {
                                                      let_in(platform, std::move(request), std::move(told));
                                                    }));
      }
    if (plan_.faults.keys_end > 0) end_keys();
  }

  std::vector<std::string> saved_methods(const platform_id& platform, const std::string& ref) const {
    const auto row =
        database_.customers.find(testing::memory_store::id(customer_key(shop().id, environment::test, platform, ref)));
    return row == database_.customers.end() ? std::vector<std::string>{} : row->second.methods;
  }

  /// The directory that a node reads: the shared one if grants change; among other nodes, the one that it has published
  /// itself.
  const directory& published(unsigned which) const {
    return shelves_[which].published ? *shelves_[which].published : merchants_;
  }

  template <class What>
  void publish_everywhere(const What& what) {
    merchants_.publish(what);
    for (const auto& each : shelves_)
      if (each.published) each.published->publish(what);
  }

  void publish_providers(directory& to) const {
    if (plan_.cards == card_routes::sandbox) return;
    to.publish(provider_kind::stripe, environment::test, std::make_shared<const provider_settings>());
  }

  void publish_platforms(directory& to) const {
    for (const auto& id : platform_scene::platforms()) {
      platform known;
      known.id = id;
      known.slug = id.value;
      const auto is_suspended = [&](const platform_key& key) { return key.platform == id && key.suspended; };
      if (std::ranges::any_of(platform_keys_, is_suspended)) known.status = platform_status::suspended;
      to.publish(std::make_shared<const platform>(std::move(known)));
    }
    for (const auto& key : platform_keys_) to.publish(std::make_shared<const platform_key>(key));
  }

  /// Loads the directory as at a start, and again once no commit of an earlier process can still be late.
  void load_directory(unsigned which) {
    auto& mine = shelves_[which];
    mine = {std::make_unique<directory>(), nullptr, std::make_shared<bool>(true)};
    mine.published->publish(merchants_.find_merchant(shop().id));
    for (const auto& each : endpoints_) mine.published->publish(std::make_shared<const webhook_endpoint>(each));
    publish_providers(*mine.published);
    if (!has_platforms_) give_lasting_grants(*mine.published);
    publish_what_is_stored(which);
    time_.in(1min, [this, which, of = std::weak_ptr<bool>{mine.loaded}] {
      if (!of.expired()) publish_what_is_stored(which);
    });
    if (missing_ != guard::publish_before_answer || !has_platforms_) return;
    mine.seen = std::make_unique<directory>();
    see_grants_late(which);
  }

  /// Publishes the grants and the platforms' keys.
  std::int64_t publish_what_is_stored(unsigned which) {
    auto& mine = *shelves_[which].published;
    publish_platforms(mine);
    std::vector<grant_news> news;
    for (const auto& [key, row] : database_.bindings) news.push_back(news_of(row));
    mine.publish(std::span<const grant_news>{news});
    return table_.log_number();
  }

  /// For worlds in which no grant changes.
  static void give_lasting_grants(directory& to) {
    for (const auto& id : platform_scene::platforms())
      to.publish(
          grant_news{{id, shop().id}, environment::test, {grant_state::active, *parse_scopes("payments:write"), 1}});
  }

  /// Operators revoke platforms' keys, and suspend and resume platforms. The answer comes when the change is published.
  void end_keys() {
    time_.in(duration_ms{random_.between(500, 15'000)}, [this] {
      if (calm_ > 0) return;
      end_keys();
      if (!random_.chance(faults_.keys_end)) return;
      auto& key = random_.pick(platform_keys_);
      const auto platform = key.platform;
      if (random_.chance(0.3)) {
        log_.write("operator", "revokes ", key.id.value);
        key.revoked = true;
        return publish_keys(platform, [this, id = key.id] {
          log_.occurs("a key is revoked");
          grant_promises_.key_revoked(id);
        });
      }
      const bool ends = !key.suspended;
      log_.write("operator", ends ? "suspends " : "resumes ", platform.value);
      for (auto& each : platform_keys_)
        if (each.platform == platform) each.suspended = ends;
      // Requests may be admitted before the answer to a resume, and none after the answer to a suspension.
      if (!ends) grant_promises_.resumed(platform);
      publish_keys(platform, [this, platform, ends, turn = ++suspensions_[platform.value]] {
        if (ends && suspensions_[platform.value] == turn) grant_promises_.suspended(platform);
      });
    });
  }

  /// The operator is answered when all nodes have published the change, unless the node that was asked crashes before.
  void publish_keys(const platform_id& of, std::function<void()> answered) {
    publish_platforms(merchants_);
    if (!has_company_) {
      if (shelves_.front().published) publish_platforms(*shelves_.front().published);
      return answered();
    }
    table_.log({directory_change::kind::platform, of.value});
    std::vector<node*> up;
    for (const auto& n : nodes_)
      if (n) up.push_back(n.get());
    if (!up.empty()) random_.pick(up)->await_published(std::move(answered));
  }

  static grant_news news_of(const grant_binding& row) {
    return {{platform_id{row.key.id}, row.key.merchant},
            row.key.env,
            {state_of(row.newest), row.newest ? row.newest->scopes : scope_set{}, row.version}};
  }

  void see_grants_late(unsigned which) {
    for (const auto& id : platform_scene::platforms())
      for (const auto env : {environment::test, environment::live}) {
        const platform_and_merchant who{id, shop().id};
        if (const auto now = shelves_[which].published->find_grants(who).in(env); now.version > 0)
          shelves_[which].seen->publish(grant_news{who, env, now});
      }
    time_.in(3s, [this, which, of = std::weak_ptr<bool>{shelves_[which].loaded}] {
      if (!of.expired()) see_grants_late(which);
    });
  }

  /// The check of a platform's request at the node, before the payment is asked.
  void let_in(const platform_id& who, entity_request request, std::function<void(entity_reply&)> told) {
    if (!has_company_ && platforms_ && !nodes_.front()) return;
    if (request.write) {
      customer_promises_.asked(request);
      grant_promises_.asked(request);
    }
    auto check = [this, who, key = request.key, by = request.by](unsigned which) {
      const auto why = refuses(published(which), shelves_[which].seen.get(), who, key, by);
      if (!why && platforms_ && plan_.leases_hold()) grant_promises_.let_in(binding_key(key.merchant, key.env, who));
      return why;
    };
    if (missing_ == guard::judge_at_begin) request.by.reset();
    if (has_company_) return balance(std::move(request), std::move(told), std::move(check));
    if (const auto why = check(0)) {
      time_.in(1ms, [told = std::move(told), why = *why] {
        entity_reply refused{why};
        told(refused);
      });
      return;
    }
    balance(std::move(request), std::move(told));
  }

  static std::optional<problem> refuses(const directory& known, const directory* seen, const platform_id& who,
                                        const entity_key& key, const std::optional<asked_by>& by) {
    const auto& pair = (seen ? *seen : known).find_grants({who, key.merchant});
    if (judge_grant(pair.in(key.env).state, pair.other_than(key.env).state)) return problem::grant_not_found;
    if (!by) return std::nullopt;
    const auto signed_by = known.find_platform_key(by->key);
    if (signed_by->revoked) return problem::key_ended;
    if (signed_by->suspended) return problem::platform_suspended;
    if (judge_scopes(by->needed, signed_by->scopes, pair.in(key.env).scopes)) return problem::grant_ended;
    return std::nullopt;
  }

  /// Waits until each consent, exchange and revoke that was begun has ended, and the last late commit has happened.
  void settle_platforms() {
    platforms_->calm_down();
    const auto landed = time_.now() + 2min;
    run_until([&] { return platforms_->done() && all_up() && time_.now() > landed; }, 1h,
              "a platform's request is never decided");
  }

  /// The customer pays or declines on the provider's pages, sometimes twice.
  void customer() {
    // Where clocks jump, checkouts stay open long enough to seem old.
    const double customer_comes = plan_.faults.clock_jumps > 0 ? 0.05 : 0.5;
    time_.in(duration_ms{random_.between(500, 8'000)}, [this, customer_comes] {
      if (calm_ == 0) customer();
      for (const auto& [key, row] : database_.payments) {
        if (!awaits_customer(row) || !traits_of(row.provider).sandbox || !random_.chance(customer_comes)) continue;
        const auto signal = random_.chance(0.7) ? hosted_signal::paid : hosted_signal::declined;
        log_.write("customer", signal == hosted_signal::paid ? "pays " : "declines ", row.key.id);
        const auto fresh = "pm_fresh_" + row.provider_ref;
        if (signal == hosted_signal::paid) {
          promises_.page_paid(row.key);
          customer_promises_.approved(row, row.how == flow::server ? row.details.payment_method : fresh);
        }
        balance({row.key, std::nullopt, hosted_result{signal, row.provider_ref, fresh}}, [](entity_reply&) {});
      }
      if (!has_notices_) return;
      count_breakers();
      customer_at_provider(customer_comes);
    });
  }

  /// The same at a provider other than the gateway's own, which posts what has happened.
  void customer_at_provider(double customer_comes) {
    for (const auto& key : checkouts_.open_pages()) {
      if (!random_.chance(customer_comes)) continue;
      const auto does = random_.below(10);
      if (does < 6) checkouts_.pay(key);
      if (does == 6 || does == 7) checkouts_.decline(key);
      notices_->tell(key);
    }
    if (calm_ > 0 || !random_.chance(0.1)) return;
    const auto strange = payment_key(shop().id, environment::test, payment_id{"pay_of_nobody"});
    notices_->tell(random_.chance(0.5) ? std::optional{strange} : std::nullopt);
  }

  void count_breakers() {
    for (const auto& n : nodes_)
      if (n && is_away_for(*n)) log_.occurs("a breaker is open");
  }

  /// With nothing in flight every node must show what is stored.
  void compare_views_with_rows() {
    for (const auto& [key, row] : database_.payments)
      balance({row.key, std::nullopt, view_entity{}}, [this, asked_at = row.version](entity_reply& reply) {
        promises_.seen_at_rest(*std::get<payment_ptr>(std::get<entity_row>(reply.what)), asked_at);
      });
    for (const auto& [key, row] : database_.customers)
      balance({row.key, std::nullopt, view_entity{}}, [this](entity_reply& reply) {
        customer_promises_.seen_at_rest(*std::get<customer_ptr>(std::get<entity_row>(reply.what)));
      });
    run_until([this] { return unanswered() == 0; }, 1min, "a look is never answered");
  }

  /// Purges idempotency keys as soon as no request can take longer.
  void purge() {
    time_.in(1min, [this] {
      if (calm_ > 0) return;
      purge();
      const auto before = time_.now() - 10min;
      for (const auto& [key, row] : database_.commands)
        if (row.result && row.created_at < before) promises_.key_expires(row.key);
      if (const auto purged = database_.run(purge_commands{before, 1'000}).deleted; purged > 0)
        log_.write("database", "purges ", purged, " keys");
    });
  }

  // ---- destinations -----------------------------------------------------------------------------

  void publish_destinations() {
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
    if (has_subscriptions_) {
      std::vector<std::string> every{"payment.captured", "payment.failed"};
      for (const auto* type : {"activated", "updated", "canceled", "invoice_paid", "invoice_failed"})
        every.push_back(std::string{"subscription."} + type);
      open("s", destination_kind::merchant, std::move(every));
    }
    // Platforms get no events of the test environment.
    open("p", destination_kind::platform, {});
    if (has_live_events_) {
      open("live", destination_kind::merchant, {});
      endpoints_.back().what.env = environment::live;
    }
    for (const auto& each : endpoints_) publish(each);
    if (has_live_events_) leave_live_events();
  }

  /// Stores deliveries in live before the first node starts. Every second one is partial, which test events never are.
  /// The destination is a merchant's, because a platform's schedule takes half a day.
  void leave_live_events() {
    for (std::uint32_t i = 0; i < 12; ++i) {
      timeline_entry event;
      event.seq = 1;
      event.kind = timeline_kind::event;
      event.operation = to_string(event_type::payment_captured);
      event.status = "published";
      event.occurred_at = time_.now() - 1h;
      event.event_id = "evt_live_" + std::to_string(i);
      event.event_data = std::string(i % 3 == 0 ? 5'000 : 50, 'd');  // the worker reads larger data separately
      const auto subject =
          payment_key(merchant_id{"merch_1"}, environment::live, payment_id{"pay_live_" + std::to_string(i)});
      delivery row;
      row.id = delivery_numbers::first_at(event.occurred_at) + i;
      row.subject = subject;
      row.event_seq = event.seq;
      row.to = destination_id{"dest_live"};
      row.next_attempt_at = row.created_at = event.occurred_at;
      row.partial = i % 2 == 0;
      database_.timelines[testing::memory_store::id(subject)][event.seq] = std::move(event);
      delivery_promises_.stored(database_.deliveries.emplace(row.id, row).first->second);
    }
  }

  /// Publishes in the directory's order: the merchant, then the destination, then the message to the dispatchers.
  void publish(const webhook_endpoint& changed) {
    auto m = shop(plan_.cards);
    for (const auto& each : endpoints_) m.destinations.push_back(each.what);
    publish_everywhere(std::make_shared<const merchant>(std::move(m)));
    publish_everywhere(std::make_shared<const webhook_endpoint>(changed));
    delivery_promises_.published(changed);
    for (const auto& n : nodes_)
      if (n) n->tell({changed.what.id});
  }

  void set_status(webhook_endpoint& of, destination_status to) {
    log_.write("operator", to == destination_status::enabled ? "enables " : "disables ", of.what.id.value);
    of.what.status = to;
    publish(of);
  }

  /// Called by a node's dispatcher when its destination has answered 410.
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
      if (random_.chance(faults_.clock_jumps)) jump_a_clock(static_cast<unsigned>(random_.below(nodes_.size())));
      const bool off = endpoint.what.status == destination_status::disabled;
      if (off && random_.chance(0.5)) return set_status(endpoint, destination_status::enabled);
      if (!random_.chance(faults_.operator_acts)) return;
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

  /// How far the node's wall clock is off.
  duration_ms clock_of(unsigned which) const { return skews_[which] + jumps_[which]; }

  void set_a_clock() {
    const auto which = static_cast<unsigned>(random_.below(nodes_.size()));
    skews_[which] = duration_ms{random_.between(-plan_.faults.clock_skew.count(), plan_.faults.clock_skew.count())};
    log_.write("operator", "sets the clock of node ", which + 1, ": ", skews_[which].count(), " ms off");
    if (nodes_[which]) nodes_[which]->set_clock(clock_of(which));
  }

  /// A wrong hardware clock or time server. It is corrected before the gateway may trust it.
  void jump_a_clock(unsigned which) {
    if (jumps_[which] != 0ms) return;
    const duration_ms size{random_.between(duration_ms{2h}.count(), longest_jump.count())};
    jump_to(which, random_.chance(0.7) ? size : -size);
    time_.in(duration_ms{random_.between(1'000, 9 * 60'000)}, [this, which] { jump_to(which, 0ms); });
  }
  void jump_to(unsigned which, duration_ms off) {
    if (jumps_[which] == off) return;
    jumps_[which] = off;
    log_.write("clock", "of node ", which + 1, " jumps: ", clock_of(which).count() / 1'000, " s off");
    if (nodes_[which]) nodes_[which]->set_clock(clock_of(which));
  }
  /// Rows stamped by a clock that was ahead become due when that time has come.
  void sleep_through_jumps() {
    for (unsigned i = 0; i < plan_.nodes; ++i) jump_to(i, 0ms);
    // No earlier read, call or commit takes two months.
    const auto landed = time_.now() + 2min;
    run_until([&] { return time_.now() > landed && all_up(); }, 3min, "a node does not start again");
    if (promises_.broken()) return;  // perhaps while a node is down
    time_.leap(longest_jump + 24h);
    for (const auto& n : nodes_) n->catch_up();
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

  /// Redelivers the deliveries that have failed or during which too many workers died, and checks that all others are
  /// delivered without an operator.
  void deliver_the_rest() {
    // The owner of the destination's lane attempts its deliveries.
    const auto waits_for_operator = [&](const delivery& row) {
      return std::ranges::all_of(
          nodes_, [&](const auto& n) { return !n->among().owns(row.to.value) || n->has_set_aside(row.id); });
    };
    const auto nothing_waits = [&] {
      return std::ranges::all_of(database_.deliveries, [&](const auto& row) {
        return row.second.status != delivery_status::pending || waits_for_operator(row.second);
      });
    };
    run_until(nothing_waits, 2h, "a delivery is neither delivered nor given up");
    for (const auto& [number, row] : database_.deliveries)
      if (row.status == delivery_status::pending) redeliver(*nodes_.front(), {number, {}, {}, {}});
    for (const auto& each : endpoints_) redeliver({0, each.what.id, {}, {}});
    const auto all_delivered = [&] {
      return std::ranges::all_of(database_.deliveries,
                                 [](const auto& row) { return row.second.status == delivery_status::delivered; });
    };
    run_until(all_delivered, 10min, "what was redelivered is not delivered");
    if (!promises_.broken()) delivery_promises_.at_rest();
  }

  world_plan draw_whole_plan() {
    auto plan = draw_plan(random_);
    draw_company(plan, company_);
    random_source apart{result_.seed ^ 0x57'217'9e5eedULL};
    draw_provider(plan, apart);
    return plan;
  }

  virtual_time time_;
  random_source random_;
  journal log_;
  guard missing_;
  outcome_of_seed result_;
  random_source company_{result_.seed ^ 0xc0'a7'5eedULL};  ///< for what concerns only worlds of several nodes
  world_plan plan_ = draw_whole_plan();
  fault_rates faults_ = fault_rates::none();
  unsigned calm_ = 0;
  text_encoder encoder_;
  testing::memory_store database_;
  promises promises_{database_, encoder_, time_, log_};
  directory merchants_;
  const bool has_company_ = plan_.nodes > 1;
  const bool has_notices_ = plan_.cards != card_routes::sandbox;
  /// Drawn from a separate random source, so that the other worlds stay the same.
  const bool has_platforms_ = random_source{result_.seed ^ 0x5eed'0f'9a47ULL}.chance(0.5);
  const bool has_own_directories_ = has_platforms_ || has_company_;
  /// Drawn from a separate random source, too. A command under a purged key is another operation, which these clients
  /// do not expect.
  const bool has_subscriptions_ = !plan_.keys_expire && random_source{result_.seed ^ 0xb0'0c'5eedULL}.chance(0.4);
  /// In one world of eight, so that the worlds that once broke a promise stay the same.
  const bool has_live_events_ = result_.seed % 8 == 1;
  random_source apart_{result_.seed ^ 0xcafe'5eedULL};  ///< for the actions of subscribers
  /// What one process of a node has published between its start and the next.
  struct shelf {
    std::unique_ptr<directory> published;
    std::unique_ptr<directory> seen;  ///< where changes are seen late
    std::shared_ptr<bool> loaded;
  };
  std::vector<shelf> shelves_;
  const duration_ms clocks_jump_by_ = plan_.faults.clock_jumps > 0 ? 2 * longest_jump + 2 * plan_.faults.clock_skew
                                      : plan_.faults.clock_set > 0 ? 2 * plan_.faults.clock_skew
                                                                   : duration_ms{0};
  delivery_promises delivery_promises_{database_, encoder_, merchants_, plan_.config, clocks_jump_by_, promises_};
  age_promises age_promises_{database_, time_, plan_.config, promises_};
  grant_promises grant_promises_{database_, promises_};
  customer_promises customer_promises_{database_, promises_, plan_.leases_hold()};
  subscription_promises subscription_promises_{database_, promises_, customer_promises_};
  checkouts checkouts_{database_, promises_, customer_promises_, age_promises_, log_};
  notice_promises notice_promises_{database_, promises_};
  node_table table_{database_, time_};
  network wire_{time_, random_, faults_, log_};
  database rows_{database_,
                 promises_,
                 delivery_promises_,
                 age_promises_,
                 grant_promises_,
                 customer_promises_,
                 subscription_promises_,
                 checkouts_,
                 notice_promises_,
                 log_,
                 table_,
                 plan_,
                 missing_};
  simulated_provider provider_{time_, random_, faults_, promises_, customer_promises_, checkouts_, log_, missing_};
  receivers receivers_{time_, random_, faults_, plan_.config, delivery_promises_, log_};
  std::vector<webhook_endpoint> endpoints_;
  std::vector<platform_key> platform_keys_;
  metrics meters_;
  std::vector<duration_ms> skews_;
  std::vector<duration_ms> jumps_;  ///< of clocks that are wrong at present, in addition to their skews
  std::unique_ptr<platform_scene> platforms_;
  std::unique_ptr<subscription_scene> subscribers_;
  std::unique_ptr<notices> notices_;
  std::vector<std::unique_ptr<client>> clients_;
  std::vector<std::unique_ptr<node>> nodes_;
  std::vector<double> clock_rates_;  ///< of nodes' monotonic clocks
  std::map<std::string, unsigned> suspensions_;  ///< by platform: how often it was suspended or resumed
  std::uint64_t processes_ = 0;
};

}  // namespace

outcome_of_seed simulate(std::uint64_t seed, guard missing, std::ostream* story) {
  return world{seed, missing, story}.run();
}

}  // namespace gateway::simulation
