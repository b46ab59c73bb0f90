#include "database.hpp"

#include <deque>
#include <functional>
#include <utility>

#include <caf/all.hpp>

namespace gateway::simulation {

namespace {

std::string shown(const testing::unit_parts& unit) {
  std::ostringstream text;
  if (const auto& c = unit.insert_command)
    text << (c->result ? "store " : "begin ") << c->operation << ' ' << c->subject_id << " key " << c->key.key;
  if (const auto& f = unit.finish_command) text << "finish key " << f->key.key << " \"" << f->result->body << '"';
  if (const auto* row = unit.changed())
    text << " {" << row->key.id << " v" << row->version << ' ' << to_string(row->state) << (row->open ? ", open " : "")
         << (row->open ? to_string(row->open->what) : std::string_view{}) << '}';
  if (const auto* row = unit.changed_binding())
    text << " {" << row->key.id << " of " << row->key.merchant.value << " v" << row->version << ' '
         << row->newest.value().id.value << ' ' << to_string(state_of(row->newest)) << ", " << row->codes.size()
         << " codes}";
  if (const auto* row = unit.changed_customer()) {
    text << " {" << row->ref << " of " << row->platform.value << " v" << row->version << ' ' << row->provider_id;
    for (const auto& method : row->methods) text << ' ' << method;
    text << '}';
  }
  if (const auto* row = unit.changed_subscription())
    text << " {" << row->key.id << " v" << row->version << ' ' << to_string(row->state.status)
         << (row->open ? ", open " : "") << (row->open ? to_string(row->open->what) : std::string_view{}) << ", owes "
         << row->owed.size() << '}';
  if (const auto* row = unit.changed_enrollment())
    text << " {" << row->key.id << " v" << row->version << ' ' << to_string(row->what.status) << ", cycle "
         << row->what.cycle << ", untold " << row->undelivered.size() << '}';
  if (const auto* row = unit.changed_notification())
    text << " {" << row->key.id << " v" << row->version << ' ' << to_string(row->state) << " after " << row->attempts
         << '}';
  for (const auto& event : unit.counted_events) text << " count " << event.event_id;
  if (unit.last_seen) text << "it is " << format_seconds(*unit.last_seen);
  for (const auto& d : unit.deliveries) text << " deliver " << d.id << " to " << d.to.value;
  for (const auto& d : unit.update_deliveries)
    text << " delivery " << d.id << " v" << d.version << ' ' << to_string(d.status) << " after " << d.attempts;
  return text.str();
}

std::string shown(const unit_of_work& unit) { return shown(testing::unit_parts{unit}); }

/// The entity that the unit changes.
std::optional<entity_key> subject_of(const testing::unit_parts& unit) {
  if (const auto* key = unit.subject()) return *key;
  if (const auto& c = unit.insert_command)
    return entity_key{c->key.merchant, c->key.env, parse_entity_kind(c->subject_kind).value_or(entity_kind::payment),
                      c->subject_id};
  return std::nullopt;
}

class writing {
 public:
  static inline const char* name = "writer";
  store_writer::pointer self = nullptr;
  std::optional<store_link> line;

  caf::result<commit_outcome> take(unit_of_work& unit) {
    if (line->random.chance(line->faults.commit_refused)) return commit_outcome::rejected;
    auto promise = self->make_response_promise<commit_outcome>();
    add([this, unit = std::move(unit), promise](commit_result how) mutable {
      promise.deliver(settle(std::move(unit), how));
    });
    return promise;
  }

  /// A transaction other than a unit: a purge or a redelivery.
  template <class Change>
  auto take_change(const Change& what) -> caf::result<decltype(std::declval<database&>().run(what))> {
    auto promise = self->template make_response_promise<decltype(line->rows.run(what))>();
    add([this, what, promise](commit_result how) mutable {
      if (auto made = settle_change(what, how)) {
        promise.deliver(std::move(*made));
      } else {
        promise.deliver(make_error(actor_errc::store_unavailable));
      }
    });
    return promise;
  }

  /// One transaction.
  void drain() {
    const auto how = draw_result();
    auto size = static_cast<std::size_t>(line->random.between(1, 8));
    while (size-- > 0 && !waiting_.empty()) {
      auto next = std::move(waiting_.front());
      waiting_.pop_front();
      next(how);
    }
    if (!waiting_.empty()) schedule();
  }

 private:
  enum class commit_result { commits, fails, no_answer, late };

  void add(std::function<void(commit_result)> next) {
    waiting_.push_back(std::move(next));
    if (waiting_.size() == 1) schedule();
  }

  void schedule() {
    const auto delay = line->random.between(0, line->faults.store_latency.count());
    line->time.in(duration_ms{delay}, [self = self, alive = line->alive] {
      if (*alive) caf::anon_send(store_writer{self}, work_atom::value);
    });
  }

