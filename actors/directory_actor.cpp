// Operator commands run one at a time, in arrival order: check against what is known, make durable, then
// change what is known and publish the merchant's (or key's) new snapshot. A command whose commit is in
// doubt is refused as such; what is known is then read again, so that it never differs from the store.

#include "directory_actor.hpp"

#include <algorithm>
#include <deque>
#include <unordered_map>

#include <caf/all.hpp>

#include "gateway/log.hpp"

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

std::string sealed_to(const key_id& id) { return "api_key:" + id.value; }

class owning_directory {
 public:
  static inline const char* name = "directory";

  void start(waking_directory::pointer self, store_handles store, directory& published, const crypto::master_key& keys, const wall_clock& clock) {
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

  caf::result<operator_result> take(operator_command& command) {
    constexpr std::size_t most_waiting = 1'000;
    if (waiting_.size() >= most_waiting) return make_error(actor_errc::overloaded);
    auto promise = self_->make_response_promise<operator_result>();
    waiting_.push_back({std::move(command), promise});
    if (!busy_) next();
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

  void next() {
    while (!busy_ && !waiting_.empty()) {
      auto work = std::move(waiting_.front());
      waiting_.pop_front();
      auto planned = std::visit([this](auto& command) { return prepare(command); }, work.command);
      if (auto* no = std::get_if<refused>(&planned))
        work.promise.deliver(operator_result{std::move(*no)});
      else
        run(std::move(std::get<plan>(planned)), work.promise);
    }
  }

  void run(plan planned, result_promise promise) {
    busy_ = true;
    unit_of_work unit;
    unit.changes = std::move(planned.changes);
    self_->request(store_.writers.front(), caf::infinite, std::move(unit))
        .then(
            [this, planned = std::move(planned), promise](commit_outcome outcome) mutable {
              busy_ = false;
              if (outcome == commit_outcome::committed) {
                promise.deliver(planned.apply());
              } else if (outcome == commit_outcome::unavailable) {
                in_doubt(promise);
                return;
              } else {
                promise.deliver(operator_result{refused{planned.when_duplicate}});
              }
              next();
            },
            [this, promise](const caf::error&) mutable {
              busy_ = false;
              in_doubt(promise);
            });
  }

  void in_doubt(result_promise promise) {
    promise.deliver(make_error(actor_errc::store_unavailable));
    read_again();
  }

 public:
  /// Until the store has told what is true, no command is taken.
  void read_again() {
    busy_ = true;
    read([this](bool read_well) {
      if (read_well) {
        busy_ = false;
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
    for (auto& [id, m] : merchants_) publish(m);
    for (auto& row : rows.keys) adopt_key(row);
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
    const bool wallet = wanted.kind == entity_kind::wallet;
    const auto provider = wallet ? provider_kind::sandbox_wallet : provider_kind::sandbox;
    m.connections.push_back({m.shown.id, connection{environment::test, provider, connection_status::connected, "acct_sandbox"},
                             "conn_" + crypto::random_hex(10)});
    m.routes.push_back({m.shown.id,
                        route{environment::test, provider, 1, {}, {wallet ? payment_method_kind::pkr_wallet : payment_method_kind::card}},
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
    p.changes.push_back(save_api_key{id, wanted.merchant, wanted.env, wanted.scopes, keys_->seal(key.secret, sealed_to(id)), clock_->now()});
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
    p.changes.push_back(save_user{id, wanted.merchant, wanted.email, crypto::hash_password(wanted.password), clock_->now()});
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
    stored_connection row{wanted.merchant, wanted.link, same == m->connections.end() ? "conn_" + crypto::random_hex(10) : same->id};
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

  // ---- knowledge --------------------------------------------------------------------------------

  static refused no_merchant(const merchant_id& id) { return {"no merchant " + id.value}; }

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
    published_->publish(std::shared_ptr<const merchant>{std::move(shown)});
  }

  void publish_key(api_key key) { published_->publish(std::make_shared<const api_key>(std::move(key))); }

  waking_directory::pointer self_ = nullptr;
  store_handles store_;
  directory* published_ = nullptr;
  const crypto::master_key* keys_ = nullptr;
  const wall_clock* clock_ = nullptr;
  bool busy_ = false;
  std::deque<waiting_command> waiting_;
  std::unordered_map<merchant_id, known_merchant> merchants_;
};

waking_directory::behavior_type directory_behavior(waking_directory::stateful_pointer<owning_directory> self, store_handles store,
                                                  directory* published, const crypto::master_key* keys, const wall_clock* clock) {
  self->state.start(self, std::move(store), *published, *keys, *clock);
  return {
      [self](operator_command& command) { return self->state.take(command); },
      [self](load_atom) { return self->state.load(); },
      [self](wake_atom) { self->state.read_again(); },
  };
}

}  // namespace

directory_actor spawn_directory(caf::actor_system& system, store_handles store, directory& published, const crypto::master_key& keys,
                                const wall_clock& clock) {
  return system.spawn<caf::detached>(directory_behavior, std::move(store), &published, &keys, &clock);
}

}  // namespace gateway::actors
