// The gateway is killed while it purges old idempotency keys. Unfinished and recent keys must stay, wherever the purge
// was interrupted.
#include <catch2/catch.hpp>

#include "crash_fixture.hpp"

using namespace gateway::e2e;
using namespace std::chrono_literals;

namespace {

constexpr int most_old = 40'000;  ///< more than a purge deletes between two kills
constexpr int unfinished = 7;

/// Rows of another merchant's keys that are two hours old, inserted directly into the store.
class old_keys {
 public:
  explicit old_keys(const gateway_process& gateway) : gateway_{gateway} {}

  void add_finished(int count) { add(count, "'{}'", now_ms(), "200"); }
  void add_unfinished(int count) { add(count, "NULL", "NULL", "NULL"); }
  int finished() const { return count("status IS NOT NULL"); }
  int unfinished() const { return count("status IS NULL"); }

 private:
  static std::string now_ms() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
  }

  void add(int count, const std::string& body, const std::string& finished_at, const std::string& status) {
    const auto last = std::to_string(count);
    // Two columns of a thousand, because databases limit the depth of a recursion.
    const auto number = std::string{"low.n + 1000 * high.n"};
    const auto rows = "(WITH RECURSIVE s(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM s WHERE n < 999) SELECT " +
                      number + " AS seq FROM s AS low, s AS high WHERE high.n <= " + last + " / 1000 AND " + number +
                      " < " + last + ") AS numbered";
    const auto prefix = "'old-" + std::to_string(++batches_) + "-'";
    const auto key = gateway_.store() == store_kind::sqlite ? prefix + " || seq" : "CONCAT(" + prefix + ", seq)";
    gateway_.sql(
        "INSERT INTO commands (merchant_id, environment, principal, idempotency_key, fingerprint, operation, "
        "subject_kind, subject_id, amount, reason, created_at, body, finished_at, status) SELECT 'merch_old', 'test', "
        "'merch_old', " +
        key + ", 'f', 'capture', 'payment', 'pay_old', 0, '', " + now_ms() + " - 7200000, " + body + ", " +
        finished_at + ", " + status + " FROM " + rows + ";");
  }

  int count(const std::string& which) const {
    return std::stoi(gateway_.sql("SELECT COUNT(*) FROM commands WHERE merchant_id = 'merch_old' AND " + which + ";"));
  }

  const gateway_process& gateway_;
  int batches_ = 0;
};

}  // namespace

TEST_CASE("kill -9 during a purge loses no unfinished or recent key, and the next start continues the purge") {
  crash_fixture fixture{{.store = GENERATE(from_range(stores())),
                         .gateway_arguments = {"--idempotency-kept=1h"},
                         .provider_timeout = "30s"}};
  auto& gateway = *fixture.gateway;
  const auto body = server_payment(new_payment_id());
  const call young{new_uuid(), {}};
  const auto reported = api{gateway, fixture.bystander.test}.create(body, young);
  REQUIRE(summary_of(reported) == "200 authorized");

  old_keys old{gateway};
  gateway.kill();
  old.add_unfinished(unfinished);
  old.add_finished(most_old);
  gateway.start();
  fixture.start_clients();
  for (int round = 0; round < fixture.settings.rounds; ++round) {
    const auto before = old.finished();
    REQUIRE(eventually([&] { return old.finished() < before; }));
    fixture.work();
    gateway.kill();
    const auto left = old.finished();
    CHECK(left > 0);  // the purge had not finished
    CHECK(old.unfinished() == unfinished);
    old.add_finished(most_old - left);
    gateway.start();
  }
  fixture.finish();
  const auto left = old.finished();
  CHECK((left == 0 || eventually([&] { return old.finished() < left; })));
  CHECK(old.unfinished() == unfinished);
  const auto again = api{gateway, fixture.bystander.test}.create(body, young);
  CHECK(again.replayed());
  CHECK(again.body == reported.body);
  fixture.holds("kill -9 of the gateway while it purges");
}
