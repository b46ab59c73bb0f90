// Operator commands run in arrival order: check against what is known, make durable, then change what is known and
// publish the new snapshot of the merchant, key or destination. Those that wait together and change different things
// share a commit; what one of them finds does not depend on another. A command whose commit is in doubt is refused as
// such; what is known is then read again, so that it never differs from the store.

#include "directory_actor.hpp"

#include <algorithm>
#include <deque>
#include <set>
#include <unordered_map>

#include <caf/all.hpp>

#include "gateway/base/log.hpp"

namespace gateway::actors {

namespace {

using result_promise = caf::typed_response_promise<operator_result>;
/// It wakes itself while the store is away.
using waking_directory = directory_actor::extend<caf::reacts_to<wake_atom>>;

struct known_user {
  user_id id;
  std::string email;
};

/// A merchant with what only operators need of it.
struct known_merchant {
  merchant shown;
  std::string owner_email;
  std::vector<known_user> users;
  std::vector<stored_connection> connections;
  std::vector<stored_route> routes;
};

/// A destination's row, and its secrets in the clear. Without a secret if the row's cannot be opened: it is not
/// published then, and what is for it waits until it gets another one.
struct known_destination {
  stored_destination row;
  std::string secret;
  std::string previous;
};

std::string sealed_to(const key_id& id) { return "api_key:" + id.value; }
std::string sealed_to(const destination_id& id) { return "destination:" + id.value; }

unit_of_work unit_of(std::vector<directory_change> changes) {
  unit_of_work unit;
  unit.kind = unit_kind::change;
  for (auto& change : changes)
    std::visit(
        [&]<class Change>(Change& one) {
          if constexpr (std::is_same_v<Change, revoke_api_key>)
            unit.claims.emplace_back(std::move(one));
          else
            unit.inserts.emplace_back(std::move(one));
        },
        change);
  return unit;
}

std::string new_webhook_secret() { return "whsec_" + crypto::random_hex(32); }

class owning_directory {
 public:
  static inline const char* name = "directory";

  void start(waking_directory::pointer self, store_handles store, directory& published, const crypto::master_key& keys,
             const wall_clock& clock) {
    self_ = self;
    store_ = std::move(store);
    published_ = &published;
    keys_ = &keys;
    clock_ = &clock;
  }

  caf::result<bool> load() {
    auto promise = self_->make_response_promise<bool>();
    read([promise](bool read_well) mutable { promise.deliver(read_well); });
    return promise;
  }

  void tell(dispatcher_actor dispatcher) { dispatcher_ = std::move(dispatcher); }

  caf::result<operator_result> take(operator_command& command) {
    constexpr std::size_t most_waiting = 1'000;
    if (waiting_.size() >= most_waiting) return make_error(actor_errc::overloaded);
    auto promise = self_->make_response_promise<operator_result>();
    waiting_.push_back({std::move(command), promise});
    if (!busy()) next();
    return promise;
  }

 private:
  struct waiting_command {
    operator_command command;
    result_promise promise;
  };
  /// What a command makes durable, and what it then changes and answers.
  struct plan {
    std::vector<directory_change> changes;
    std::function<operator_result()> apply;
    std::string when_duplicate;
  };

  bool busy() const { return reading_ || under_way_ > 0; }

  /// Begins those in front of the queue, up to the first that changes what another of them does.
  void next() {
    constexpr std::size_t most_together = 64;
    std::set<std::string> changing;
    while (!reading_ && !waiting_.empty() && under_way_ < most_together) {
      auto what = std::visit([](const auto& command) { return changes(command); }, waiting_.front().command);
      // Hashing a password takes long: those before it are answered first, and it before those after it.
      const bool alone = std::holds_alternative<add_user>(waiting_.front().command);
      if (changing.contains(what) || (alone && under_way_ > 0)) break;
      auto work = std::move(waiting_.front());
      waiting_.pop_front();
      auto planned = std::visit([this](auto& command) { return prepare(command); }, work.command);
      if (auto* no = std::get_if<refused>(&planned)) {
        work.promise.deliver(operator_result{std::move(*no)});
        continue;
      }
      if (!what.empty()) changing.insert(std::move(what));
      run(std::move(std::get<plan>(planned)), work.promise);
      if (alone) break;
    }
  }

