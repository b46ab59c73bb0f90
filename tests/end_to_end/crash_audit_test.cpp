// The audit of the crash tests, audited: whatever one changes behind its back, it reports.
#include <catch2/catch.hpp>

#include "audit.hpp"
#include "crash_stand.hpp"

using namespace gateway::e2e;

namespace {

using stories = std::vector<payment_story>;

std::string ledger_text(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += line + '\n';
  return text;
}

}  // namespace

TEST_CASE("the audit reports whatever differs between the ledger, the rows and what clients were told") {
  crash_stand stand{{.store = GENERATE(from_range(stores()))}, {1, 4, 7}};
  stand.go();
  REQUIRE(stand.goes_on(150));
  stand.clients->stop();
  const auto& told_stories = stand.clients->stories();
  const auto& gateway = *stand.gateway;
  const auto report = [&](const std::filesystem::path& ledger, const stories& told_of) { return audit(gateway, ledger, stand.account, told_of); };
  REQUIRE(report(stand.provider.ledger(), told_stories) == std::vector<std::string>{});

  // The last payment of all that went all the way to a refund.
  const auto chosen = std::ranges::find_if(told_stories, [](const auto& story) { return story.moved("refund") > 0; });
  REQUIRE(chosen != told_stories.end());
  const auto reports_it = [&](const std::vector<std::string>& broken) {
    INFO(Catch::StringMaker<std::vector<std::string>>::convert(broken));
    return std::ranges::any_of(broken, [&](const auto& line) { return line.starts_with(chosen->payment_id + ':'); });
  };

  SECTION("in the provider's ledger") {
    const auto lines = lines_of(read_file(stand.provider.ledger()));
    const auto of_chosen = std::ranges::find_if(lines, [&](const auto& line) { return line.find('"' + chosen->payment_id + '"') != std::string::npos; });
    const auto at = of_chosen - lines.begin();
    const auto forged = new_folder("forged") / "ledger.jsonl";
    const auto reported = [&](auto change) {
      auto changed = lines;
      change(changed);
      write_file(forged, ledger_text(changed));
      return reports_it(report(forged, told_stories));
    };
    CHECK(reported([&](auto& all) { all.erase(all.begin() + at); }));
    CHECK(reported([&](auto& all) { all.push_back(all[static_cast<std::size_t>(at)]); }));
    const auto replaced = [&](const std::string& what, const std::string& by) {
      return [&, what, by](auto& all) {
        auto& line = all[static_cast<std::size_t>(at)];
        line.replace(line.find(what), what.size(), by);
      };
    };
    CHECK(reported(replaced("\"amount\":", "\"amount\":1")));
    CHECK(reported(replaced("\"create\"", "\"capture\"")));
    CHECK(reported(replaced("\"approved\"", "\"conflict\"")));
    // Executed a second time, under another key.
    CHECK(reported([&](auto& all) {
      auto line = all[static_cast<std::size_t>(at)];
      all.push_back(line.replace(line.find("pk_"), 3, "pk_again_"));
    }));
    std::filesystem::remove_all(forged.parent_path());
  }

  SECTION("in what clients were told") {
    const auto index = static_cast<std::size_t>(chosen - told_stories.begin());
    const auto reported = [&](auto change) {
      auto changed = told_stories;
      change(changed[index]);
      return reports_it(report(stand.provider.ledger(), changed));
    };
    CHECK(reported([](payment_story& story) { story.steps.pop_back(); }));
    CHECK(reported([](payment_story& story) { story.steps.back().amount += 1; }));
    CHECK(reported([](payment_story& story) { story.steps.front().answer.body += ' '; }));
    CHECK(reported([](payment_story& story) { story.steps.back().key = new_uuid(); }));
    auto without = told_stories;
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(index));
    CHECK(reports_it(report(stand.provider.ledger(), without)));
  }

  SECTION("in the rows on disk") {
    const auto of_chosen = " WHERE payment_id = '" + chosen->payment_id + "'";
    const auto changes = GENERATE(values<std::string>({"UPDATE payments SET refunded = refunded - 1", "UPDATE payments SET state = 'captured'",
                                                       "UPDATE payments SET open_command = '{}'", "UPDATE commands SET amount = amount + 1",
                                                       "UPDATE commands SET status = NULL", "DELETE FROM attempts", "DELETE FROM events",
                                                       "UPDATE attempts SET status = 'declined'"}));
    CAPTURE(changes);
    gateway.sql(changes + of_chosen + ";");
    CHECK(reports_it(report(stand.provider.ledger(), told_stories)));
  }
}
