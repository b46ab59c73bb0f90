// The directory over a memory store, in virtual time, with a hasher that the test can hold up.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <caf/scoped_execution_unit.hpp>
#include <catch2/catch.hpp>

#include "directory/directory_actor.hpp"
#include "failing_store.hpp"
#include "virtual_time.hpp"

namespace gateway::testing {

using namespace std::chrono_literals;

/// How the test controls the hasher.
struct hasher_script {
  bool held_up = false;
  bool full = false;
  std::vector<std::string> asked;  ///< the passwords to hash
};

/// Hashes without delay. While held up, it hashes the oldest waiting password each time the test releases one.
using stub_hasher = password_hasher::extend<caf::reacts_to<work_atom>>;

inline stub_hasher::behavior_type hashing_stub(stub_hasher::pointer self, hasher_script* as) {
  using promise = caf::typed_response_promise<std::string>;
  auto waiting = std::make_shared<std::deque<std::pair<std::string, promise>>>();
  return {[self, as, waiting](const hash_password& wanted) -> caf::result<std::string> {
            as->asked.push_back(wanted.password);
            if (as->full) return make_error(actor_errc::overloaded);
            auto answer = self->make_response_promise<std::string>();
            if (as->held_up)
              waiting->emplace_back(wanted.password, answer);
            else
              answer.deliver("hash of " + wanted.password);
            return answer;
          },
          [](const verify_password&) { return false; },
          [waiting](work_atom) {
            waiting->front().second.deliver("hash of " + waiting->front().first);
            waiting->pop_front();
          }};
}

/// What a directory among other nodes sends its keeper. The keeper answers at once that all other nodes have published,
/// unless it is held up.
struct keeper_script {
  std::vector<std::int64_t> published;
  std::size_t asked = 0;
  bool others_are_slow = false;
};
using stub_keeper = node_keeper::extend<caf::reacts_to<work_atom>>;

inline stub_keeper::behavior_type keeping_stub(stub_keeper::pointer self, keeper_script* as) {
  auto waiting = std::make_shared<std::deque<caf::typed_response_promise<bool>>>();
  return {[self, as, waiting](const await_published&) -> caf::result<bool> {
            ++as->asked;
            if (!as->others_are_slow) return true;
            waiting->push_back(self->make_response_promise<bool>());
            return waiting->back();
          },
          [as](const published_up_to& changes) { as->published.push_back(changes.number); },
          [](const yielded_up_to&) {},
          [](const list_nodes&) { return node_list{}; },
          [](const drain_node&) { return node_drained{}; },
          [](drain_atom) {},
          [](join_atom, const directory_actor&) {},
          [](join_atom, const dispatcher_actor&) {},
          [](wake_atom) {},
          [waiting](work_atom) {
            for (auto& each : *waiting) each.deliver(true);
            waiting->clear();
          }};
}

/// A directory actor, called as the operator socket calls it.
class office {
 public:
  /// The outcome of a command; empty while it is under way.
  struct outcome {
    std::optional<operator_result> made;
    std::optional<caf::error> failure;
    bool done() const { return made || failure; }
    bool failed(actor_errc why) const { return failure && is(*failure, why); }
  };
  using pending = std::shared_ptr<outcome>;

  /// `among_others`: this is one of several nodes over these rows. `key_source`: of further master keys. `mails`: null
  /// where no mail is configured.
  explicit office(failing_store_ptr rows = std::make_shared<failing_store>(), bool among_others = false,
                  const master_key_source* key_source = nullptr, const mail_sealer* mails = nullptr)
      : rows_{std::move(rows)}, among_others_{among_others}, key_source_{key_source}, mails_{mails} {
    auto loaded = std::make_shared<bool>(false);
    client_->context(&outside_);
    client_->request(actor_, caf::infinite, load_atom::value)
        .then([loaded](bool ok) { *loaded = ok; }, [](const caf::error&) {});
    settle();
    REQUIRE(*loaded);
  }
  ~office() {
    // A pending request keeps its own reference.
    system_.await_actors_before_shutdown(false);
    caf::anon_send_exit(actor_, caf::exit_reason::kill);
    caf::anon_send_exit(hasher_, caf::exit_reason::kill);
    if (keeper_) caf::anon_send_exit(keeper_, caf::exit_reason::kill);
    caf::anon_send_exit(client_actor_, caf::exit_reason::kill);
    coordinator().clock().cancel_all();
    settle();
  }
  office(const office&) = delete;
  office& operator=(const office&) = delete;

