// Backups, and what a gateway does when an older database was put in the place of its own.
#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "load.hpp"
#include "merchant.hpp"
#include "paths.hpp"

using namespace gateway::e2e;

namespace {

namespace fs = std::filesystem;

using words = std::vector<std::string>;

/// Replaces the database of the gateway, which has ended, with the backup's.
void restore(const gateway_process& gateway, const fs::path& backup) {
  for (const auto* more : {"-wal", "-shm"}) fs::remove(gateway.sqlite_file().string() + more);
  fs::copy_file(backup / "gateway.sqlite", gateway.sqlite_file(), fs::copy_options::overwrite_existing);
}

void flip_byte(const fs::path& file, std::streamoff at) {
  std::fstream bytes{file, std::ios::in | std::ios::out | std::ios::binary};
  bytes.seekg(at);
  const auto was = static_cast<char>(bytes.get());
  bytes.seekp(at);
  bytes.put(static_cast<char>(was ^ 1));
}

bool says(const gateway_process& gateway, const std::string& event) {
  return eventually([&] { return gateway.log().find('"' + event + '"') != std::string::npos; });
}

std::vector<std::string> actions(const gateway_process& gateway) {
  std::vector<std::string> all;
  const auto listed = gateway.ctl({"audit", "list"});
  for (const auto& entry : listed["entries"].items()) all.push_back(entry["action"].text());
  return all;
}

bool has(const std::vector<std::string>& all, const std::string& one) {
  return std::ranges::find(all, one) != all.end();
}

std::size_t effects_of(const gateway_process& gateway, const std::string& payment) {
  const auto all = read_ledger(gateway.ledger_file());
  return static_cast<std::size_t>(std::ranges::count_if(
      all, [&](const ledger_entry& each) { return each.payment_id == payment && each.status == "approved"; }));
}

/// A gateway with an old database logs that, answers probes and reads, and takes no writes.
void takes_no_writes(const gateway_process& gateway, api& merchant, const std::string& payment) {
  CHECK(says(gateway, "database_is_old"));
  CHECK(gateway.status_of("/healthz") == 200);
  CHECK(gateway.status_of("/readyz") == 200);
  CHECK(merchant.view(payment).status == 200);
  CHECK(merchant.timeline(payment).status == 200);
  CHECK(merchant.get("/v1/payment_intents").status == 200);
  CHECK(summary_of(merchant.create(server_payment(new_payment_id()))) == "503 recovery_required");
  CHECK(summary_of(merchant.capture(payment)) == "503 recovery_required");
  CHECK(summary_of(merchant.void_payment(payment)) == "503 recovery_required");
}

}  // namespace

TEST_CASE("a backup made under load verifies, beside the gateway and without it, until a byte is changed") {
  gateway_process gateway{{.store = store_kind::sqlite}};
  const auto account = new_merchant(gateway);
  load traffic{gateway, account, 3, 11};
  REQUIRE(eventually([&] { return traffic.answered() > 30; }));
  const auto folder = gateway.folder() / "backup";
  const auto made = gateway.ctl({"backup", folder.string()});
  CHECK(made["directory"] == folder.string());
  CHECK(made["manifest_sha256"].text().size() == 64);
  const auto answered = traffic.answered();
  REQUIRE(eventually([&] { return traffic.answered() > answered + 10; }));
  CHECK(gateway.run_ctl({"backup-verify", folder.string()}).code == 0);
  traffic.stop();
  CHECK(has(actions(gateway), "make backup"));
  const auto count_of_backups = [&] { return std::ranges::count(actions(gateway), std::string{"make backup"}); };
  CHECK(count_of_backups() == 1);
  CHECK(gateway.run_ctl({"backup", folder.string()}).code == 1);
  CHECK(count_of_backups() == 1);
  CHECK_FALSE(fs::exists(folder / "master.key"));

  REQUIRE(gateway.terminate() == exit_result{0, 0});
  const auto verified = gateway.ctl({"backup-verify", folder.string()});
  CHECK(verified["ok"] == true);
  CHECK(verified["manifest_sha256"] == made["manifest_sha256"].text());
  for (const auto* name : {"gateway.sqlite", "manifest.json", "SHA256SUMS"}) {
    CAPTURE(name);
    flip_byte(folder / name, 40);
    const auto result = gateway.run_ctl({"backup-verify", folder.string()});
    CHECK(result.code == 1);
    CHECK(result.out.find(name) != std::string::npos);
    flip_byte(folder / name, 40);
  }
  CHECK(gateway.run_ctl({"backup-verify", folder.string()}).code == 0);
}

TEST_CASE("the store of a server is backed up by the server's own tool, and the command says which") {
  const auto all = stores();
  if (std::ranges::find(all, store_kind::mysql) == all.end()) return;
  const gateway_process gateway{{.store = store_kind::mysql}};
  const auto folder = gateway.folder() / "backup";
  const auto result = gateway.run_ctl({"backup", folder.string()});
  CHECK(result.code == 1);
  CHECK(result.err.find("mariadb-backup --backup") != std::string::npos);
  CHECK(result.err.find(folder.string()) != std::string::npos);
  CHECK_FALSE(fs::exists(folder));
}

