#include "node_table.hpp"

#include <algorithm>
#include <stdexcept>
#include <string_view>

namespace gateway::simulation {

namespace {

class keeper_line final : public persistence::node_rows {
 public:
  keeper_line(node_table& to, virtual_time& time, random_source& random, const fault_rates& faults, journal& log,
              std::string node, std::shared_ptr<bool> alive)
      : to_{to},
        time_{time},
        random_{random},
        faults_{faults},
        log_{log},
        node_{std::move(node)},
        alive_{std::move(alive)} {}

  persistence::node_sight look() override {
    fail_sometimes();
    if (time_.now() < stale_until_) return stale_;
    if (faults_.look_stale > 0 && random_.chance(faults_.look_stale)) {
      log_.write(node_, "'s keeper sees old rows from now on");
      log_.occurs("a keeper sees old rows");
      stale_ = to_.look();
      stale_until_ = time_.now() + duration_ms{random_.between(1'000, 10'000)};
    }
    return to_.look();
  }
  bool renew(const node_row& mine) override {
    fail_sometimes();
    const bool done = to_.renew(mine);
    lose_answer_sometimes();
    return done;
  }
  bool renew_and_announce(const node_row& mine) override {
    fail_sometimes();
    if (!to_.renew(mine)) return false;
    to_.log({directory_change::kind::node, mine.name});
    lose_answer_sometimes();
    return true;
  }
  void leave(const node_row& mine) override {
    fail_sometimes();
    to_.leave(mine);
  }
  void give_up(const node_row& dead) override {
    fail_sometimes();
    log_.write(node_, "takes ", dead.name, " for gone");
    log_.occurs("a node is taken for gone");
    to_.give_up(dead);
  }
  bool ask_to_drain(const std::string& name) override {
    fail_sometimes();
    return to_.ask_to_drain(name);
  }
  void trim_log(std::int64_t) override {}
  bool is_held_by_one() override { return false; }
  void reset_connection() override {}

 private:
  /// The connection may be away for a while, independently of others.
  void fail_sometimes() {
    if (!*alive_) throw std::runtime_error{"the process has ended"};
    if (random_.chance(faults_.keeper_away)) {
      away_until_ = time_.now() + duration_ms{random_.between(1, 8'000)};
      log_.write(node_, "'s keeper loses its database");
      log_.occurs("a keeper's database is away");
    }
    if (time_.now() < away_until_) throw std::runtime_error{"the database is away"};
  }
  void lose_answer_sometimes() {
    if (!random_.chance(faults_.keeper_away)) return;
    log_.occurs("a renewal is made and not answered");
    throw std::runtime_error{"the answer is lost"};
  }

  node_table& to_;
  virtual_time& time_;
  random_source& random_;
  const fault_rates& faults_;
  journal& log_;
  const std::string node_;
  std::shared_ptr<bool> alive_;
  time_point away_until_{};
  time_point stale_until_{};
  persistence::node_sight stale_;
};

}  // namespace

duration_ms node_table::wait_for(const std::string& name) const {
  const auto at = nodes_.find(name);
  if (at == nodes_.end() || at->second.row.status == node_status::gone) return duration_ms{0};
  return std::max(duration_ms{0}, at->second.changed_at + lease_lasts - time_.now());
}

void node_table::take_name(const std::string& name, const std::string& incarnation) {
  auto& mine = nodes_[name];
  const auto beats = mine.row.beats;
  mine.row = node_row{};
  mine.row.name = name;
  mine.row.incarnation = incarnation;
  mine.row.address = address_of(name);
  mine.row.status = node_status::joining;
  mine.row.beats = beats + 1;
  mine.row.published = mine.row.yielded = -1;
  mine.changed_at = time_.now();
}

bool node_table::is_over(const std::string& name, const std::string& incarnation) const {
  const auto at = nodes_.find(name);
  return at == nodes_.end() || at->second.row.incarnation != incarnation || at->second.row.status == node_status::gone;
}

persistence::node_sight node_table::look() const {
  persistence::node_sight seen;
  seen.head = rows_.head;
  for (const auto& [name, each] : nodes_) seen.rows.push_back(each.row);
  return seen;
}

node_table::entry* node_table::entry_of(const node_row& mine) {
  const auto at = nodes_.find(mine.name);
  return at == nodes_.end() || at->second.row.incarnation != mine.incarnation ? nullptr : &at->second;
}

bool node_table::renew(const node_row& mine) {
  auto* known = entry_of(mine);
  if (!known) return false;
  auto& row = known->row;
  row.status = mine.status;
  row.published = mine.published;
  row.yielded = mine.yielded;
  row.payments = mine.payments;
  row.last_seen = known->changed_at = time_.now();
  ++row.beats;
  return true;
}

void node_table::leave(const node_row& mine) {
  if (auto* known = entry_of(mine)) {
    known->row.status = node_status::gone;
    ++known->row.beats;
  }
}

void node_table::give_up(const node_row& dead) {
  if (auto* known = entry_of(dead); known && known->row.beats == dead.beats) known->row.status = node_status::gone;
}

bool node_table::ask_to_drain(const std::string& name) {
  const auto at = nodes_.find(name);
  if (at == nodes_.end() || at->second.row.status == node_status::gone) return false;
  return at->second.row.asked_to_drain = true;
}

std::int64_t node_table::log(directory_change change) {
  rows_.log.emplace_back(++rows_.head.number, std::move(change));
  return rows_.head.number;
}

std::string address_of(const std::string& node) { return node + ":1"; }

std::unique_ptr<persistence::node_rows> connect_keeper(node_table& to, virtual_time& time, random_source& random,
                                                       const fault_rates& faults, journal& log, std::string node,
                                                       std::shared_ptr<bool> alive) {
  return std::make_unique<keeper_line>(to, time, random, faults, log, std::move(node), std::move(alive));
}

}  // namespace gateway::simulation