  /// Sends the command; no actor runs yet.
  pending send(operator_command command) { return send_as(std::move(command)); }
  /// Sends a command by one of the merchant's people, or a person's own.
  pending send(noted_command command) { return send_as(std::move(command)); }
  template <class Command>
  pending send_as(Command command) {
    auto what = std::make_shared<outcome>();
    client_->context(&outside_);
    client_->request(actor_, caf::infinite, std::move(command))
        .then([what](operator_result& made) { what->made = std::move(made); },
              [what](const caf::error& failure) { what->failure = failure; });
    return what;
  }
  outcome try_out(operator_command command) {
    const auto what = send(std::move(command));
    settle();
    REQUIRE(what->done());
    return *what;
  }
  operator_result ask(operator_command command) {
    auto what = try_out(std::move(command));
    REQUIRE(what.made);
    return *std::move(what.made);
  }
  /// The reason why the command changed nothing.
  std::string problem(operator_command command, operator_problem::kind kind = operator_problem::kind::conflict) {
    const auto answer = std::get<operator_problem>(ask(std::move(command)));
    CHECK(answer.what == kind);
    return answer.words;
  }
  /// Whether such an entry exists; empty while that is not known, and an error if it cannot be determined.
  struct lookup_outcome {
    std::optional<bool> there;
    std::optional<caf::error> failure;
  };
  std::shared_ptr<lookup_outcome> send(look_up question) {
    auto what = std::make_shared<lookup_outcome>();
    client_->context(&outside_);
    client_->request(actor_, caf::infinite, std::move(question))
        .then([what](bool there) { what->there = there; },
              [what](const caf::error& failure) { what->failure = failure; });
    return what;
  }
  bool finds(directory_name::kind kind, std::string text) {
    const auto what = send(look_up{{kind, std::move(text)}});
    settle();
    REQUIRE(what->there);
    return *what->there;
  }
  /// Looks up every stored merchant.
  void know_all() {
    for (const auto& row : stored().merchants) CHECK(finds(directory_name::kind::merchant, row.id.value));
  }
  /// Sends all commands before the first is handled.
  std::vector<outcome> ask_together(const std::vector<operator_command>& commands) {
    std::vector<pending> sent;
    for (const auto& command : commands) sent.push_back(send(command));
    settle();
    std::vector<outcome> outcomes;
    for (const auto& one : sent) outcomes.push_back(*one);
    return outcomes;
  }

  /// Records the destinations that the dispatcher is notified of, in order.
  std::vector<std::string> listen_while(const std::function<void()>& act) {
    auto received = std::make_shared<std::vector<std::string>>();
    const auto ear = system_.spawn([received](dispatcher_actor::pointer) -> dispatcher_actor::behavior_type {
      return {[](const fresh_deliveries&) {},
              [received](const destination_changed& changes) { received->push_back(changes.id.value); },
              [](const redeliver&) { return redeliver_result{}; }, [](drain_atom) { return true; }, [](wake_atom) {}};
    });
    caf::anon_send(actor_, join_atom::value, ear);
    act();
    settle();
    caf::anon_send_exit(ear, caf::exit_reason::kill);
    return *received;
  }

  /// Hashes the oldest waiting password.
  void let_hash() {
    caf::anon_send(hasher_, work_atom::value);
    settle();
  }
  /// The keeper has read the log to its end.
  void catch_up_with_log() {
    caf::anon_send(actor_, catch_up{rows_->head.number});
    settle();
  }
  /// All other nodes have published.
  void others_follow() {
    caf::anon_send(keeper_, work_atom::value);
    settle();
  }
  /// Runs every actor until none has work left at this moment.
  void settle() { coordinator().run(); }
  /// Lets one actor handle one message; false if there is none.
  bool step() { return coordinator().try_run_once(); }
  void advance(std::chrono::milliseconds by) {
    coordinator().advance_time(by);
    settle();
  }

  failing_store& rows() { return *rows_; }
  directory_lookup stored() const { return rows_->whole_directory(); }

  directory published;
  hand_clock clock;
  crypto::keyring keys{std::string(32, 'k')};
  hasher_script hashing;
  keeper_script kept;
  metrics meters;

 private:
  caf::scheduler::test_coordinator& coordinator() {
    return dynamic_cast<caf::scheduler::test_coordinator&>(system_.scheduler());
  }

  failing_store_ptr rows_;
  bool among_others_;
  const master_key_source* key_source_;
  const mail_sealer* mails_;
  deterministic_config config_;
  caf::actor_system system_{config_};
  store_line line_{rows_};
  stub_hasher hasher_ = system_.spawn(hashing_stub, &hashing);
  stub_keeper keeper_ = among_others_ ? system_.spawn(keeping_stub, &kept) : stub_keeper{};
  directory_actor actor_ = actors::spawn_directory(
      system_,
      {{{system_.spawn(failing_writer, line_)}, {}, {}, {}, {}, system_.spawn(failing_reader, line_)},
       hasher_,
       published,
       keys,
       clock,
       meters.known_merchants,
       keeper_ ? node_keeper{keeper_} : node_keeper{},
       key_source_,
       mails_},
      actors::runs_on::scheduler);
  caf::scoped_execution_unit outside_{&system_};
  caf::actor client_actor_ = system_.spawn([](caf::event_based_actor*) -> caf::behavior { return {[](wake_atom) {}}; });
  caf::event_based_actor* client_ =
      static_cast<caf::event_based_actor*>(caf::actor_cast<caf::abstract_actor*>(client_actor_));
};

inline merchant_id new_shop(office& o, std::string owner_email = {}) {
  return std::get<created_merchant>(o.ask(create_merchant{"Shop", merchant_kind::standard, std::move(owner_email)}))
      .merchant;
}

}  // namespace gateway::testing
