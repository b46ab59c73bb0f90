// Measures grants through their actors and the store, with a fixed number of requests in flight: one merchant after the
// other consents to a platform, then the platform exchanges every code, then it revokes every grant. Every answer is
// checked, and that its result is published; errors are counted and make the exit status 1.
//
// The grants are in the test environment, where an exchange asks the directory first. The directory here always answers
// that the merchant can be charged, as the real one does from memory; everything else is as in gatewayd. Ids are new in
// each run, so that it can be repeated on one store.
#include <CLI/CLI.hpp>
#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <variant>

#include "actors/entity/router.hpp"
#include "actors/grant/grant_actor.hpp"
#include "actors/process/clock_watch.hpp"
#include "actors/process/staged_stop.hpp"
#include "gateway/base/crypto.hpp"
#include "persistence/store.hpp"

#ifdef GATEWAY_MIMALLOC
#include <mimalloc.h>
#endif

namespace {

using namespace gateway;
using clock_type = std::chrono::steady_clock;

constexpr environment where = environment::test;
constexpr auto callback = "https://platform.example/callback";
constexpr double target_grants = 10'000;
constexpr double target_seconds = 60;

struct options {
  settings store;
  int grants = 10'000;
  int in_flight = 64;
};

// ---- requests -----------------------------------------------------------------------------------

/// The requests about grant number i. Ids are as long as real ones.
class workload {
 public:
  platform asking() const {
    platform p;
    p.id = platform_;
    p.slug = "bench-" + run_;
    p.name = "Bench";
    p.redirect_uris = {callback};
    return p;
  }
  merchant merchant_of(int i) const {
    merchant m;
    m.id = merchant_id{numbered("merch_", i)};
    m.entity = entity_id{numbered("ent_", i)};
    m.name = "Shop " + std::to_string(i);
    return m;
  }
  platform_and_merchant pair_of(int i) const { return {platform_, merchant_id{numbered("merch_", i)}}; }
  grant_id grant_of(int i) const { return grant_id{numbered("grant_", i)}; }

  entity_request consent(int i) const {
    return {binding_of(i), std::nullopt,
            grant_command{give_consent{
                grant_of(i),
                {static_cast<std::uint32_t>(scope::payments_write) | static_cast<std::uint32_t>(scope::payments_read)},
                user_id{numbered("user_", i)},
                true,
                code_hash(i),
                callback}}};
  }
  entity_request exchange(int i) const {
    return {binding_of(i), key_of("exchange", i), grant_command{exchange_code{platform_, code_hash(i), callback}}};
  }
  entity_request revoke(int i) const {
    return {binding_of(i), key_of("revoke", i),
            grant_command{revoke_request{{grant_of(i), "integrator_requested"}, false}}};
  }

 private:
  /// The prefix, eight digits of the run, and twelve of the number.
  std::string numbered(std::string_view prefix, int i) const {
    char digits[16];
    std::snprintf(digits, sizeof digits, "%012x", static_cast<unsigned>(i));
    return std::string{prefix} + run_ + digits;
  }
  entity_key binding_of(int i) const { return binding_key(merchant_id{numbered("merch_", i)}, where, platform_); }
  std::string code_hash(int i) const { return crypto::hex(crypto::sha256(numbered("code ", i))); }

  /// The idempotency keys of a platform's own requests, which belong to no merchant. They are UUIDs, spread over the
  /// whole range.
  idempotency key_of(std::string_view what, int i) const {
    const auto digest = crypto::hex(crypto::sha256(numbered(what, i)));
    auto uuid = digest.substr(0, 8) + '-' + digest.substr(8, 4) + "-4" + digest.substr(12, 3) + "-8" +
                digest.substr(15, 3) + '-' + digest.substr(18, 12);
    return {{merchant_id{}, environment::live, platform_.value, std::move(uuid)}, std::string(64, 'f')};
  }

  std::string run_ = crypto::random_hex(4);
  platform_id platform_{numbered("plat_", 0)};
};

// ---- the measured service -----------------------------------------------------------------------

/// Writes minimal JSON, because the encoder of gatewayd takes microseconds.
class short_encoder final : public grant_encoder {
 public:
  answer exchanged(const grant_binding& subject, const entity_id& entity) const override {
    return {200, R"({"merchant_id":")" + subject.key.merchant.value + R"(","entity_id":")" + entity.value +
                     R"(","grant_id":")" + subject.newest.value().id.value + R"("})"};
  }
  answer revoked() const override { return {204, {}}; }
};

directory_actor::behavior_type charging_directory(directory_actor::pointer) {
  return {[](const operator_command& command) -> caf::result<operator_result> {
            const auto* wanted = std::get_if<make_chargeable>(&command);
            if (!wanted) return caf::make_error(caf::sec::unexpected_message);
            return operator_result{named_result{wanted->merchant.value, "chargeable"}};
          },
          [](const noted_command&) -> caf::result<operator_result> {
            return caf::make_error(caf::sec::unexpected_message);
          },
          [](const look_up&) { return false; },
          [](load_atom) { return true; },
          [](join_atom, const dispatcher_actor&) {},
          [](const catch_up&) {}};
}