TEST_CASE("an older database takes no writes until it is recovered, which finds the payments made since") {
  gateway_process gateway{{.store = store_kind::sqlite}};
  const auto account = new_merchant(gateway);
  const auto folder = gateway.folder() / "backup";
  const auto kept = new_payment_id(), lost = new_payment_id();
  const call retried;
  {
    api merchant{gateway, account.test};
    REQUIRE(summary_of(merchant.create(server_payment(kept))) == "200 authorized");
    const auto made = gateway.ctl({"backup", folder.string()});
    REQUIRE(summary_of(merchant.create(server_payment(lost), retried)) == "200 authorized");
  }
  const auto from = gateway.ctl({"backup-verify", folder.string()})["made_at"].text();
  REQUIRE(gateway.terminate() == exit_result{0, 0});
  restore(gateway, folder);
  gateway.start();
  {
    api merchant{gateway, account.test};
    takes_no_writes(gateway, merchant, kept);
    CHECK(merchant.view(lost).status == 404);
  }
  gateway.kill();
  gateway.start();
  api merchant{gateway, account.test};
  takes_no_writes(gateway, merchant, kept);

  const auto recovered = gateway.ctl({"recover", "--from", from});
  CHECK(recovered["recovered"] == true);
  CHECK(recovered["required"] == true);
  REQUIRE(recovered["unknown"].size() == 1);
  CHECK(recovered["unknown"].items()[0]["about"] == "payment " + account.id + "/test/" + lost);
  CHECK(summary_of(merchant.create(server_payment(new_payment_id()))) == "200 authorized");
  CHECK(summary_of(merchant.capture(kept)) == "200 captured");
  // The merchant's own repetition brings the payment back, and the provider does not charge again.
  CHECK(summary_of(merchant.create(server_payment(lost), retried)) == "200 authorized");
  CHECK(effects_of(gateway, lost) == 1);
  const auto logged = actions(gateway);
  for (const auto* action : {"begin backup", "begin recovery", "accept database"}) CHECK(has(logged, action));
  CHECK(gateway.run_ctl({"audit", "verify"}).code == 0);

  const auto again = gateway.ctl({"recover", "--from", from});
  CHECK(again["recovered"] == true);
  CHECK(again["required"] == false);
  CHECK(again["unknown"].size() == 0);
  REQUIRE(gateway.terminate() == exit_result{0, 0});
  gateway.start();
  api later{gateway, account.test};
  CHECK(summary_of(later.create(server_payment(new_payment_id()))) == "200 authorized");
}

TEST_CASE("a backup that is used as a data directory waits for a recovery, because nothing tells how old it is") {
  gateway_process gateway{{.store = store_kind::sqlite}};
  const auto account = new_merchant(gateway);
  const auto kept = new_payment_id();
  {
    api merchant{gateway, account.test};
    REQUIRE(summary_of(merchant.create(server_payment(kept))) == "200 authorized");
  }
  gateway_options options;
  options.store = store_kind::sqlite;
  options.folder = new_folder("restored");
  const auto made = gateway.ctl({"backup", (options.folder / "data").string()});
  REQUIRE(gateway.terminate() == exit_result{0, 0});
  fs::copy_file(gateway.data_dir() / "master.key", options.folder / "data" / "master.key");
  {
    const gateway_process restored{options};
    api merchant{restored, account.test};
    takes_no_writes(restored, merchant, kept);
    CHECK(restored.ctl({"recover", "--from", made["made_at"].text()})["recovered"] == true);
    CHECK(summary_of(merchant.capture(kept)) == "200 captured");
  }
  // Its commits were witnessed at the latest a second after them, so a killed gateway starts without a recovery.
  gateway_process restarted{options};
  api merchant{restarted, account.test};
  CHECK(summary_of(merchant.create(server_payment(new_payment_id()))) == "200 authorized");
  restarted.kill();
  std::error_code ignored;
  if (!keeps_data()) fs::remove_all(options.folder, ignored);
}

TEST_CASE("what was answered is witnessed at a clean stop, on each store") {
  gateway_process gateway{{.store = GENERATE(from_range(stores()))}};
  const auto account = new_merchant(gateway);
  const auto kept = new_payment_id();
  {
    api merchant{gateway, account.test};
    REQUIRE(summary_of(merchant.create(server_payment(kept))) == "200 authorized");
  }
  REQUIRE(gateway.terminate() == exit_result{0, 0});
  const auto number = "SELECT value FROM meta WHERE name = 'witness:';";
  const auto before = std::stoll(gateway.sql(number));
  CHECK(before > 0);
  gateway.start();
  {
    api merchant{gateway, account.test};
    REQUIRE(summary_of(merchant.capture(kept)) == "200 captured");
  }
  REQUIRE(gateway.terminate() == exit_result{0, 0});
  CHECK(std::stoll(gateway.sql(number)) > before);
  // As if the database of the first stop had been restored.
  gateway.sql("UPDATE meta SET value = '" + std::to_string(before) + "' WHERE name = 'witness:';");
  gateway.start();
  api merchant{gateway, account.test};
  takes_no_writes(gateway, merchant, kept);
  CHECK(gateway.ctl({"recover", "--from", "2026-01-01T00:00:00Z"})["recovered"] == true);
  CHECK(summary_of(merchant.create(server_payment(new_payment_id()))) == "200 authorized");
}
