// Tests the audit of the crash tests: it reports every change to the ledger, the rows or the records of answers.
#include <catch2/catch.hpp>

#include "audit.hpp"
#include "crash_fixture.hpp"

using namespace gateway::e2e;

namespace {

using records = std::vector<payment_record>;
using lines = std::vector<std::string>;

std::size_t line_of(const lines& all, const std::string& payment) {
  const auto at =
      std::ranges::find_if(all, [&](const auto& line) { return line.find('"' + payment + '"') != std::string::npos; });
  REQUIRE(at != all.end());
  return static_cast<std::size_t>(at - all.begin());
}

/// Replaces the first `what`; throws if it is absent.
void replace(std::string& line, const std::string& what, const std::string& by) {
  REQUIRE(line.find(what) != std::string::npos);
  line.replace(line.find(what), what.size(), by);
}

struct forgery {
  const char* what;
  void (*change)(lines& ledger, std::size_t at);
};

constexpr forgery of_the_ledger[] = {
    {"a line is missing", [](lines& all, std::size_t at) { all.erase(all.begin() + static_cast<std::ptrdiff_t>(at)); }},
    {"a line is there twice", [](lines& all, std::size_t at) { all.push_back(all[at]); }},
    {"executed again, under another key",
     [](lines& all, std::size_t at) {
       all.push_back(all[at]);
       replace(all.back(), "pk_", "pk_again_");
     }},
    {"another amount", [](lines& all, std::size_t at) { replace(all[at], "\"amount\":", "\"amount\":1"); }},
    {"another operation", [](lines& all, std::size_t at) { replace(all[at], "\"create\"", "\"capture\""); }},
    {"one key for two effects", [](lines& all, std::size_t at) { replace(all[at], "\"approved\"", "\"conflict\""); }},
};

struct denial {
  const char* what;
  void (*change)(payment_record& record);
};

constexpr denial of_the_clients[] = {
    {"the last answer never came", [](payment_record& record) { record.steps.pop_back(); }},
    {"it was about another amount", [](payment_record& record) { record.steps.back().amount += 1; }},
    {"its first answer read otherwise", [](payment_record& record) { record.steps.front().answer.body += ' '; }},
    {"it went under another key", [](payment_record& record) { record.steps.back().key = new_uuid(); }},
};

struct forged_rows {
  const char* change;
  const char* id;  ///< the column that names the payment
};
constexpr forged_rows of_the_rows[] = {
    {"UPDATE payments SET refunded = refunded - 1", "payment_id"},
    {"UPDATE payments SET state = 'captured'", "payment_id"},
    {"UPDATE payments SET open_command = '{}'", "payment_id"},
    {"UPDATE commands SET amount = amount + 1", "subject_id"},
    {"UPDATE commands SET status = NULL", "subject_id"},
    {"DELETE FROM attempts", "subject_id"},
    {"UPDATE attempts SET status = 'declined'", "subject_id"},
    {"DELETE FROM events", "subject_id"},
    {"DELETE FROM ledger", "payment_id"},
    {"UPDATE ledger SET seq = seq + 100, kind = 'failed', customer_amount = 0, provider_amount = 0, merchant_amount = "
     "0",
     "payment_id"},
    {"DELETE FROM payments", "payment_id"},
};

}  // namespace

TEST_CASE("the audit reports every difference between the ledger, the rows and the clients' answers") {
  crash_fixture fixture{{.store = GENERATE(from_range(stores()))}, {1, 4, 7}};
  fixture.start_clients();
  REQUIRE(fixture.makes_progress(200));
  fixture.clients->stop();
  const auto& all = fixture.clients->records();
  const auto report = [&](const std::filesystem::path& ledger, const records& told_of) {
    return audit(*fixture.gateway, ledger, fixture.account, told_of);
  };
  const auto names = [](const lines& broken, const std::string& payment) {
    return std::ranges::any_of(broken, [&](const auto& line) { return line.starts_with(payment + ':'); });
  };
  REQUIRE(report(fixture.provider.ledger(), all) == lines{});

  // The payments that were refunded in the end.
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].moved("refund") > 0) chosen.push_back(i);
  REQUIRE(chosen.size() >= std::size(of_the_rows));
  const auto& first = all[chosen.front()].payment_id;

  const auto folder = new_folder("forged");
  const auto ledger = lines_of(read_file(fixture.provider.ledger()));
  for (const auto& [what, change] : of_the_ledger) {
    CAPTURE(what);
    auto forged = ledger;
    change(forged, line_of(forged, first));
    std::string text;
    for (const auto& line : forged) text += line + '\n';
    write_file(folder / "ledger.jsonl", text);
    CHECK(names(report(folder / "ledger.jsonl", all), first));
  }
  std::filesystem::remove_all(folder);

  for (const auto& [what, change] : of_the_clients) {
    CAPTURE(what);
    auto denied = all;
    change(denied[chosen.front()]);
    CHECK(names(report(fixture.provider.ledger(), denied), first));
  }
  auto without = all;
  without.erase(without.begin() + static_cast<std::ptrdiff_t>(chosen.front()));
  CHECK(names(report(fixture.provider.ledger(), without), first));

  // Each change is made to another payment, because it is not undone.
  for (std::size_t i = 0; i < std::size(of_the_rows); ++i) {
    const auto& [change, id] = of_the_rows[i];
    CAPTURE(change);
    const auto& payment = all[chosen[i]].payment_id;
    fixture.gateway->sql(std::string{change} + " WHERE " + id + " = '" + payment + "';");
    CHECK(names(report(fixture.provider.ledger(), all), payment));
  }
}
