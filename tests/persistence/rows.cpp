// Rows of a database that may have been edited by hand: a row that this program could not have written is corrupt.
#include <catch2/catch.hpp>

#include <charconv>

#include "persistence/tables/unit_rows.hpp"
#include "samples.hpp"

using namespace gateway;
using namespace gateway::persistence;
using namespace gateway::persistence::test;

namespace {

/// Cells in the order of a SELECT; `NULL` is an empty one.
class row : public result_row {
 public:
  explicit row(std::vector<std::string> cells) : cells_(std::move(cells)) {}

  bool is_null(unsigned column) const override { return cells_.at(column) == "NULL"; }
  std::string text(unsigned column) const override { return is_null(column) ? "" : cells_.at(column); }
  std::int64_t integer(unsigned column) const override {
    std::int64_t number = 0;
    const auto value = text(column);
    std::from_chars(value.data(), value.data() + value.size(), number);
    return number;
  }

 private:
  std::vector<std::string> cells_;
};

std::vector<std::string> with(std::vector<std::string> cells, std::size_t column, std::string value) {
  cells.at(column) = std::move(value);
  return cells;
}

const std::vector<std::string> payment_cells{"partially_refunded",
                                             "4200",
                                             "HKD",
                                             "4200",
                                             "1000",
                                             "server",
                                             "sandbox",
                                             "acct_1",
                                             "0",
                                             "sbx_1",
                                             "approved",
                                             "NULL",
                                             "",
                                             "NULL",
                                             "NULL",
                                             "5",
                                             "1790000000123",
                                             "1790000000456",
                                             "1790000000400",
                                             "{}",
                                             "NULL",
                                             "NULL",
                                             "NULL",
                                             "7"};
const std::string open_refund =
    R"({"principal":"","key":"k","operation":"refund","amount":3200,"answered":false,"asked":0,"claim":7,"begun_at":1790000000500})";
const std::string one_refund =
    R"({"refunds":[{"id":"re_1","amount":1000,"status":"succeeded","origin":"provider","created_at":1790000000500}]})";
const std::string one_dispute =
    R"({"disputes":[{"id":"dp_1","amount":1000,"status":"needs_response","opened_at":1790000000500,"provider_ref":"d1","evidence_due_by":1790000000900}]})";
const std::vector<std::string> command_cells{
    "aa", "refund", "payment", "pay_1", "1000", "torn", "1790000000123", "req_1", "{}", "1790000000456", "200"};
const std::vector<std::string> attempt_cells{"1", "0", "authorize", "approved", "", "", "1790000000123",
                                             "",  "",  "NULL"};
const std::vector<std::string> route_cells{"merch_1", "test", "sandbox", "route_1", "3", "USD EUR", "card"};

const std::vector<std::string> delivery_cells{"merch_1",
                                              "7",
                                              "test",
                                              "payment",
                                              "pay_1",
                                              "2",
                                              "dest_1",
                                              "1790000000123",
                                              "pending",
                                              "3",
                                              "1",
                                              "1790000000500",
                                              "1790000000400",
                                              "rejected",
                                              "500",
                                              "12",
                                              "no",
                                              "NULL",
                                              R"([[1790000000300,"unreachable",0,9,""]])",
                                              "4",
                                              "evt_2",
                                              "payment.captured",
                                              "1790000000123",
                                              "{}",
                                              "0"};
const std::vector<std::string> destination_cells{"merch_1",
                                                 "dest_1",
                                                 "merchant",
                                                 "test",
                                                 "https://shop.example/",
                                                 "payment.captured payment.voided",
                                                 "enabled",
                                                 "",
                                                 "sealed",
                                                 "",
                                                 "NULL",
                                                 "1790000000123",
                                                 "Till",
                                                 "NULL",
                                                 "NULL"};

std::vector<std::string> never_attempted() {
  auto cells = with(with(delivery_cells, 9, "0"), 10, "0");
  for (std::size_t column = 12; column <= 16; ++column) cells[column] = "NULL";
  return cells;
}

delivery_job read_delivery(const std::vector<std::string>& cells) { return delivery_job_from(row{cells}); }
payment read_payment(const std::vector<std::string>& cells) { return payment_from(row{cells}, key_of("1")); }
command_record read_command(const std::vector<std::string>& cells) {
  return command_from(row{cells}, command_key_of("k"));
}

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  return text.replace(text.find(what), what.size(), by);
}

}  // namespace