  void run(plan planned, result_promise promise) {
    ++under_way_;
    self_->request(store_.writers.front(), caf::infinite, unit_of(std::move(planned.changes)))
        .then(
            [this, planned = std::move(planned), promise](commit_outcome outcome) mutable {
              if (outcome == commit_outcome::committed)
                promise.deliver(planned.apply());
              else if (outcome == commit_outcome::unavailable || outcome == commit_outcome::rejected)
                in_doubt(promise);
              else
                promise.deliver(operator_result{refused{planned.when_duplicate}});
              done();
            },
            [this, promise](const caf::error&) mutable {
              in_doubt(promise);
              done();
            });
  }

  void in_doubt(result_promise promise) {
    doubt_ = true;
    promise.deliver(make_error(actor_errc::store_unavailable));
  }

  void done() {
    if (--under_way_ > 0) return;
    if (std::exchange(doubt_, false))
      read_again();
    else
      next();
  }

 public:
  /// Until the store has told what is true, no command is taken.
  void read_again() {
    reading_ = true;
    read([this](bool read_well) {
      if (read_well) {
        reading_ = false;
        return next();
      }
      for (auto& work : waiting_) work.promise.deliver(make_error(actor_errc::store_unavailable));
      waiting_.clear();
      self_->delayed_send(self_, std::chrono::seconds{1}, wake_atom::value);
    });
  }

 private:
  // ---- the whole, from the store ----------------------------------------------------------------

  template <class Then>
  void read(Then then) {
    self_->request(store_.readers.front(), caf::infinite, find_directory{})
        .then(
            [this, then](directory_lookup& rows) mutable {
              adopt(rows);
              then(true);
            },
            [then](const caf::error&) mutable { then(false); });
  }

  void adopt(directory_lookup& rows) {
    merchants_.clear();
    for (auto& row : rows.merchants) {
      known_merchant m;
      m.shown.id = row.id;
      m.shown.entity = row.entity;
      m.shown.name = row.name;
      m.shown.kind = row.kind;
      m.owner_email = row.owner_email;
      merchants_.emplace(row.id, std::move(m));
    }
    for (auto& row : rows.users)
      if (auto* m = find(row.merchant)) m->users.push_back({row.id, row.email});
    for (auto& row : rows.connections)
      if (auto* m = find(row.merchant)) m->connections.push_back(row);
    for (auto& row : rows.routes)
      if (auto* m = find(row.merchant)) m->routes.push_back(row);
    destinations_.clear();
    owned_.clear();
    for (auto& row : rows.destinations) adopt_destination(row);
    // Merchants first: what is sent to a destination names its merchant's entity.
    for (auto& [id, m] : merchants_) publish(m);
    for (const auto& [id, d] : destinations_) publish(d);
    for (auto& row : rows.keys) adopt_key(row);
  }

  void adopt_destination(const stored_destination& row) {
    const auto& id = row.what.id;
    known_destination d{row, {}, {}};
    if (auto secret = keys_->open(row.sealed_secret, sealed_to(id)))
      d.secret = std::move(*secret);
    else
      log::error("destination_secret_unreadable", {{"destination_id", id.value}});
    if (!row.sealed_previous.empty()) {
      if (auto previous = keys_->open(row.sealed_previous, sealed_to(id)))
        d.previous = std::move(*previous);
      else
        log::error("destination_previous_secret_unreadable", {{"destination_id", id.value}});
    }
    remember(std::move(d));
  }

  void learn(known_destination d) { publish(remember(std::move(d))); }

  const known_destination& remember(known_destination d) {
    owned_[d.row.what.owner].insert(d.row.what.id);
    auto& known = destinations_[d.row.what.id];
    known = std::move(d);
    return known;
  }

