// Measures each step of a request alone: the mean of thousands of runs, with its deviation. `tools/bench steps` runs
// it. The first five steps are in memory. The others commit a create's two units of work to a real, durable database:
// SQLite in a folder beside this program, and the database of GATEWAY_BENCH_STORE (a mysql:// URL) if that is set.
#define CATCH_CONFIG_MAIN
#define CATCH_CONFIG_ENABLE_BENCHMARKING
#include <catch2/catch.hpp>

#include <cstdlib>
#include <deque>
#include <filesystem>
#include <span>

#include "../store_bench/workload.hpp"
#include "gateway/base/crypto.hpp"
#include "gateway/domain/payment_machine.hpp"
#include "http/access/authentication.hpp"
#include "http/codec/decode.hpp"
#include "http/codec/encode_payment.hpp"
#include "persistence/connection/store_location.hpp"
#include "persistence/store.hpp"
#include "persistence/units/unit_batch.hpp"
#include "tests/persistence/samples.hpp"

using namespace gateway;
namespace samples = gateway::persistence::test;

namespace {

const std::string body =
    R"({"payment_id":"pay_1001","amount":4200,"currency":"HKD","payment_method":"pm_card_visa","description":"Two books",)"
    R"("metadata":{"order":"1001"}})";

/// A request as the HTTP server passes it on, and the key that signs it.
struct signed_request {
  const time_point now = *parse_seconds("2026-11-20T09:30:00Z");
  const std::string secret = "sk_test_0123456789abcdef0123456789abcdef";
  directory keys;
  std::string signature;
  http::request request;

  signed_request() {
    api_key key{
        key_id{"mk_test_1"}, merchant_id{"merch_1"}, environment::test, *parse_scopes("payments:write"), secret, false};
    keys.publish(std::make_shared<const api_key>(std::move(key)));
    request.method = "POST";
    request.path = "/v1/payment_intents";
    request.body = body;
    request.key_id = "mk_test_1";
    request.timestamp = "2026-11-20T09:30:00Z";
    const auto hash = crypto::hex(crypto::sha256(body));
    signature = crypto::hex(
        crypto::hmac_sha256(secret, http::canonical_request(request.method, request.path, *request.timestamp, hash)));
    request.signature = signature;
  }
};

payment authorized() {
  auto p = samples::a_payment("1");
  p.state = payment_state::authorized;
  p.status = provider_status::approved;
  p.provider_ref = "ch_1";
  return p;
}

/// A store with its tables, and one connection to it.
class opened_store {
 public:
  explicit opened_store(const std::string& where) : folder_{"request_path.XXXXXX"} {
    if (::mkdtemp(folder_.data()) == nullptr) throw std::runtime_error("cannot make a folder here");
    settings s;
    s.store = where;
    s.data_dir = folder_;
    { const persistence::prepared_store closed_at_once{s}; }
    link_ = persistence::connect(persistence::locate_store(s), persistence::access::write);
  }
  ~opened_store() {
    link_.reset();
    std::filesystem::remove_all(folder_);
  }
  opened_store(const opened_store&) = delete;
  opened_store& operator=(const opened_store&) = delete;

  using units = std::vector<unit_of_work>;
  struct creates {
    units begins, finishes;
  };

  /// The units of the next creates, not yet committed.
  creates make(int count) {
    creates made;
    for (int i = 0; i < count; ++i) {
      made.begins.push_back(work_.begin(next_));
      made.finishes.push_back(work_.finish(next_++));
    }
    return made;
  }

  /// Commits the units in one transaction.
  void commit(std::span<const unit_of_work> together) {
    for (const auto outcome : persistence::commit_units(*link_, together))
      if (outcome != commit_outcome::committed) throw std::runtime_error("a unit was not committed");
  }

 private:
  std::string folder_;
  std::unique_ptr<persistence::db_connection> link_;
  const store_bench::workload work_{system_wall_clock{}.now()};
  int next_ = 0;
};

void measure_units(const std::string& where) {
  opened_store store{where};
  const auto each_alone = [&store](const opened_store::units& all, Catch::Benchmark::Chronometer& meter) {
    meter.measure([&](int i) { store.commit({&all[static_cast<std::size_t>(i)], 1}); });
  };
  BENCHMARK_ADVANCED("a create's begin, alone in its transaction")(Catch::Benchmark::Chronometer meter) {
    each_alone(store.make(meter.runs()).begins, meter);
  };
  BENCHMARK_ADVANCED("a create's finish, alone in its transaction")(Catch::Benchmark::Chronometer meter) {
    const auto begun = store.make(meter.runs());
    store.commit(begun.begins);
    each_alone(begun.finishes, meter);
  };
  BENCHMARK_ADVANCED("64 begins in one transaction, 64 finishes in the next")(Catch::Benchmark::Chronometer meter) {
    std::deque<opened_store::creates> all;
    for (int i = 0; i < meter.runs(); ++i) all.push_back(store.make(64));
    meter.measure([&](int i) {
      const auto& [begins, finishes] = all[static_cast<std::size_t>(i)];
      store.commit(begins);
      store.commit(finishes);
    });
  };
}

}  // namespace

TEST_CASE("steps in memory") {
  const signed_request signed_by_merchant;
  const http::decode_context context{environment::test, 32};
  const auto encoder = http::make_payment_encoder("https://pay.example");
  const auto subject = authorized();
  const auto command = samples::command_key_of("11111111-2222-4333-8444-555555555555");
  const machine_timing timing;
  outcome result;
  result.after = subject;
  result.status = provider_status::approved;

  std::string body_hash;
  REQUIRE(std::holds_alternative<http::caller>(
      http::authenticate(signed_by_merchant.request, signed_by_merchant.keys, signed_by_merchant.now, body_hash)));
  REQUIRE(std::holds_alternative<claim>(decide(subject, capture_payment{}, command, samples::at(1), timing)));

  BENCHMARK("signature check") {
    body_hash.clear();
    return http::authenticate(signed_by_merchant.request, signed_by_merchant.keys, signed_by_merchant.now, body_hash);
  };
  BENCHMARK("decode a create") { return http::decode_create(body, context); };
  BENCHMARK("decide a capture") { return decide(subject, capture_payment{}, command, samples::at(1), timing); };
  BENCHMARK("encode a result") { return encoder->encode(result); };
  BENCHMARK("encode a payment") { return http::encode_payment(subject, true); };
}

TEST_CASE("units of work, SQLite") { measure_units("sqlite"); }

TEST_CASE("units of work, MariaDB") {
  const char* where = std::getenv("GATEWAY_BENCH_STORE");
  if (where != nullptr)
    measure_units(where);
  else
    WARN("not measured: GATEWAY_BENCH_STORE is not set");
}