TEST_CASE("a payment's row is read column by column") {
  const auto p = read_payment(with(payment_cells, 13, open_refund));
  CHECK(p.captured == 4200);
  CHECK(p.refunded == 1000);
  CHECK(p.next_seq == 5);
  CHECK(p.version == 7);
  REQUIRE(p.open);
  CHECK(p.open->amount == 3200);
  CHECK(p.open->reason.empty());
  CHECK(p.records.empty());
}

TEST_CASE("the records of a payment's row may lack what there is none of") {
  const auto refunds = read_payment(with(payment_cells, 21, one_refund)).records.refunds;
  REQUIRE(refunds.size() == 1);
  CHECK(
      refunds.front() ==
      refund{"re_1", 1000, refund_status::succeeded, entry_origin::provider, from_unix_ms(1790000000500), {}, {}, {}});
  const auto forgotten = replaced(one_refund, R"("origin")", R"("provider_key":"pk_1","origin")");
  CHECK(read_payment(with(payment_cells, 21, forgotten)).records.refunds.at(0).provider_key == "pk_1");
  const auto disputes = read_payment(with(payment_cells, 21, one_dispute)).records.disputes;
  REQUIRE(disputes.size() == 1);
  CHECK(disputes.front() == dispute{"dp_1",
                                    1000,
                                    {},
                                    dispute_status::needs_response,
                                    from_unix_ms(1790000000900),
                                    from_unix_ms(1790000000500),
                                    std::nullopt,
                                    "d1"});
  CHECK(read_payment(with(payment_cells, 21, "{}")).records.empty());
}

TEST_CASE("an entry of a timeline without an origin was caused by API, and an unknown origin is corrupt") {
  CHECK(timeline_entry_from(row{attempt_cells}).by == entry_origin::api);
  for (std::size_t i = 0; i < enum_count<entry_origin>; ++i) {
    const auto origin = static_cast<entry_origin>(i);
    CHECK(timeline_entry_from(row{with(attempt_cells, 9, std::string{to_string(origin)})}).by == origin);
  }
  for (const auto* unknown : {"", "API", "bank"})
    CHECK_THROWS_AS(timeline_entry_from(row{with(attempt_cells, 9, unknown)}), corrupt_row);
}

TEST_CASE("a payment with impossible numbers is corrupt") {
  struct {
    std::size_t column;
    std::string value;
  } const rows[] = {
      {0, "lost"},
      {1, "-1"},
      {2, "DEM"},
      {3, "4201"},
      {3, "-1"},
      {4, "4201"},
      {4, "-1"},
      {8, "2"},
      {15, "-1"},
      {15, "4294967296"},
      {16, "-62135596800001"},
      {16, "253402300800000"},
      {18, "-9223372036854775808"},
      {19, "[]"},
      {20, "[]"},
      {20, "{}"},
      {21, ""},
      {21, "[]"},
      {21, "not JSON"},
      {21, R"({"refunds":{}})"},
      {21, R"({"refunds":[1]})"},
      {21, R"({"refunds":[{}]})"},
      {21, replaced(one_refund, "succeeded", "lost")},
      {21, replaced(one_refund, "provider", "nobody")},
      {21, replaced(one_refund, "1000", "1.5")},
      {21, replaced(one_refund, R"("id":"re_1",)", "")},
      {21, replaced(one_dispute, "needs_response", "open")},
      {21, replaced(one_dispute, R"("opened_at":1790000000500,)", "")},
      {21, replaced(one_dispute, R"("evidence_due_by":1790000000900)", R"("evidence_due_by":"soon")")},
      {21, R"({"sandbox":[{"what":"explode","amount":0,"at":1790000000500}]})"},
      {21, R"({"paid_late":"yes"})"},
      {21, R"({"void_reason":1})"},
      {22, "-9223372036854775808"},
      {23, "-1"},
      {11, "{}"},
      {13, "{}"},
      {13, replaced(open_refund, "3200", "-1")},
      {13, replaced(open_refund, "3200", "4201")},
      {13, replaced(open_refund, "\"claim\":7", "\"claim\":8")},
      {13, replaced(open_refund, "1790000000500", "9223372036854775807")},
  };
  for (const auto& bad : rows) {
    INFO("column " << bad.column << ": " << bad.value);
    CHECK_THROWS_AS(read_payment(with(payment_cells, bad.column, bad.value)), corrupt_row);
  }
}