  void adopt_key(const stored_key& row) {
    auto secret = keys_->open(row.key.sealed_secret, sealed_to(row.key.id));
    if (!secret) {
      log::error("key_secret_unreadable", {{"key_id", row.key.id.value}});
      return;
    }
    publish_key({row.key.id, row.key.merchant, row.key.env, row.key.scopes, std::move(*secret), row.revoked});
  }

  // ---- commands ---------------------------------------------------------------------------------

  /// What a command reads and then changes, by name; empty if it only adds what nobody else can know yet.
  static std::string changes(const create_merchant&) { return {}; }
  static std::string changes(const mint_key&) { return {}; }
  static std::string changes(const revoke_key& wanted) { return wanted.id.value; }
  static std::string changes(const add_user& wanted) { return wanted.merchant.value; }
  static std::string changes(const set_connection& wanted) { return wanted.merchant.value; }
  static std::string changes(const set_route& wanted) { return wanted.merchant.value; }
  static std::string changes(const redeem_setup_token& wanted) { return wanted.token_id; }
  static std::string changes(const set_destination&) { return "destinations"; }
  static std::string changes(const enable_destination&) { return "destinations"; }
  static std::string changes(const disable_destination&) { return "destinations"; }
  static std::string changes(const rotate_destination_secret&) { return "destinations"; }

  std::variant<plan, refused> prepare(create_merchant& wanted) {
    const auto now = clock_->now();
    known_merchant m;
    m.shown.id = merchant_id{"merch_" + crypto::random_hex(10)};
    m.shown.entity = entity_id{"ent_" + crypto::random_hex(10)};
    m.shown.name = wanted.name;
    m.shown.kind = wanted.kind;
    m.owner_email = wanted.owner_email;
    plan p;
    p.changes.push_back(save_merchant{m.shown.id, m.shown.entity, wanted.name, wanted.kind, wanted.owner_email, now});
    if (!wanted.owner_email.empty()) {
      const user_id owner{"user_" + crypto::random_hex(10)};
      m.users.push_back({owner, wanted.owner_email});
      p.changes.push_back(save_user{owner, m.shown.id, wanted.owner_email, {}, now});
    }
    // Ready to charge in test: the sandbox card route, or for a wallet entity the sandbox wallet.
    const bool wallet = wanted.kind == merchant_kind::wallet;
    const auto provider = wallet ? provider_kind::sandbox_wallet : provider_kind::sandbox;
    m.connections.push_back({m.shown.id,
                             connection{environment::test, provider, connection_status::connected, "acct_sandbox"},
                             "conn_" + crypto::random_hex(10)});
    m.routes.push_back({m.shown.id,
                        route{environment::test,
                              provider,
                              1,
                              {},
                              {wallet ? payment_method_kind::pkr_wallet : payment_method_kind::card}},
                        "route_" + crypto::random_hex(10)});
    p.changes.push_back(save_connection{m.shown.id, m.connections.back().link, m.connections.back().id});
    p.changes.push_back(save_route{m.shown.id, m.routes.back().way, m.routes.back().id});
    p.when_duplicate = "such a merchant exists already";
    p.apply = [this, m = std::move(m)]() -> operator_result {
      publish(merchants_[m.shown.id] = m);
      return created_merchant{m.shown.id, m.shown.entity};
    };
    return p;
  }

  std::variant<plan, refused> prepare(mint_key& wanted) {
    if (!find(wanted.merchant)) return no_merchant(wanted.merchant);
    const key_id id{(wanted.env == environment::test ? "mk_test_" : "mk_live_") + crypto::random_hex(8)};
    api_key key{id, wanted.merchant, wanted.env, wanted.scopes, crypto::random_hex(32), false};
    plan p;
    p.changes.push_back(save_api_key{id, wanted.merchant, wanted.env, wanted.scopes,
                                     keys_->seal(key.secret, sealed_to(id)), clock_->now()});
    p.when_duplicate = "such a key exists already";
    p.apply = [this, key = std::move(key)]() -> operator_result {
      publish_key(key);
      return minted_key{key.id, key.secret, key.scopes};
    };
    return p;
  }

