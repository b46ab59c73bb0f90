// A store in memory that honours the store's contract, and fails where a test tells it to.
#pragma once

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <tuple>

#include <caf/all.hpp>

#include "gateway/actors.hpp"

namespace gateway::testing {

/// How the next unit fails.
enum class fault { none, queue_full, before_commit, after_commit };

struct memory_store {
  using row_key = std::tuple<std::string, int, std::string>;
  using command_row_key = std::tuple<std::string, int, std::string, std::string>;

  std::map<row_key, payment> payments;
  std::map<command_row_key, command_record> commands;
  std::map<row_key, std::vector<timeline_entry>> timelines;
  std::map<std::string, directory_change> records;
  directory_lookup whole;
  std::deque<fault> faults;  ///< one for each unit to come; empty: none
  std::atomic<bool> reads_fail = false;
  unsigned commits = 0;

  static row_key id(const payment_key& k) { return {k.merchant.value, static_cast<int>(k.env), k.id.value}; }
  static command_row_key id(const command_key& k) { return {k.merchant.value, static_cast<int>(k.env), k.principal, k.key}; }

  commit_outcome execute(const unit_of_work& unit) {
    auto trouble = fault::none;
    if (!faults.empty()) {
      trouble = faults.front();
      faults.pop_front();
    }
    if (trouble == fault::queue_full) return commit_outcome::refused;
    if (trouble == fault::before_commit) return commit_outcome::unavailable;
    const auto outcome = apply(unit);
    return trouble == fault::after_commit ? commit_outcome::unavailable : outcome;
  }

 private:
  commit_outcome apply(const unit_of_work& unit) {
    if (unit.insert_command && commands.contains(id(unit.insert_command->key))) return commit_outcome::duplicate_command;
    if (unit.insert_payment && payments.contains(id(unit.insert_payment->key))) return commit_outcome::payment_exists;
    if (unit.update_payment) {
      const auto at = payments.find(id(unit.update_payment->key));
      if (at == payments.end() || at->second.version != unit.update_payment->version - 1) return commit_outcome::lost_claim;
    }
    for (const auto& change : unit.changes)
      if (const auto* token = std::get_if<spend_setup_token>(&change))
        if (!records.emplace("token " + token->token_id, change).second) return commit_outcome::duplicate_record;
    ++commits;
    if (unit.insert_command) commands[id(unit.insert_command->key)] = *unit.insert_command;
    if (unit.insert_payment) payments[id(unit.insert_payment->key)] = *unit.insert_payment;
    if (unit.update_payment) payments[id(unit.update_payment->key)] = *unit.update_payment;
    if (unit.finish_command) {
      auto& row = commands.at(id(unit.finish_command->key));
      row.result = *unit.finish_command->result;
      row.finished_at = unit.finish_command->finished_at;
    }
    const auto& subject = unit.insert_payment ? unit.insert_payment : unit.update_payment;
    for (const auto& entry : unit.entries) timelines[id(subject->key)].push_back(entry);
    for (const auto& change : unit.changes) {
      if (const auto* m = std::get_if<save_merchant>(&change)) whole.merchants.push_back(*m);
      if (const auto* k = std::get_if<save_api_key>(&change)) whole.keys.push_back({*k, false});
      if (const auto* u = std::get_if<save_user>(&change)) whole.users.push_back({u->id, u->merchant, u->email, u->password_hash});
      if (const auto* c = std::get_if<save_connection>(&change)) whole.connections.push_back({c->merchant, c->link, c->id});
      if (const auto* r = std::get_if<save_route>(&change)) whole.routes.push_back({r->merchant, r->way, r->id});
      if (const auto* r = std::get_if<revoke_api_key>(&change))
        for (auto& row : whole.keys)
          if (row.key.id == r->id) row.revoked = true;
    }
    return commit_outcome::committed;
  }
};

using memory_store_ptr = std::shared_ptr<memory_store>;

/// A node's line to the rows. Once cut, as by a crash, nothing that the node still does reaches them.
struct store_line {
  memory_store_ptr rows;
  std::shared_ptr<bool> cut = std::make_shared<bool>(false);
  bool readable() const { return !*cut && !rows->reads_fail; }
};

inline store_writer::behavior_type memory_writer(store_writer::pointer, store_line line) {
  return {[line](const unit_of_work& unit) -> caf::result<commit_outcome> {
            const auto outcome = *line.cut ? commit_outcome::unavailable : line.rows->execute(unit);
            if (outcome == commit_outcome::refused) return make_error(actor_errc::overloaded);
            return outcome;
          },
          [](work_atom) {}};
}

inline store_reader::behavior_type memory_reader(store_reader::pointer, store_line line) {
  return {
      [line](const find_payment& q) -> caf::result<payment_lookup> {
        if (!line.readable()) return make_error(actor_errc::store_unavailable);
        const auto at = line.rows->payments.find(memory_store::id(q.key));
        return payment_lookup{at == line.rows->payments.end() ? std::nullopt : std::optional{at->second}};
      },
      [line](const find_command& q) -> caf::result<command_lookup> {
        if (!line.readable()) return make_error(actor_errc::store_unavailable);
        const auto at = line.rows->commands.find(memory_store::id(q.key));
        return command_lookup{at == line.rows->commands.end() ? std::nullopt : std::optional{at->second}};
      },
      [line](const find_timeline& q) -> caf::result<timeline_lookup> {
        if (!line.readable()) return make_error(actor_errc::store_unavailable);
        return timeline_lookup{line.rows->timelines[memory_store::id(q.key)]};
      },
      [line](const find_due& q) -> caf::result<due_lookup> {
        if (!line.readable()) return make_error(actor_errc::store_unavailable);
        due_lookup due;
        for (const auto& [key, row] : line.rows->payments)
          if (row.due_at && *row.due_at <= q.now && due.keys.size() < q.limit) due.keys.push_back(row.key);
        return due;
      },
      [line](const find_directory&) -> caf::result<directory_lookup> {
        if (!line.readable()) return make_error(actor_errc::store_unavailable);
        return line.rows->whole;
      },
      [](const purge_commands&) -> caf::result<purge_result> { return purge_result{0}; },
  };
}

}  // namespace gateway::testing