  /// A crashed node writes nothing, and neither does a node without its lease: its connections check it before they
  /// commit.
  bool may_write() {
    if (!*line->alive) return false;
    if (!line->among.serves()) line->log.occurs("a commit comes after its node's lease");
    if (!line->among.serves() && !line->rows.lacks(guard::lease)) return false;
    line->rows.check_lease(line->among);
    return true;
  }

  commit_result draw_result() {
    if (line->random.chance(line->faults.commit_failed)) return commit_result::fails;
    if (line->random.chance(line->faults.commit_unheard)) return commit_result::no_answer;
    if (line->random.chance(line->faults.commit_late)) return commit_result::late;
    return commit_result::commits;
  }

  commit_outcome settle(unit_of_work unit, commit_result how) {
    if (!may_write()) return commit_outcome::unavailable;
    if (line->rows.lacks(guard::customer_first) && unit.subject.kind == entity_kind::customer) {
      // In order, and lost in a crash.
      line->time.in(duration_ms{1'000}, [&rows = line->rows, node = line->node, alive = line->alive,
                                         unsaved = line->unsaved, unit = std::move(unit)]() mutable {
        if (*alive) rows.commit(node, std::move(unit), *unsaved);
      });
      return commit_outcome::committed;
    }
    switch (how) {
      case commit_result::commits: {
        const auto recorded = testing::unit_parts{unit}.update_deliveries;
        const auto outcome = line->rows.commit(line->node, std::move(unit), *line->unsaved);
        // A lost claim also shows the node that the row has this version or a later one.
        for (const auto& row : recorded) line->memory->versions[row.id] = row.version;
        return outcome;
      }
      case commit_result::fails: line->log.write(line->node, "the database fails before: ", shown(unit)); break;
      case commit_result::no_answer:
        line->log.write(line->node, "the database fails after:");
        line->rows.commit(line->node, std::move(unit), *line->unsaved);
        break;
      case commit_result::late: {
        line->log.write(line->node, "held up in the database: ", shown(unit));
        // The unit has left the node, so a crash does not undo it.
        auto drawn = line->rows.draw_late(line->node, unit);
        line->time.in(duration_ms{line->random.between(1, 20'000)},
                      [&rows = line->rows, node = line->node, unsaved = line->unsaved, drawn = std::move(drawn),
                       unit = std::move(unit)]() mutable { rows.commit(node, std::move(unit), *unsaved, drawn); });
      }
    }
    return commit_outcome::unavailable;
  }

  template <class Change>
  auto settle_change(const Change& what, commit_result how) -> std::optional<decltype(line->rows.run(what))> {
    if (!may_write() || how == commit_result::fails) return std::nullopt;
    if (how == commit_result::late) {
      line->time.in(duration_ms{line->random.between(1, 20'000)}, [&rows = line->rows, what] { rows.run(what); });
      return std::nullopt;
    }
    auto made = line->rows.run(what);
    if (how == commit_result::no_answer) return std::nullopt;
    return made;
  }

  std::deque<std::function<void(commit_result)>> waiting_;
};

store_writer::behavior_type writer_behavior(store_writer::stateful_pointer<writing> self, store_link line) {
  self->state.self = self;
  self->state.line.emplace(std::move(line));
  return {[self](unit_of_work& unit) { return self->state.take(unit); },
          [self](const purge_commands& what) { return self->state.take_change(what); },
          [self](const redeliver_rows& what) { return self->state.take_change(what); },
          [](const clear_free_pages&) { return clear_free_pages_result{}; },
          [self](work_atom) { self->state.drain(); }};
}

using slow_reader = store_reader::extend<caf::reacts_to<work_atom>>;

class reading {
 public:
  static inline const char* name = "reader";
  slow_reader::pointer self = nullptr;
  std::optional<store_link> line;

  caf::result<store_answer> take(const store_question& question) {
    if (!*line->alive || line->random.chance(line->faults.read_failed))
      return make_error(actor_errc::store_unavailable);
    auto found = std::visit([&](const auto& what) -> store_answer { return line->rows.run(what); }, question);
    if (line->random.chance(0.5)) return found;
    // The read returns the rows as they were at its time.
    auto promise = self->make_response_promise<store_answer>();
    waiting_.push_back([promise, found = std::move(found)]() mutable { promise.deliver(std::move(found)); });
    line->time.in(duration_ms{line->random.between(0, line->faults.store_latency.count())},
                  [self = self, alive = line->alive] {
                    if (*alive) caf::anon_send(slow_reader{self}, work_atom::value);
                  });
    return promise;
  }

  void answer() {
    auto next = std::move(waiting_.front());
    waiting_.pop_front();
    next();
  }

 private:
  std::deque<std::function<void()>> waiting_;
};

slow_reader::behavior_type reader_behavior(slow_reader::stateful_pointer<reading> self, store_link line) {
  self->state.self = self;
  self->state.line.emplace(std::move(line));
  return {
      [self](const store_question& question) { return self->state.take(question); },
      [self](work_atom) { self->state.answer(); },
  };
}

}  // namespace

commit_outcome database::commit(std::string_view node, unit_of_work whole, unsaved_units& unsaved,
                                const std::optional<event_log::drawn>& drawn) {
  const testing::unit_parts unit{whole};
  const auto positions = drawn ? *drawn : event_log_.draw(node, unit);
  const auto outcome = store(node, std::move(whole), unsaved);
  if (outcome == commit_outcome::committed)
    event_log_.committed(node, unit, positions);
  else
    event_log_.rolled_back(positions);
  return outcome;
}

commit_outcome database::store(std::string_view node, unit_of_work whole, unsaved_units& unsaved) {
  testing::unit_parts unit{whole};
  const auto* row = unit.changed();
  if (missing_ == guard::version_claim && unit.update_payment)
    if (const auto stored = rows_.payments.find(testing::memory_store::id(row->key)); stored != rows_.payments.end())
      stored->second.version = row->version - 1;
  if (missing_ == guard::begin_commit && row) {
    const auto key = testing::memory_store::id(row->key);
    if (whole.kind == unit_kind::begin) {
      log_.write(node, shown(unit), ": kept in memory");
      unsaved.insert_or_assign(key, std::move(whole));
      return commit_outcome::committed;
    }
    if (auto begun = unsaved.extract(key))
      if (const auto outcome = rows_.commit(begun.mapped()); outcome != commit_outcome::committed) return outcome;
  }
  // Two transactions instead of one: the second may never happen.
  if (missing_ == guard::delivery_commit) unit.deliveries.clear();
  if (missing_ == guard::delivery_claim)
    for (const auto& changed : unit.update_deliveries)
      if (const auto stored = rows_.deliveries.find(changed.id); stored != rows_.deliveries.end())
        stored->second.version = changed.version - 1;
  if (missing_ == guard::grant_version && unit.update_binding)
    if (const auto stored = rows_.bindings.find(testing::memory_store::id(unit.update_binding->key));
        stored != rows_.bindings.end())
      stored->second.version = unit.update_binding->version - 1;
  if (missing_ == guard::code_spend && unit.update_binding && unit.insert_command)
    if (const auto stored = rows_.bindings.find(testing::memory_store::id(unit.update_binding->key));
        stored != rows_.bindings.end() && !unit.update_binding->newest->revoked_at)
      unit.update_binding->codes = stored->second.codes;
  if (missing_ == guard::count_once) unit.counted_events.clear();
  if (missing_ == guard::cycle_outbox && unit.update_subscription) unit.update_subscription->owed.clear();
  const auto subject = subject_of(unit);
  const auto before = subject ? testing::payment_in(rows_.run(find_entity{*subject})) : std::nullopt;
  const auto outcome = rows_.commit(unit);
  log_.write(node, shown(unit), ": ", to_string(outcome));
  if (outcome == commit_outcome::committed) {
    customer_promises_.committed(before, unit);
    subscription_promises_.committed(before, unit);
    if (unit.changed_binding()) {
      grant_promises_.committed(unit);
    } else if (unit.changed_subscription() || unit.changed_enrollment()) {
      age_promises_.committed(before, unit);
    } else if (unit.changed_notification()) {
      notice_promises_.committed(unit);
    } else if (!unit.changed_customer()) {
      promises_.committed(before, unit);
      age_promises_.committed(before, unit);
      checkouts_.committed(before, unit);
    }
    delivery_promises_.committed(unit);
  } else if (outcome == commit_outcome::lost_claim && alone_ && unit.changed()) {
    promises_.lost_alone(before, unit);
  }
  return outcome;
}

void database::check_lease(const membership& of) {
  if (of.clustered() && leases_hold_ && nodes_.is_over(of.name(), of.incarnation()))
    promises_.break_(of.name() + " writes after others have taken it for gone");
}

redeliver_rows_result database::run(const redeliver_rows& what) {
  const auto made = rows_.run(what);
  delivery_promises_.redelivered();
  return made;
}

purge_result database::run(const purge_commands& what) {
  age_promises_.purged(what);
  const auto purged = rows_.run(what);
  if (purged.deleted > 0) log_.write("database", "purges ", purged.deleted, " keys for a node");
  return purged;
}

store_writer spawn_writer(caf::actor_system& system, store_link line) {
  return system.spawn(writer_behavior, std::move(line));
}
store_reader spawn_reader(caf::actor_system& system, store_link line) {
  return system.spawn(reader_behavior, std::move(line));
}

}  // namespace gateway::simulation