/// The configuration of gatewayd.
struct actor_config : caf::actor_system_config {
  actor_config() {
    add_message_types<caf::id_block::gateway>();
    const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
    set("scheduler.policy", caf::atom("sharing"));
    set("scheduler.max-threads", std::max<std::size_t>(1, cores / 2));
    set("scheduler.max-throughput", std::size_t{64});
  }
};

/// The parts of a gateway that serve grants.
class grant_service {
 public:
  explicit grant_service(const settings& config) : config_{config} {
    persistence::prepared_store prepared{config_};
    store_ = persistence::open_store(system_, std::move(prepared), config_, meters_);
    operators_ = system_.spawn(charging_directory);
    auto context = std::make_shared<const actors::grant_context>(actors::grant_context{
        {store_, published_, clock_, watch_, config_, meters_, {}, numbers_, {}, membership::alone(), operators_},
        published_,
        encoder_});
    router_ = actors::spawn_router(system_, context, {nullptr, actors::grant_spawner(context), nullptr});
  }
  /// Ends users before the actors that they use. The actor system waits for its actors; if one is stuck, the process
  /// ends without waiting for it.
  ~grant_service() {
    actors::staged_stop stop{system_, std::chrono::seconds{12}, std::chrono::seconds{2}};
    const auto end = [&](std::string_view name, const auto& actor) {
      stop.end(name, caf::actor_cast<caf::strong_actor_ptr>(actor));
    };
    end("the router", router_);
    end("the directory", operators_);
    for (const auto& writer : store_.writers) end("a store writer", writer);
    end("the recorder", store_.recorder);
    for (const auto& reader : store_.readers) end("a store reader", reader);
    end("the outbox", store_.outbox);
    end("the archive", store_.archive);
    end("the directory's reader", store_.entries);
    if (stop.all_have_ended()) return;
    std::fprintf(stderr, "grant_bench: an actor does not end\n");
    std::_Exit(1);
  }
  grant_service(const grant_service&) = delete;
  grant_service& operator=(const grant_service&) = delete;

  caf::actor_system& system() { return system_; }
  directory& published() { return published_; }
  const router_actor& router() const { return router_; }
  int live_actors() const { return static_cast<int>(meters_.live_payments.Value()); }

 private:
  settings config_;
  system_wall_clock clock_;
  short_encoder encoder_;
  metrics meters_;
  actors::clock_watch watch_{clock_, std::nullopt, config_, meters_};
  directory published_;
  delivery_numbers numbers_{std::random_device{}()};
  actor_config caf_config_;
  caf::actor_system system_{caf_config_};
  // No handle may outlive the actor system of its actor.
  store_handles store_;
  directory_actor operators_;
  router_actor router_;
};

// ---- phases -------------------------------------------------------------------------------------

/// The request that is sent for every grant, and the check of its answer.
struct phase {
  std::function<entity_request(int)> request;
  std::function<bool(int, const entity_reply&)> is_right;
};

struct tally {
  int sent = 0;
  int answered = 0;
  int wrong = 0;
  std::string first_wrong;
  double seconds = 0;
};

/// For diagnosing a wrong answer.
std::string told(const entity_reply& reply) {
  if (const auto* why = std::get_if<problem>(&reply.what)) return "problem " + std::to_string(static_cast<int>(*why));
  if (const auto* stored = std::get_if<finished>(&reply.what))
    return "status " + std::to_string(stored->result->status) + (stored->replayed ? ", replayed" : "");
  return "another row, or it is not published";
}

/// Sends the next request whenever one is answered.
struct sender {
  caf::event_based_actor* self;
  router_actor router;
  const phase* what;
  int grants;
  tally* counted;
  caf::actor done;

  void send_one() const {
    if (counted->sent == grants) return;
    const int i = counted->sent++;
    self->request(router, caf::infinite, what->request(i))
        .then(
            [from = *this, i](const entity_reply& reply) {
              from.count(from.what->is_right(i, reply) ? std::string{} : told(reply));
            },
            [from = *this](const caf::error& failure) { from.count(from.self->system().render(failure)); });
  }
  /// `fault`: empty if the answer is right.
  void count(const std::string& fault) const {
    if (!fault.empty() && counted->wrong++ == 0) counted->first_wrong = fault;
    if (++counted->answered == grants) return self->send(done, caf::ok_atom{});
    send_one();
  }
};

caf::behavior load(caf::event_based_actor* self, const router_actor& router, const phase* what, const options* how,
                   tally* counted, const caf::actor& done) {
  const sender from{self, router, what, how->grants, counted, done};
  return {[from, how](caf::ok_atom) {
    for (int i = 0; i < how->in_flight; ++i) from.send_one();
  }};
}