  std::variant<plan, refused> prepare(revoke_key& wanted) {
    const auto key = published_->find_key(wanted.id);
    if (!key) return refused{"no key " + wanted.id.value};
    plan p;
    p.changes.push_back(gateway::revoke_api_key{key->id, key->merchant, clock_->now()});
    p.when_duplicate = "the key changed meanwhile";
    p.apply = [this, key]() -> operator_result {
      auto revoked = *key;
      revoked.revoked = true;
      publish_key(std::move(revoked));
      return named_result{key->id.value, "revoked"};
    };
    return p;
  }

  std::variant<plan, refused> prepare(add_user& wanted) {
    auto* m = find(wanted.merchant);
    if (!m) return no_merchant(wanted.merchant);
    const auto same = std::ranges::find(m->users, wanted.email, &known_user::email);
    const bool invited = same != m->users.end();
    const user_id id = invited ? same->id : user_id{"user_" + crypto::random_hex(10)};
    plan p;
    p.changes.push_back(
        save_user{id, wanted.merchant, wanted.email, crypto::hash_password(wanted.password), clock_->now()});
    p.when_duplicate = "such a user exists already";
    p.apply = [this, m, id, invited, email = wanted.email]() -> operator_result {
      if (!invited) m->users.push_back({id, email});
      publish(*m);
      return named_result{id.value, "active"};
    };
    return p;
  }

  std::variant<plan, refused> prepare(set_connection& wanted) {
    auto* m = find(wanted.merchant);
    if (!m) return no_merchant(wanted.merchant);
    const auto same = std::ranges::find_if(m->connections, [&](const stored_connection& row) {
      return row.link.env == wanted.link.env && row.link.provider == wanted.link.provider;
    });
    stored_connection row{wanted.merchant, wanted.link,
                          same == m->connections.end() ? "conn_" + crypto::random_hex(10) : same->id};
    plan p;
    p.changes.push_back(save_connection{row.merchant, row.link, row.id});
    p.when_duplicate = "the connection changed meanwhile";
    p.apply = [this, m, row]() -> operator_result {
      replace(m->connections, row);
      publish(*m);
      return named_result{row.id, std::string{to_string(row.link.status)}};
    };
    return p;
  }

  std::variant<plan, refused> prepare(set_route& wanted) {
    auto* m = find(wanted.merchant);
    if (!m) return no_merchant(wanted.merchant);
    stored_route row{wanted.merchant, wanted.way, {}};
    std::uint32_t last = 0;
    for (const auto& other : m->routes) {
      if (other.way.env == row.way.env && other.way.provider == row.way.provider) {
        row.id = other.id;
        row.way.position = other.way.position;
      }
      last = std::max(last, other.way.position);
    }
    if (row.id.empty()) {
      row.id = "route_" + crypto::random_hex(10);
      row.way.position = last + 1;
    }
    plan p;
    p.changes.push_back(save_route{row.merchant, row.way, row.id});
    p.when_duplicate = "the route changed meanwhile";
    p.apply = [this, m, row]() -> operator_result {
      replace(m->routes, row);
      publish(*m);
      return named_result{row.id, "set"};
    };
    return p;
  }

  std::variant<plan, refused> prepare(redeem_setup_token& wanted) {
    if (!find(wanted.merchant)) return no_merchant(wanted.merchant);
    plan p;
    p.changes.push_back(spend_setup_token{wanted.merchant, wanted.token_id, clock_->now()});
    p.when_duplicate = "the setup token has been used";
    p.apply = [id = wanted.token_id]() -> operator_result { return named_result{id, "spent"}; };
    return p;
  }

