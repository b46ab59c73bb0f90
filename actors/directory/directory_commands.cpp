// Commands of the directory: their passwords are hashed, then they wait, and are planned in order of arrival.

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include <caf/typed_event_based_actor.hpp>

#include "directory_queue.hpp"

namespace gateway::actors {

namespace {

constexpr std::size_t most_waiting = 1'000;  ///< commands

}  // namespace

/// The part of the directory that plans this command.
template <class Command>
auto& directory_queue::owner_of() {
  if constexpr (requires(const Command& wanted) { merchants_.prepare(wanted); })
    return merchants_;
  else if constexpr (requires(const Command& wanted) { people_.prepare(wanted); })
    return people_;
  else if constexpr (requires(const Command& wanted) { credentials_.prepare(wanted); })
    return credentials_;
  else if constexpr (requires(const Command& wanted) { platforms_.prepare(wanted); })
    return platforms_;
  else if constexpr (requires(const Command& wanted) { providers_.prepare(wanted); })
    return providers_;
  else if constexpr (requires(const Command& wanted) { master_keys_.prepare(wanted); })
    return master_keys_;
  else
    return destinations_;
}

caf::result<operator_result> directory_queue::take(operator_command& command) { return take(command, std::nullopt); }

caf::result<operator_result> directory_queue::take(noted_command& command) {
  return take(command.what, std::move(command.note));
}

caf::result<operator_result> directory_queue::take(operator_command& command, std::optional<save_audit> note) {
  auto promise = self_->make_response_promise<operator_result>();
  std::visit([&](auto& wanted) { accept(std::move(wanted), asker{promise, std::move(note)}); }, command);
  return promise;
}

/// The merchant is looked up first, so that no password is hashed for one that does not exist.
void directory_queue::accept(add_user wanted, asker by) {
  auto named = name_of(wanted.merchant);
  auto otherwise = no_such("merchant", wanted.merchant.value);
  auto promise = by.promise;
  when_found(std::move(named), std::move(otherwise), promise,
             [this, wanted = std::move(wanted), by = std::move(by)]() mutable {
               hash_password question{std::exchange(wanted.password, {}), std::string{hashed_for_operator}};
               auto reply_to = by.promise;
               with_hash(std::move(question), std::move(reply_to),
                         [this, wanted = std::move(wanted), by = std::move(by)](std::string& hash) mutable {
                           accept(add_hashed_user{wanted.merchant, wanted.email, std::move(hash), wanted.role},
                                  std::move(by));
                         });
             });
}

void directory_queue::accept(accept_invitation wanted, asker by) {
  if (wanted.password.empty())
    return accept(accept_hashed_invitation{wanted.merchant, wanted.user, wanted.id, {}}, std::move(by));
  auto named = name_of(wanted.user);
  auto otherwise = no_such("user", wanted.user.value);
  auto promise = by.promise;
  when_found(std::move(named), std::move(otherwise), promise,
             [this, wanted = std::move(wanted), by = std::move(by)]() mutable {
               hash_password question{std::exchange(wanted.password, {}), wanted.user.value};
               auto reply_to = by.promise;
               with_hash(std::move(question), std::move(reply_to),
                         [this, wanted = std::move(wanted), by = std::move(by)](std::string& hash) mutable {
                           accept(accept_hashed_invitation{wanted.merchant, wanted.user, wanted.id, std::move(hash)},
                                  std::move(by));
                         });
             });
}

/// Calls `then` if this entry exists; else answers `otherwise`.
template <class Then>
void directory_queue::when_found(directory_name what, operator_problem otherwise, result_promise promise, Then then) {
  if (is_known(what)) return then();
  if (lookups_.size() >= most_lookups) {
    promise.deliver(make_error(actor_errc::overloaded));
    return;
  }
  lookups_.push_back({std::move(what), [otherwise = std::move(otherwise), promise,
                                        then = std::move(then)](std::optional<bool> found) mutable {
                        if (!found)
                          promise.deliver(make_error(actor_errc::store_unavailable));
                        else if (!*found)
                          promise.deliver(operator_result{std::move(otherwise)});
                        else
                          then();
                      }});
  next();
}

template <class Then>
void directory_queue::with_hash(hash_password question, result_promise promise, Then then) {
  self_->request(hasher_, caf::infinite, std::move(question))
      .then([then = std::move(then)](std::string& hash) mutable { then(hash); },
            [promise](const caf::error& failure) mutable { promise.deliver(failure); });
}

void directory_queue::accept(revoke_key wanted, asker by) {
  if (wanted.id.value.starts_with(platform_key_prefix))
    enqueue(platforms_, std::move(wanted), std::move(by));
  else
    enqueue(credentials_, std::move(wanted), std::move(by));
}

template <class Command>
void directory_queue::accept(Command wanted, asker by) {
  enqueue(owner_of<Command>(), std::move(wanted), std::move(by));
}

template <class Owner, class Command>
void directory_queue::enqueue(Owner& owner, Command wanted, asker by) {
  if (waiting_.size() >= most_waiting) {
    by.promise.deliver(make_error(actor_errc::overloaded));
    return;
  }
  auto names = names_of(wanted);
  const auto command = std::make_shared<const Command>(std::move(wanted));
  waiting_.push_back({[&owner, command] { return std::string{owner.changes(*command)}; },
                      [&owner, command] { return owner.prepare(*command); }, std::move(by.promise), std::move(names),
                      std::move(by.note)});
  next();
}

/// Other nodes' changes are read first, then doubtful entries. After that reads and commits alternate, so that
/// neither many commands nor many look-ups of absent entries delay the others.
void directory_queue::next() {
  if (busy()) return;
  if (turn_is_unknown_ || published_to_ < log_goes_to_) return read_changes();
  if (!doubtful_.empty()) return read_doubtful();
  if (!std::exchange(has_just_read_, false) && read_entries()) return;
  begin_commands();
  if (!busy()) read_entries();
}

/// Begins the commands at the head of the queue, up to the first that changes the same entry as one before it.
void directory_queue::begin_commands() {
  std::set<std::string> changing;
  while (!reading_ && !waiting_.empty() && under_way_ < most_together) {
    auto& first = waiting_.front();
    if (!may_be_planned(first)) break;
    const auto changes = first.changes();
    if (changing.contains(changes)) break;
    auto work = std::move(first);
    waiting_.pop_front();
    auto judged = work.prepare();
    if (auto* why = std::get_if<operator_problem>(&judged)) {
      work.promise.deliver(operator_result{std::move(*why)});
      continue;
    }
    if (auto* same = std::get_if<unchanged>(&judged)) {
      deliver_everywhere(work.promise, std::move(same->result));
      continue;
    }
    if (!changes.empty()) changing.insert(changes);
    run(std::move(std::get<plan>(judged)), std::move(work));
  }
}

bool directory_queue::may_be_planned(const waiting_command& work) const {
  return work.was_read || std::ranges::all_of(work.names, [this](const auto& name) { return is_known(name); });
}

}  // namespace gateway::actors
