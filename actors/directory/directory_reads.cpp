// Reads of the directory: look-ups, other nodes' changes, and entries that may have changed.

#include <algorithm>
#include <chrono>
#include <iterator>
#include <span>
#include <utility>

#include <caf/typed_event_based_actor.hpp>

#include "directory_queue.hpp"
#include "gateway/messages/ask_store.hpp"

namespace gateway::actors {

namespace {

constexpr std::chrono::milliseconds pause_after_failed_read{200};
constexpr std::chrono::seconds pause_while_in_doubt{1};
constexpr std::size_t most_read_again_together = 16;

}  // namespace

caf::result<bool> directory_queue::load() {
  auto promise = self_->make_response_promise<bool>();
  reading_ = true;
  if (keeper_)
    read_head(promise);
  else
    read_platforms(promise);
  return promise;
}

void directory_queue::follow(std::int64_t number) {
  log_goes_to_ = std::max(log_goes_to_, number);
  reread_is_paused_ = false;
  next();
}

caf::result<bool> directory_queue::look_up_entry(look_up& asked) {
  if (is_known(asked.what)) return true;
  if (lookups_.size() >= most_lookups) return make_error(actor_errc::overloaded);
  auto promise = self_->make_response_promise<bool>();
  lookups_.push_back({std::move(asked.what), [promise](std::optional<bool> there) mutable {
                        if (there)
                          promise.deliver(*there);
                        else
                          promise.deliver(make_error(actor_errc::store_unavailable));
                      }});
  next();
  return promise;
}

void directory_queue::try_again() {
  reading_ = false;
  next();
}

bool directory_queue::is_known(const directory_name& name) const {
  switch (name.what) {
    case directory_name::kind::merchant: return merchants_.has(merchant_id{name.text});
    case directory_name::kind::platform: return platforms_.has(platform_id{name.text});
    case directory_name::kind::key:
      return credentials_.has(key_id{name.text}) || name.text.starts_with(platform_key_prefix);
    case directory_name::kind::destination: return destinations_.has(destination_id{name.text});
    case directory_name::kind::user: return people_.has(user_id{name.text});
    case directory_name::kind::email: return people_.has_address(name.text);
    case directory_name::kind::provider:
    case directory_name::kind::master_keys: return true;
  }
  return false;
}

void directory_queue::read_head(caf::typed_response_promise<bool> promise) {
  ask_store(self_, store_.entries, caf::infinite, find_directory_updates{})
      .then(
          [this, promise](const directory_updates& changes) {
            caught_up_with_ = changes;
            read_platforms(promise);
          },
          [promise](const caf::error&) mutable { promise.deliver(false); });
}

void directory_queue::read_platforms(caf::typed_response_promise<bool> promise) {
  read_all({}, true, [this, promise](bool read_well) mutable {
    promise.deliver(read_well);
    if (!read_well) return;
    reading_ = false;
    if (keeper_)
      caught_up();
    else
      remember_late(std::nullopt);  // late commits of the previous process; with several nodes the log reports them
    next();
  });
}

/// Reads these entries in portions, and with `every_platform` also those of all platforms and providers. `then`
/// receives whether all could be read.
void directory_queue::read_all(directory_names names, bool every_platform, std::function<void(bool)> then) {
  const auto left = names.size() - std::min(names.size(), most_together);
  find_directory question;
  question.every_platform = every_platform;
  question.of.assign(names.begin() + static_cast<std::ptrdiff_t>(left), names.end());
  names.resize(left);
  ask_store(self_, store_.entries, caf::infinite, std::move(question))
      .then(
          [this, names = std::move(names), then](const directory_lookup& rows) {
            if (!adopt(rows)) return then(false);
            if (names.empty()) return then(true);
            read_all(names, false, then);
          },
          [then](const caf::error&) { then(false); });
}

/// Reads other nodes' changes of known entries. No command begins until it is done.
void directory_queue::read_changes() {
  reading_ = true;
  ask_store(self_, store_.entries, caf::infinite, find_directory_updates{published_to_})
      .then(
          [this](const directory_updates& changes) {
            caught_up_with_ = changes;
            auto names = known_among(changes);
            if (names.empty() && !changes.any) return changes_read(true);
            read_all(std::move(names), changes.any, [this](bool read_well) { changes_read(read_well); });
          },
          [this](const caf::error&) { changes_read(false); });
}

directory_names directory_queue::known_among(const directory_updates& changes) const {
  directory_names names;
  if (changes.any)
    for (const auto& id : merchants_.all()) names.push_back(name_of(id));
  for (const auto& each : changes.changed) {
    if (const merchant_id id{each.id}; each.what == directory_change::kind::merchant && merchants_.has(id))
      names.push_back(name_of(id));
    if (each.what == directory_change::kind::platform) names.push_back(name_of(platform_id{each.id}));
    if (each.what == directory_change::kind::provider) names.push_back({directory_name::kind::provider, each.id});
    if (each.what == directory_change::kind::master_key) names.push_back(name_of_master_keys());
  }
  return names;
}

void directory_queue::changes_read(bool read_well) {
  reading_ = false;
  if (read_well) {
    caught_up();
    return next();
  }
  fail_lookups(lookups_.size());
  self_->delayed_send(self_, pause_after_failed_read, keep_atom::value);
}

void directory_queue::caught_up() {
  turn_ = caught_up_with_.head.turn;
  turn_is_unknown_ = false;
  published_to_ = caught_up_with_.complete_to;
  log_goes_to_ = std::max({log_goes_to_, published_to_, caught_up_with_.head.number});
  self_->send(keeper_, published_up_to{published_to_});
}

/// Reads the doubtful entries. No command begins until it is done.
void directory_queue::read_doubtful() {
  reading_ = true;
  read_all({doubtful_.begin(), doubtful_.end()}, false, [this](bool read_well) {
    if (read_well) {
      doubtful_.clear();
      reading_ = false;
      return next();
    }
    for (auto& work : waiting_) work.promise.deliver(make_error(actor_errc::store_unavailable));
    waiting_.clear();
    fail_lookups(lookups_.size());
    self_->delayed_send(self_, pause_while_in_doubt, wake_atom::value);
  });
}

/// Reads the unknown entries that commands and look-ups need, and some of those to be read again; false if there are
/// none.
bool directory_queue::read_entries() {
  directory_names names;
  const auto commands = std::min(waiting_.size(), most_together);
  for (std::size_t i = 0; i < commands; ++i)
    if (!waiting_[i].was_read)
      std::ranges::copy_if(waiting_[i].names, std::back_inserter(names),
                           [this](const auto& name) { return !is_known(name); });
  const auto lookups = std::min(lookups_.size(), most_together);
  for (std::size_t i = 0; i < lookups; ++i) names.push_back(lookups_[i].what);
  const auto again = reread_is_paused_ ? 0 : std::min(reread_.size(), most_read_again_together);
  names.insert(names.end(), reread_.begin(), reread_.begin() + static_cast<std::ptrdiff_t>(again));
  if (names.empty()) return false;
  reading_ = true;
  read_all(std::move(names), false, [this, commands, lookups, again](bool read_well) {
    has_just_read_ = true;
    if (read_well) {
      for (std::size_t i = 0; i < commands; ++i) waiting_[i].was_read = true;
      reread_.erase(reread_.begin(), reread_.begin() + static_cast<std::ptrdiff_t>(again));
      answer_lookups(lookups);
    } else {
      give_up(commands);
      fail_lookups(lookups);
      if (!reread_.empty() && !std::exchange(reread_is_paused_, true))
        self_->delayed_send(self_, pause_while_in_doubt, keep_atom::value);
    }
    // After the answers, because an answer may cause another look-up.
    reading_ = false;
    next();
  });
  return true;
}

void directory_queue::answer_lookups(std::size_t how_many) {
  for (; how_many > 0; --how_many) {
    auto asked = std::move(lookups_.front());
    lookups_.pop_front();
    asked.then(is_known(asked.what));
  }
}

void directory_queue::fail_lookups(std::size_t how_many) {
  for (; how_many > 0; --how_many) {
    auto asked = std::move(lookups_.front());
    lookups_.pop_front();
    asked.then(std::nullopt);
  }
}

/// Answers those of the first `first` commands that cannot be planned as unavailable.
void directory_queue::give_up(std::size_t first) {
  std::deque<waiting_command> left;
  for (std::size_t i = 0; i < waiting_.size(); ++i)
    if (i >= first || may_be_planned(waiting_[i]))
      left.push_back(std::move(waiting_[i]));
    else
      waiting_[i].promise.deliver(make_error(actor_errc::store_unavailable));
  waiting_ = std::move(left);
}

/// The master keys come first, because they open the secrets of the rest; false if one is not available. Platforms are
/// published before their destinations, which are held while the platform is suspended. Merchants are published last,
/// so that a reader who finds a merchant finds all its entries.
bool directory_queue::adopt(const directory_lookup& rows) {
  if (!master_keys_.adopt(rows)) return false;
  merchants_.adopt(rows);
  people_.adopt(rows);
  destinations_.adopt(rows);
  platforms_.adopt(rows);
  destinations_.publish(rows);
  publish_grants(rows);
  providers_.adopt(rows);
  credentials_.adopt(rows);
  merchants_.publish(rows);
  count();
  return true;
}

void directory_queue::publish_grants(const directory_lookup& rows) {
  std::vector<grant_update> all;
  all.reserve(rows.bindings.size());
  for (const auto& row : rows.bindings)
    all.push_back({{platform_id{row.key.id}, row.key.merchant}, row.key.env, {row.state, row.scopes, row.version}});
  published_.publish(std::span<const grant_update>{all});
}

}  // namespace gateway::actors