  std::variant<plan, refused> prepare(set_destination& wanted) {
    if (auto no = owner_missing(wanted)) return std::move(*no);
    const auto id = destination_id_of(wanted.kind, wanted.owner, wanted.env, wanted.url);
    known_destination d;
    if (const auto* same = find(id)) {
      d = *same;
    } else {
      if (destinations_of(wanted.owner, wanted.env) >= most_destinations)
        return refused{wanted.owner + " has " + std::to_string(most_destinations) + " destinations in " +
                       std::string{to_string(wanted.env)} + " mode already, the most that it may have"};
      d.row.what.id = id;
      d.row.what.kind = wanted.kind;
      d.row.what.owner = wanted.owner;
      d.row.what.env = wanted.env;
      d.row.what.created_at = clock_->now();
    }
    if (d.secret.empty()) {
      d.secret = new_webhook_secret();
      d.row.sealed_secret = keys_->seal(d.secret, sealed_to(id));
    }
    d.row.what.url = wanted.url;
    d.row.what.events = wanted.events;
    d.row.what.status = destination_status::enabled;
    d.row.what.disabled_reason.clear();
    return saving(std::move(d), [](const known_destination& saved) -> operator_result {
      return destination_secret{saved.row.what.id, saved.secret, saved.row.previous_until};
    });
  }

  std::variant<plan, refused> prepare(enable_destination& wanted) {
    return with_status(wanted.id, destination_status::enabled, {});
  }

  std::variant<plan, refused> prepare(disable_destination& wanted) {
    return with_status(wanted.id, destination_status::disabled, std::move(wanted.reason));
  }

  std::variant<plan, refused> with_status(const destination_id& id, destination_status status, std::string reason) {
    const auto* known = find(id);
    if (!known) return no_destination(id);
    auto d = *known;
    d.row.what.status = status;
    d.row.what.disabled_reason = std::move(reason);
    return saving(std::move(d), [](const known_destination& saved) -> operator_result {
      return named_result{saved.row.what.id.value, std::string{to_string(saved.row.what.status)}};
    });
  }

  std::variant<plan, refused> prepare(rotate_destination_secret& wanted) {
    const auto* known = find(wanted.id);
    if (!known) return no_destination(wanted.id);
    auto d = *known;
    const bool keep = wanted.overlap > duration_ms{0} && !d.secret.empty();
    d.previous = keep ? d.secret : std::string{};
    d.row.sealed_previous = keep ? keys_->seal(d.previous, sealed_to(wanted.id)) : std::string{};
    d.row.previous_until = keep ? std::optional{clock_->now() + wanted.overlap} : std::nullopt;
    d.secret = new_webhook_secret();
    d.row.sealed_secret = keys_->seal(d.secret, sealed_to(wanted.id));
    return saving(std::move(d), [](const known_destination& saved) -> operator_result {
      return destination_secret{saved.row.what.id, saved.secret, saved.row.previous_until};
    });
  }

  /// Makes the destination durable as it is, then known; `answer` tells of it.
  template <class Answer>
  plan saving(known_destination d, Answer answer) {
    plan p;
    p.changes.push_back(save_destination{d.row});
    p.when_duplicate = "the destination changed meanwhile";
    p.apply = [this, d = std::move(d), answer]() -> operator_result {
      learn(d);
      if (const auto* owner = find(merchant_id{d.row.what.owner})) publish(*owner);
      return answer(d);
    };
    return p;
  }

  // ---- knowledge --------------------------------------------------------------------------------

  static refused no_merchant(const merchant_id& id) { return {"no merchant " + id.value}; }

  static refused no_destination(const destination_id& id) { return {"no destination " + id.value}; }

  /// Platforms are not known here yet.
  std::optional<refused> owner_missing(const set_destination& wanted) {
    if (wanted.kind == destination_kind::platform) return refused{"no platform " + wanted.owner};
    if (!find(merchant_id{wanted.owner})) return no_merchant(merchant_id{wanted.owner});
    return std::nullopt;
  }

  const known_destination* find(const destination_id& id) const {
    const auto at = destinations_.find(id);
    return at == destinations_.end() ? nullptr : &at->second;
  }

  std::size_t destinations_of(const std::string& owner, environment env) const {
    const auto owned = owned_.find(owner);
    if (owned == owned_.end()) return 0;
    return static_cast<std::size_t>(
        std::ranges::count_if(owned->second, [&](const auto& id) { return find(id)->row.what.env == env; }));
  }

