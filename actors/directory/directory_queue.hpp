// The queue of the directory's actor.
//
// Operator commands run in arrival order: check against the known rows, make durable, then change the known rows and
// publish the new snapshot of the merchant, key, destination or provider. Commands that wait together and change
// different things share a commit; none of them depends on another's result. The parts (merchants, people, credentials,
// platforms, destinations, providers, master keys) hold their rows and plan their commands; the queue decides what a
// commit's outcome means. A command whose commit got no answer is answered as unavailable; the entries that it would
// have changed are then read again, so that the known rows never differ from the store.
//
// A merchant becomes known when a command or a look-up first names it: memory and start-up time depend on what is used,
// not on what is stored. A read and commits never run at the same time, so that a read cannot bring back what a commit
// has just replaced. Absent entries are not remembered: each look-up reads again.
//
// A password is hashed before its command joins the queue, so that no other command waits for it. The hasher answers
// the operator in the order of the requests, so users of one merchant are added in their order of arrival.
//
// Each node has such an actor. Every change is an entry of the directory's log, and claims the next turn, a number that
// all nodes share. If another node's change has taken the turn, the command is planned again with that change. A change
// is answered once every live node has published it, and so is a command that has nothing to change. The node keeper
// reports the last number of the log; the entries that the log names are then read and published.
//
// The queue is implemented in four sources:
//   directory_actor.cpp     the actor
//   directory_commands.cpp  commands: hashing, waiting, planning
//   directory_commits.cpp   commits, and what each outcome means
//   directory_reads.cpp     look-ups, other nodes' changes, doubtful entries
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <caf/typed_event_based_actor.hpp>

#include "credentials.hpp"
#include "destinations.hpp"
#include "directory_actor.hpp"
#include "master_keys.hpp"
#include "merchants.hpp"
#include "names_of.hpp"
#include "people.hpp"
#include "plan.hpp"
#include "platforms.hpp"
#include "providers.hpp"

namespace gateway::actors {

/// Messages to itself. wake_atom: the pause after a failed read of doubtful entries is over. keep_atom: the pause after
/// any other failed read is over. settle_atom: a commit without an answer can no longer take effect.
using waking_directory =
    directory_actor::extend<caf::reacts_to<wake_atom>, caf::reacts_to<settle_atom>, caf::reacts_to<keep_atom>>;

class directory_queue {
 public:
  directory_queue(waking_directory::pointer self, const directory_context& context);

  // Called by the actor.
  caf::result<bool> load();
  /// The log goes up to this number.
  void follow(std::int64_t number);
  void join(dispatcher_actor dispatcher) { dispatcher_ = std::move(dispatcher); }
  caf::result<operator_result> take(operator_command& command);
  caf::result<operator_result> take(noted_command& command);
  caf::result<bool> look_up_entry(look_up& asked);
  /// The pause after a failed read of doubtful entries is over.
  void try_again();
  /// 60 s after a commit without an answer: what it may have changed is read again.
  void late_commits_landed();

 private:
  using result_promise = caf::typed_response_promise<operator_result>;

  static constexpr std::size_t most_lookups = 4'096;
  static constexpr std::size_t most_together = 64;  ///< commands that share a commit, and names that share a read

  struct waiting_command {
    std::function<std::string()> changes;  ///< commands that change the same thing are not under way together
    std::function<planned()> prepare;
    result_promise promise;
    directory_names names;  ///< entries that must be read before the command is planned
    std::optional<save_audit> note{};
    bool was_read = false;  ///< whether entries that were not known have been read
    unsigned lost = 0;  ///< turns lost to other nodes
  };

  /// `then` is called with whether the entry exists, or with nullopt if the store does not answer.
  struct waiting_lookup {
    directory_name what;
    std::function<void(std::optional<bool>)> then;
  };

  /// Where a command's answer goes.
  struct asker {
    result_promise promise;
    std::optional<save_audit> note{};  ///< the audit record, if a person gave the command
  };

  bool busy() const { return reading_ || under_way_ > 0; }
  void next();

  // Commands.
  caf::result<operator_result> take(operator_command& command, std::optional<save_audit> note);
  void accept(add_user wanted, asker by);
  void accept(accept_invitation wanted, asker by);
  void accept(revoke_key wanted, asker by);
  template <class Command>
  void accept(Command wanted, asker by);
  template <class Then>
  void when_found(directory_name what, operator_problem otherwise, result_promise promise, Then then);
  template <class Then>
  void with_hash(hash_password question, result_promise promise, Then then);
  template <class Owner, class Command>
  void enqueue(Owner& owner, Command wanted, asker by);
  template <class Command>
  auto& owner_of();
  void begin_commands();
  bool may_be_planned(const waiting_command& work) const;

  // Commits.
  void run(plan what, waiting_command work);
  void log_changes(unit_of_work& unit, const std::vector<directory_change>& changed);
  void settle(commit_outcome outcome, const plan& what, waiting_command work);
  void deliver_everywhere(result_promise promise, operator_result result);
  void in_doubt(const std::vector<directory_change>& changed);
  void remember_late(std::optional<directory_names> names);
  void done();

  // Reads.
  bool is_known(const directory_name& name) const;
  void read_head(caf::typed_response_promise<bool> promise);
  void read_platforms(caf::typed_response_promise<bool> promise);
  void read_all(directory_names names, bool every_platform, std::function<void(bool)> then);
  void read_changes();
  directory_names known_among(const directory_updates& changes) const;
  void changes_read(bool read_well);
  void caught_up();
  void read_doubtful();
  bool read_entries();
  void answer_lookups(std::size_t how_many);
  void fail_lookups(std::size_t how_many);
  void give_up(std::size_t first);
  bool adopt(const directory_lookup& rows);
  void count() { known_merchants_.Set(static_cast<double>(merchants_.count())); }
  void publish_grants(const directory_lookup& rows);

  waking_directory::pointer self_;
  store_handles store_;
  password_hasher hasher_;
  dispatcher_actor dispatcher_;
  merchants merchants_;
  people people_;
  credentials credentials_;
  platforms platforms_;
  destinations destinations_;
  configured_providers providers_;
  master_keys master_keys_;
  directory& published_;
  prometheus::Gauge& known_merchants_;
  node_keeper keeper_;
  std::int64_t turn_ = 0;  ///< in which the next change is planned
  bool turn_is_unknown_ = false;  ///< a change was not committed
  std::int64_t published_to_ = -1;  ///< a number in the log
  std::int64_t log_goes_to_ = -1;
  /// How many commands at the head of the queue have lost their turn; reset once all commits are answered.
  std::size_t lost_turns_ = 0;
  directory_updates caught_up_with_;  ///< takes effect once the entries that it names have been read
  bool reading_ = false;
  bool has_just_read_ = false;
  std::size_t under_way_ = 0;  ///< commands whose commit has not been answered
  std::set<directory_name> doubtful_;  ///< a commit without an answer may have changed them
  std::deque<std::optional<directory_names>> late_;  ///< what such commits would have changed, the oldest first
  std::deque<directory_name> reread_;  ///< to be read again with low priority
  bool reread_is_paused_ = false;  ///< low-priority reading pauses because it failed
  std::deque<waiting_command> waiting_;
  std::deque<waiting_lookup> lookups_;
};

}  // namespace gateway::actors