tally run(grant_service& service, const phase& what, const options& how) {
  tally counted;
  caf::scoped_actor self{service.system()};
  const auto loader = service.system().spawn(load, service.router(), &what, &how, &counted, caf::actor{self});
  const auto started = clock_type::now();
  self->send(loader, caf::ok_atom{});
  self->receive([](caf::ok_atom) {});
  counted.seconds = std::chrono::duration<double>(clock_type::now() - started).count();
  self->send_exit(loader, caf::exit_reason::user_shutdown);
  self->wait_for(loader);
  return counted;
}

bool is_status(const entity_reply& reply, int wanted) {
  const auto* stored = std::get_if<finished>(&reply.what);
  return stored && stored->result->status == wanted && !stored->replayed;
}

bool is_active_grant(const entity_reply& reply, const grant_id& wanted) {
  const auto* row = std::get_if<entity_row>(&reply.what);
  const auto* binding = row ? std::get_if<binding_ptr>(row) : nullptr;
  return binding && *binding && state_of((*binding)->newest) == grant_state::active && (*binding)->newest->id == wanted;
}

// ---- results ------------------------------------------------------------------------------------

/// Resident memory of this process.
double resident_bytes() {
  std::ifstream status{"/proc/self/status"};
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmRSS:")) return std::stod(line.substr(6)) * 1024;
  throw std::runtime_error{"/proc/self/status has no VmRSS"};
}

/// Thousands apart.
std::string grouped(double value) {
  auto digits = std::to_string(std::llround(value));
  for (auto at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3) digits.insert(static_cast<std::size_t>(at), ",");
  return digits;
}

void print(const char* name, const tally& counted, const std::string& target = {}) {
  std::printf("%s %-10s %6.2f s, %6s/s%s%s\n", grouped(counted.answered).c_str(), name, counted.seconds,
              grouped(counted.answered / counted.seconds).c_str(), target.empty() ? "" : " ", target.c_str());
  if (counted.wrong > 0)
    std::printf("  %s WRONG, the first: %s\n", grouped(counted.wrong).c_str(), counted.first_wrong.c_str());
}

std::string target_of(const tally& counted) {
  const bool met = counted.wrong == 0 && target_grants * counted.seconds <= target_seconds * counted.answered;
  return "(target: " + grouped(target_grants) + " within " + grouped(target_seconds) +
         " s: " + (met ? "met)" : "MISSED)");
}

/// Returns how many answers were wrong.
int measure(const options& how) {
  grant_service service{how.store};
  auto& published = service.published();
  const workload work;
  published.publish(std::make_shared<const platform>(work.asking()));
  for (int i = 0; i < how.grants; ++i) published.publish(std::make_shared<const merchant>(work.merchant_of(i)));
  // The published state at the moment of the answer, by which the platform's requests are judged.
  const auto stands = [&](int i, grant_state wanted) {
    return published.find_grants(work.pair_of(i)).in(where).state == wanted;
  };
  const phase consents{[&](int i) { return work.consent(i); },
                       [&](int i, const entity_reply& reply) {
                         return is_active_grant(reply, work.grant_of(i)) && stands(i, grant_state::active);
                       }};
  const phase exchanges{[&](int i) { return work.exchange(i); },
                        [](int, const entity_reply& reply) { return is_status(reply, 200); }};
  const phase revokes{
      [&](int i) { return work.revoke(i); },
      [&](int i, const entity_reply& reply) { return is_status(reply, 204) && stands(i, grant_state::revoked); }};

  std::printf("%s, %d writer(s), %d in flight\n", how.store.store == "sqlite" ? "sqlite" : "mysql",
              static_cast<int>(how.store.store_writers), how.in_flight);
  const auto before = resident_bytes();
  const auto consented = run(service, consents, how);
  const auto grown = resident_bytes() - before;
  print("consents:", consented, target_of(consented));
  std::printf("  resident memory: %s B a grant, %s grants' actors are alive\n", grouped(grown / how.grants).c_str(),
              grouped(service.live_actors()).c_str());
  const auto exchanged = run(service, exchanges, how);
  print("exchanges:", exchanged);
  const auto revoked = run(service, revokes, how);
  print("revokes:", revoked);
  return consented.wrong + exchanged.wrong + revoked.wrong;
}

}  // namespace

int main(int argc, char** argv) {
#ifdef GATEWAY_MIMALLOC
  mi_version();  // without a reference the linker would drop the allocator
#endif
  options how;
  CLI::App app{"Consents, exchanges and revokes a second through the grants' actors and the store"};
  app.add_option("--store", how.store.store, "sqlite, or a mysql:// URL (tools/mariadb start DIR prints one)");
  app.add_option("--data-dir", how.store.data_dir, "folder of the embedded store")->capture_default_str();
  app.add_option("--grants", how.grants, "merchants, of a grant each")
      ->capture_default_str()
      ->check(CLI::Range(1, 10'000'000));
  app.add_option("--in-flight", how.in_flight, "requests at a time")
      ->capture_default_str()
      ->check(CLI::Range(1, 10'000'000));
  CLI11_PARSE(app, argc, argv);
  try {
    return measure(how) == 0 ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "grant_bench: %s\n", error.what());
    return 1;
  }
}