TEST_CASE("a stored answer has an HTTP status and a time, or neither") {
  CHECK(read_command(command_cells).result->status == 200);
  CHECK_FALSE(read_command(with(with(command_cells, 9, "NULL"), 10, "NULL")).result);
  for (const auto* status : {"0", "65736", "-200", "600"}) {
    INFO(status);
    CHECK_THROWS_AS(read_command(with(command_cells, 10, status)), corrupt_row);
  }
  CHECK_THROWS_AS(read_command(with(command_cells, 9, "NULL")), corrupt_row);
  CHECK_THROWS_AS(read_command(with(command_cells, 10, "NULL")), corrupt_row);
}

TEST_CASE("numbers that do not fit are corrupt, not truncated") {
  CHECK(timeline_entry_from(row{attempt_cells}).seq == 1);
  CHECK_THROWS_AS(timeline_entry_from(row{with(attempt_cells, 0, "4294967297")}), corrupt_row);
  CHECK(route_from(row{route_cells}).way.position == 3);
  CHECK_THROWS_AS(route_from(row{with(route_cells, 4, "4294967299")}), corrupt_row);
}

TEST_CASE("a delivery's row is read column by column") {
  const auto job = read_delivery(delivery_cells);
  CHECK(job.row.id == 7);
  CHECK(job.row.attempts == 3);
  CHECK(job.row.round_from == 1);
  REQUIRE(job.row.last);
  CHECK(job.row.last->result == attempt_result::rejected);
  CHECK(job.row.version == 4);
  CHECK(job.event.id == "evt_2");
  CHECK(job.event.subject == job.row.subject);
  CHECK(job.event.seq == 2);
  CHECK_FALSE(read_delivery(never_attempted()).row.last);
  CHECK_FALSE(job.row.partial);
  CHECK(read_delivery(with(delivery_cells, 17, "1")).row.partial);
  REQUIRE(job.row.earlier.size() == 1);
  CHECK(job.row.earlier.front().result == attempt_result::unreachable);
  CHECK(read_delivery(with(delivery_cells, 18, "NULL")).row.earlier.empty());
  // A delivery that was dropped may not have been attempted, or may have been delivered before.
  const auto failed = with(with(delivery_cells, 8, "failed"), 11, "NULL");
  const auto dropped = with(with(never_attempted(), 8, "failed"), 11, "NULL");
  for (const auto& cells : {failed, with(failed, 13, "delivered"), dropped})
    CHECK(read_delivery(cells).row.status == delivery_status::failed);
}