  /// Who is told of the merchant's payments. Its own destinations; those of the platforms that it granted access join
  /// here, once there are grants.
  std::vector<destination> told_of(const merchant_id& id) const {
    std::vector<destination> list;
    if (const auto owned = owned_.find(id.value); owned != owned_.end())
      for (const auto& one : owned->second) list.push_back(find(one)->row.what);
    return list;
  }

  known_merchant* find(const merchant_id& id) {
    const auto at = merchants_.find(id);
    return at == merchants_.end() ? nullptr : &at->second;
  }

  template <class Row>
  static void replace(std::vector<Row>& rows, const Row& row) {
    const auto same = std::ranges::find(rows, row.id, &Row::id);
    if (same == rows.end())
      rows.push_back(row);
    else
      *same = row;
  }

  void publish(const known_merchant& m) {
    auto shown = std::make_shared<merchant>(m.shown);
    const auto owner = std::ranges::find(m.users, m.owner_email, &known_user::email);
    if (owner != m.users.end())
      shown->owner = owner->id;
    else if (!m.users.empty())
      shown->owner = m.users.front().id;
    for (const auto& row : m.connections) shown->connections.push_back(row.link);
    for (const auto& row : m.routes) shown->routes.push_back(row.way);
    std::ranges::sort(shown->routes, {}, &route::position);
    shown->destinations = told_of(m.shown.id);
    published_->publish(std::shared_ptr<const merchant>{std::move(shown)});
  }

  void publish(const known_destination& d) {
    if (d.secret.empty()) return;
    auto shown = std::make_shared<webhook_endpoint>();
    shown->what = d.row.what;
    shown->secret = d.secret;
    if (!d.previous.empty() && d.row.previous_until) {
      shown->previous_secret = d.previous;
      shown->previous_until = *d.row.previous_until;
    }
    published_->publish(std::shared_ptr<const webhook_endpoint>{std::move(shown)});
    if (dispatcher_) self_->send(dispatcher_, destination_changed{d.row.what.id});
  }

  void publish_key(api_key key) { published_->publish(std::make_shared<const api_key>(std::move(key))); }

  waking_directory::pointer self_ = nullptr;
  store_handles store_;
  directory* published_ = nullptr;
  const crypto::master_key* keys_ = nullptr;
  const wall_clock* clock_ = nullptr;
  bool reading_ = false;
  std::size_t under_way_ = 0;  ///< commands whose commit has not been answered
  bool doubt_ = false;  ///< about one of them, or of those that went with them
  std::deque<waiting_command> waiting_;
  std::unordered_map<merchant_id, known_merchant> merchants_;
  std::unordered_map<destination_id, known_destination> destinations_;
  std::unordered_map<std::string, std::set<destination_id>> owned_;  ///< by owner
  dispatcher_actor dispatcher_;
};

waking_directory::behavior_type directory_behavior(waking_directory::stateful_pointer<owning_directory> self,
                                                   store_handles store, directory* published,
                                                   const crypto::master_key* keys, const wall_clock* clock) {
  // The actor system's end waits for detached actors, but not for what their threads do after them.
  self->attach_functor([] { crypto::leave_thread(); });
  self->state.start(self, std::move(store), *published, *keys, *clock);
  return {
      [self](operator_command& command) { return self->state.take(command); },
      [self](load_atom) { return self->state.load(); },
      [self](join_atom, dispatcher_actor& dispatcher) { self->state.tell(std::move(dispatcher)); },
      [self](wake_atom) { self->state.read_again(); },
  };
}

}  // namespace

destination_id destination_id_of(destination_kind kind, const std::string& owner, environment env,
                                 const std::string& url) {
  auto named = owner + '\n' + std::string{to_string(env)};
  if (kind == destination_kind::merchant) named += '\n' + url;
  return destination_id{"dest_" + crypto::hex(crypto::sha256(named)).substr(0, 20)};
}

directory_actor spawn_directory(caf::actor_system& system, store_handles store, directory& published,
                                const crypto::master_key& keys, const wall_clock& clock) {
  return system.spawn<caf::detached>(directory_behavior, std::move(store), &published, &keys, &clock);
}

}  // namespace gateway::actors
