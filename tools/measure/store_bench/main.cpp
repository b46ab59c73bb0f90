// Measures group commit through the store's actors, with a fixed number of creates in flight. A create is two units:
// its begin (key and payment) and its finish (payment, result, attempt). With --old-keys, idempotency keys that are too
// old are purged meanwhile.
#include <CLI/CLI.hpp>
#include <caf/actor_system.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <stdexcept>
#include <vector>

#include "persistence/store.hpp"
#include "workload.hpp"

namespace {

using namespace gateway;
using store_bench::workload;
using clock_type = std::chrono::steady_clock;

struct options {
  settings store;
  int payments = 50'000;
  int in_flight = 256;
  int old_keys = 0;
};

struct tally {
  int next = 0;
  int finished = 0;
  int failed = 0;
  std::vector<double> latencies_ms;
};

/// Keeps `in_flight` creates in flight; each commits its begin and then its finish.
caf::behavior load(caf::event_based_actor* self, const store_handles* handles, const workload* work, const options* how,
                   tally* counted, caf::actor done) {
  const auto commit = [=](unit_of_work unit, auto then) {
    const auto& writer = handles->writer_for(unit.subject);
    const auto sent = clock_type::now();
    self->request(writer, caf::infinite, std::move(unit)).then([=](commit_outcome outcome) {
      counted->latencies_ms.push_back(std::chrono::duration<double, std::milli>(clock_type::now() - sent).count());
      if (outcome != commit_outcome::committed) ++counted->failed;
      then();
    });
  };
  struct driver {
    decltype(commit) send;
    void start_one(caf::event_based_actor* owner, const workload* w, const options* o, tally* t,
                   const caf::actor& end) const {
      if (t->next == o->payments) return;
      const int i = t->next++;
      send(w->begin(i), [*this, owner, w, o, t, end, i] {
        send(w->finish(i), [*this, owner, w, o, t, end] {
          if (++t->finished == o->payments) return owner->send(end, caf::ok_atom{});
          start_one(owner, w, o, t, end);
        });
      });
    }
  };
  const driver drive{commit};
  return {[=](caf::ok_atom) {
    for (int i = 0; i < how->in_flight; ++i) drive.start_one(self, work, how, counted, done);
  }};
}

/// Adds idempotency keys of that time. They are spread over the whole range, as clients' keys are.
void add_old_keys(caf::scoped_actor& self, const store_writer& writer, int count, time_point created_at) {
  const workload work{created_at};
  for (int i = 0; i < count;) {
    std::vector<decltype(self->request(writer, caf::infinite, work.old_key(0)))> asked;
    for (; i < count && asked.size() < 5'000; ++i)
      asked.push_back(self->request(writer, caf::infinite, work.old_key(i)));
    for (auto& each : asked)
      each.receive(
          [](commit_outcome outcome) {
            if (outcome != commit_outcome::committed) throw std::runtime_error("an old key is not stored");
          },
          [](const caf::error&) { throw std::runtime_error("the store does not answer"); });
  }
}

/// Purges until nothing old is left, as the reconciler does.
caf::behavior purge(caf::event_based_actor* self, store_writer by, time_point before) {
  return {[=](caf::ok_atom) {
    self->request(by, caf::infinite, purge_commands{before, 5'000}).then([=](const purge_result& made) {
      if (made.deleted == 5'000) self->send(self, caf::ok_atom{});
    });
  }};
}

void print_purge(const metrics& counts, double purged, double seconds) {
  const auto steps = counts.purge_step_seconds.Collect().histogram;
  const auto count = static_cast<double>(std::max<std::uint64_t>(1, steps.sample_count));
  std::printf("       %.0f old keys/s purged, %.0f in all, in steps of %.0f keys and %.2f ms\n", purged / seconds,
              purged, purged / count, 1e3 * steps.sample_sum / count);
}

void measure(const options& how) {
  metrics counts;
  caf::actor_system_config config;
  config.add_message_types<caf::id_block::gateway>();
  config.set("scheduler.policy", caf::atom("sharing")).set("scheduler.max-threads", 1u);
  caf::actor_system system{config};
  const auto handles = persistence::open_store(system, persistence::prepared_store{how.store}, how.store, counts);
  const auto now = system_wall_clock{}.now();
  const workload work{now};
  tally counted;
  {
    caf::scoped_actor self{system};
    add_old_keys(self, handles.writers.front(), how.old_keys, now - std::chrono::hours{48});
    const auto purger = system.spawn(purge, handles.recorder, now - std::chrono::hours{24});
    self->send(purger, caf::ok_atom{});
    const auto commits = counts.commits.Value(), purged = counts.purged_keys.Value();
    const auto started = clock_type::now();
    const auto loader = system.spawn(load, &handles, &work, &how, &counted, caf::actor{self});
    self->send(loader, caf::ok_atom{});
    self->receive([](caf::ok_atom) {});
    const auto seconds = std::chrono::duration<double>(clock_type::now() - started).count();
    auto& all = counted.latencies_ms;
    std::ranges::sort(all);
    const auto quantile = [&](double q) {
      return all[static_cast<std::size_t>(q * static_cast<double>(all.size() - 1))];
    };
    std::printf(
        "%-6s %d writer(s), %d in flight: %.0f units/s, %.1f units per commit, p50 %.2f ms, p99 %.2f ms, %d failed\n",
        how.store.store == "sqlite" ? "sqlite" : "mysql", static_cast<int>(handles.writers.size()), how.in_flight,
        static_cast<double>(all.size()) / seconds, static_cast<double>(all.size()) / (counts.commits.Value() - commits),
        quantile(0.5), quantile(0.99), counted.failed);
    if (how.old_keys > 0) print_purge(counts, counts.purged_keys.Value() - purged, seconds);
    caf::anon_send_exit(purger, caf::exit_reason::kill);
    caf::anon_send_exit(loader, caf::exit_reason::user_shutdown);
  }
  for (const auto& writer : handles.writers) caf::anon_send_exit(writer, caf::exit_reason::user_shutdown);
  for (const auto& reader : handles.readers) caf::anon_send_exit(reader, caf::exit_reason::user_shutdown);
  caf::anon_send_exit(handles.recorder, caf::exit_reason::user_shutdown);
  for (const auto& reader : {handles.outbox, handles.archive, handles.entries})
    caf::anon_send_exit(reader, caf::exit_reason::user_shutdown);
}

}  // namespace

int main(int argc, char** argv) {
  options how;
  CLI::App app{"Units of work a second through the store's actors"};
  app.add_option("--store", how.store.store, "sqlite, or a mysql:// URL (tools/mariadb start DIR prints one)");
  app.add_option("--data-dir", how.store.data_dir, "folder of the embedded store")->capture_default_str();
  app.add_option("--writers", how.store.store_writers, "connections")->capture_default_str();
  app.add_option("--payments", how.payments, "creates in all")->capture_default_str();
  app.add_option("--in-flight", how.in_flight, "creates at a time")->capture_default_str();
  app.add_option("--old-keys", how.old_keys, "too old idempotency keys to be purged meanwhile")->capture_default_str();
  app.add_option("--batch-units", how.store.batch_units, "most units in one transaction")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    measure(how);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "store_bench: %s\n", error.what());
    return 1;
  }
  return 0;
}