TEST_CASE("a delivery in a state that no attempt leaves is corrupt") {
  struct {
    const char* name;
    std::vector<std::string> cells;
  } const rows[] = {
      {"unknown environment", with(delivery_cells, 2, "prod")},
      {"a sequence number that does not fit", with(delivery_cells, 5, "4294967296")},
      {"no number", with(delivery_cells, 1, "0")},
      {"a number that JSON does not hold", with(delivery_cells, 1, "9007199254740992")},
      {"no time", with(delivery_cells, 7, "253402300800000")},
      {"unknown status", with(delivery_cells, 8, "lost")},
      {"delivered and due", with(delivery_cells, 8, "delivered")},
      {"delivered, but rejected", with(with(delivery_cells, 8, "delivered"), 11, "NULL")},
      {"pending and never due", with(delivery_cells, 11, "NULL")},
      {"fewer attempts than the round began with", with(delivery_cells, 10, "4")},
      {"attempts that left nothing", with(never_attempted(), 9, "3")},
      {"an attempt that was not made", with(with(delivery_cells, 9, "0"), 10, "0")},
      {"an attempt without a time", with(delivery_cells, 12, "NULL")},
      {"an attempt without a time or result", with(with(delivery_cells, 12, "NULL"), 13, "NULL")},
      {"an attempt without a result", with(delivery_cells, 13, "NULL")},
      {"unknown result", with(delivery_cells, 13, "eaten")},
      {"no HTTP status", with(delivery_cells, 14, "1000")},
      {"negative duration", with(delivery_cells, 15, "-1")},
      {"no version", with(delivery_cells, 19, "0")},
      {"partial by halves", with(delivery_cells, 17, "2")},
      {"earlier attempts that are no JSON", with(delivery_cells, 18, "[[")},
      {"an earlier attempt with an unknown result", with(delivery_cells, 18, R"([[1,"eaten",0,9,""]])")},
      {"an earlier attempt without its parts", with(delivery_cells, 18, "[[1]]")},
      {"no event", with(delivery_cells, 20, "NULL")},
  };
  for (const auto& bad : rows) {
    INFO(bad.name);
    CHECK_THROWS_AS(read_delivery(bad.cells), corrupt_row);
  }
}

TEST_CASE("a destination's row has values that this program knows") {
  const auto d = destination_from(row{destination_cells});
  CHECK(d.what.events == std::vector<std::string>{"payment.captured", "payment.voided"});
  CHECK(d.what.name == "Till");
  CHECK_FALSE(d.what.enabled_at);
  CHECK_FALSE(d.what.standard_webhooks);
  CHECK(destination_from(row{with(destination_cells, 14, "1")}).what.standard_webhooks);
  CHECK(destination_from(row{with(destination_cells, 6, "deleted")}).what.status == destination_status::deleted);
  CHECK(destination_from(row{with(destination_cells, 5, "")}).what.events.empty());
  struct {
    std::size_t column;
    std::string value;
  } const rows[] = {{2, "shop"},
                    {3, "prod"},
                    {5, "payment.succeeded"},
                    {5, "payment.captured payment.lost"},
                    {6, "paused"},
                    {13, "253402300800000"},
                    {14, "2"},
                    {10, "253402300800000"}};
  for (const auto& bad : rows) {
    INFO("column " << bad.column << ": " << bad.value);
    CHECK_THROWS_AS(destination_from(row{with(destination_cells, bad.column, bad.value)}), corrupt_row);
  }
  CHECK(backlog_from(row{{"dest_1", "3", "1790000000123", "7"}}).pending == 3);
  CHECK_THROWS_AS(backlog_from(row{{"dest_1", "3", "NULL", "7"}}), corrupt_row);
}

TEST_CASE("a binding's row is read column by column, and one in a state that no consent leaves is corrupt") {
  const std::vector<std::string> cells{
      "grant_1",
      "payments:write payments:read",
      "user_1",
      "1790000000123",
      "NULL",
      "",
      R"([{"hash":"aa","redirect_uri":"https://app.example/cb","expires_at":1790000600123}])",
      "4"};
  const auto key = a_binding("1").key;
  const auto read = [&](const std::vector<std::string>& row_cells) { return binding_from(row{row_cells}, key); };
  auto wanted = a_binding("1");
  wanted.codes = {{"aa", "https://app.example/cb", at(600'000)}};
  wanted.version = 4;
  CHECK(read(cells) == wanted);
  const auto revoked = with(with(cells, 4, "1790000000999"), 6, "[]");
  CHECK(state_of(read(revoked).newest) == grant_state::revoked);

  const std::pair<std::size_t, std::string> corrupt[] = {
      {1, ""},
      {1, "*"},
      {1, "payments:write *"},
      {1, "payments:steal"},
      {3, "253402300800000"},
      {4, "1790000000999"},  // revoked, and has a code
      {6, ""},
      {6, "{}"},
      {6, "[1]"},
      {6, R"([{"hash":"aa","redirect_uri":"https://app.example/cb"}])"},
      {6, R"([{"hash":"aa","redirect_uri":"https://app.example/cb","expires_at":253402300800000}])"},
      {7, "0"},
  };
  for (const auto& [column, value] : corrupt) {
    INFO(column << " is " << value);
    CHECK_THROWS_AS(read(with(cells, column, value)), corrupt_row);
  }
}

TEST_CASE("a platform's row has values that this program knows") {
  const std::vector<std::string> cells{
      "plat_1", "acme", "Acme", "security@app.example", "suspended", R"(["https://a.example/cb"])", "[]"};
  const auto found = platform_from(row{cells});
  CHECK(found.status == platform_status::suspended);
  CHECK(found.redirect_uris == std::vector<std::string>{"https://a.example/cb"});
  CHECK(found.return_origins.empty());
  const std::pair<std::size_t, std::string> corrupt[] = {{4, "gone"}, {5, ""}, {5, "{}"}, {5, "[1]"}, {6, "[null]"}};
  for (const auto& [column, value] : corrupt) {
    INFO(column << " is " << value);
    CHECK_THROWS_AS(platform_from(row{with(cells, column, value)}), corrupt_row);
  }
}

TEST_CASE("a membership's role is one that this program knows") {
  const std::vector<std::string> cells{"merch_1", "user_1", "viewer", "1790000000123"};
  CHECK(membership_from(row{cells}).role == member_role::viewer);
  CHECK_THROWS_AS(membership_from(row{with(cells, 2, "admin")}), corrupt_row);
}

TEST_CASE("a subscription's row is what this program could have written") {
  // In the order of read_subscription.
  subscription s;
  s.key = subscription_key(merchant_id{"merch_1"}, environment::test, "s1");
  s.version = 3;
  s.open = open_subscription_operation{
      {s.key.merchant, s.key.env, "", "k"}, subscription_operation::cancel, false, 0, 3, at(0)};
  const auto inserted = std::make_shared<const subscription>(s);
  gathered_rows written;
  insert_row(written, inserted);
  std::vector<std::string> cells;
  for (const auto& value : written.of(row_kind::subscription)->cells()) {
    if (const auto* number = std::get_if<std::int64_t>(&value))
      cells.push_back(std::to_string(*number));
    else if (const auto* text = std::get_if<std::string_view>(&value))
      cells.emplace_back(*text);
    else
      cells.emplace_back("NULL");
  }
  cells.erase(cells.begin());
  CHECK(subscription_from(row{cells}, s.key.merchant) == s);
  const auto document = cells.at(8);
  const std::pair<std::size_t, std::string> corrupt[] = {
      {0, "prod"},
      {3, "nobody"},
      {5, "gone"},
      {5, "active"},  // the document says pending
      {6, "0"},       // and that an operation is open
      {6, "2"},
      {7, "253402300800000"},
      {8, ""},
      {8, "[]"},
      {8, "{}"},
      {8, replaced(document, R"("operation":"cancel")", R"("operation":"create")")},
      {8, replaced(document, R"("key":"k")", R"("key":"")")},
      {8, replaced(document, R"("claim":3)", R"("claim":4)")},
      {8, replaced(document, R"("currency":"XXX")", R"("currency":"DEM")")},
      {8, replaced(document, R"("interval":"month")", R"("interval":"moon")")},
      {8, replaced(document, R"("metadata":0)", R"("metadata":1)")},
      {8, replaced(document, R"("next_seq":1)", R"("next_seq":4294967296)")},
      {8, replaced(document, R"("created_at":0)", R"("created_at":253402300800000)")},
      {9, "253402300800000"},
      {9, "1"},  // the document says 0
      {11, "0"}};
  for (const auto& [column, value] : corrupt) {
    INFO(column << " is " << value);
    CHECK_THROWS_AS(subscription_from(row{with(cells, column, value)}, s.key.merchant), corrupt_row);
  }
}

TEST_CASE("an enrollment that could not be billed is corrupt") {
  sandbox_enrollment e;
  e.key = {merchant_id{"merch_1"}, environment::test, entity_kind::enrollment, "sub_1"};
  e.version = 1;
  e.what.status = subscription_status::past_due;
  e.what.failed_attempts = 3;
  const auto document_of = [](const sandbox_enrollment& what) {
    const auto inserted = std::make_shared<const sandbox_enrollment>(what);
    gathered_rows written;
    insert_row(written, inserted);
    // The key and due_at come before the document.
    return std::string{std::get<std::string_view>(written.of(row_kind::enrollment)->cells().at(4))};
  };
  const auto document = document_of(e);
  const std::vector<std::string> cells{"NULL", document, "1"};
  CHECK(enrollment_from(row{cells}, e.key) == e);
  for (const auto& changed : {replaced(document, R"("failed_attempts":3)", R"("failed_attempts":4)"),
                              replaced(document, R"("clock_offset":0)", R"("clock_offset":-1)"),
                              replaced(document, R"("clock_offset":0)", R"("clock_offset":9223372036854775807)"),
                              replaced(document, R"("environment":"test")", R"("environment":"")"),
                              replaced(document, R"("kind":"created")", R"("kind":"made")")}) {
    INFO(changed);
    CHECK_THROWS_AS(enrollment_from(row{with(cells, 1, changed)}, e.key), corrupt_row);
  }
  e.what.status = subscription_status::canceled;
  e.what.failed_attempts = 4;  // the last one has ended it
  CHECK(enrollment_from(row{with(cells, 1, document_of(e))}, e.key) == e);
}

TEST_CASE("a notification whose columns contradict each other is corrupt") {
  notification n;
  n.key = notification_key(provider_kind::stripe, environment::test, "evt_1");
  n.version = 1;
  n.provider = provider_kind::stripe;
  n.event_id = "evt_1";
  n.due_at = from_unix_ms(7);
  const std::vector<std::string> cells{"test", "stripe:evt_1", "stripe", "evt_1", "", "", "", "waiting", "", "0",
                                       "0",    "NULL",         "7",      "1"};
  CHECK(notification_from(row{cells}) == n);
  const std::vector<std::pair<std::size_t, std::string>> corrupt{
      {0, "prod"}, {1, "stripe:evt_2"},     {2, "strip"}, {2, "jazzcash"}, {7, "received"}, {7, "applied"},
      {9, "-1"},   {10, "253402300800000"}, {11, "7"},    {12, "NULL"},    {13, "0"}};
  for (const auto& [column, value] : corrupt) {
    INFO(column << " is " << value);
    CHECK_THROWS_AS(notification_from(row{with(cells, column, value)}), corrupt_row);
  }
}

TEST_CASE(
    "a dispute's entry replaces the one of its id, and is written before totals that other transactions wait for") {
  CHECK(row_kind::dispute_entry < row_kind::daily_total);
  const auto* shape = writing_of(row_kind::dispute_entry).shape;
  REQUIRE(shape);
  CHECK(shape->what == write_shape::form::upsert);
  CHECK(shape->table == "disputes");
  CHECK(shape->keys == 3);
  const std::vector<std::string_view> replaced{shape->replaced.begin(), shape->replaced.end()};
  CHECK(replaced == std::vector<std::string_view>{"status"});
}
