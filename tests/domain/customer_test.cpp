// A platform's customers: valid refs, what payments record of them, and which customer and method a payment uses.
#include <catch2/catch.hpp>

#include <algorithm>

#include "gateway/domain/customer.hpp"
#include "gateway/domain/payment_machine.hpp"

using namespace gateway;
using namespace std::chrono_literals;

namespace {

const time_point now = from_unix_ms(1'795'167'000'125);
const machine_timing timing{};
const entity_key key{merchant_id{"merch_1"}, environment::live, entity_kind::customer, "c"};
const platform_id acme{"plat_acme"};
const command_key command{merchant_id{"merch_1"}, environment::live, "plat_acme",
                          "00000000-0000-4000-8000-000000000001"};

record_customer changes(std::string saved = {}, std::string id = "cus_1",
                        provider_kind provider = provider_kind::sandbox, std::string account = "acct") {
  return {acme, "ref-1", provider, std::move(id), std::move(saved), {}, std::move(account)};
}

customer with_methods(std::vector<std::string> methods, std::string account = "acct") {
  return {key, 5, acme, "ref-1", provider_kind::sandbox, "cus_1", std::move(methods), now - 24h, std::move(account)};
}

/// Each method that is stored under another name is a saved method of the customer, and is stored under one name only.
void list_of_methods_adds_up(const customer& who) {
  std::vector<std::string> seen;
  for (const auto& name : who.other_names)
    for (const auto& method : name.methods) {
      CHECK(has_saved(who, method));
      CHECK(std::ranges::find(seen, method) == seen.end());
      seen.push_back(method);
    }
}

std::vector<std::string> methods_after(const customer& known, const std::string& saved) {
  const auto next = recorded(&known, key, changes(saved), now);
  return next ? next->methods : known.methods;
}

create_payment wanted(flow how = flow::server, bool off_session = false) {
  create_payment c;
  c.amount = {4200, *currency::parse("HKD")};
  c.how = how;
  c.customer = wanted_customer{acme, "ref-1", true, off_session};
  return c;
}

/// A payment for the customer, claimed for its creation.
payment begun(flow how, bool known, operation what = operation::create) {
  auto p = begin_payment(payment_key(merchant_id{"merch_1"}, environment::live, payment_id{"pay_1"}), wanted(how),
                         {provider_kind::sandbox, "acct", false}, command, now, timing, what);
  p.customer = payment_customer{acme, "ref-1", known ? "cus_1" : "", true, false, {}};
  p.details.payment_method = how == flow::server ? "pm_card_visa" : "";
  return p;
}

provider_result answered(provider_status status, std::string customer = "cus_1", std::string saved = {}) {
  provider_result r{status, "ch_1", {}, std::nullopt};
  r.customer_id = std::move(customer);
  r.saved_method = std::move(saved);
  return r;
}

}  // namespace

TEST_CASE("a customer_ref has 1 to 128 characters, of which none is a control character") {
  CHECK(is_customer_ref("c"));
  CHECK(is_customer_ref(" c "));
  CHECK(is_customer_ref("Zoë/42 №1"));
  std::string euros;
  for (int i = 0; i < 128; ++i) euros += "€";
  CHECK(is_customer_ref(euros));
  CHECK_FALSE(is_customer_ref(euros + "x"));
  CHECK(is_customer_ref("\xC2\xA0"));  // a no-break space is not a control character
  for (const std::string_view bad : {"", "\n", "a\tb", "a\x7F", "\xC2\x80",
                                     "a\xC2\x9F"
                                     "b"})
    CHECK_FALSE(is_customer_ref(bad));
}

TEST_CASE("a customer is made by the first record, and keeps the provider's first name for it") {
  const auto made = recorded(nullptr, key, changes(), now);
  REQUIRE(made);
  CHECK(made->version == 1);
  CHECK(made->ref == "ref-1");
  CHECK(made->platform == acme);
  CHECK(made->provider_id == "cus_1");
  CHECK(made->methods.empty());
  CHECK(made->created_at == now);
  CHECK_FALSE(recorded(&*made, key, changes(), now + 1h));
  const auto other = recorded(&*made, key, changes("pm_1", "cus_2"), now + 1h);
  REQUIRE(other);
  CHECK(other->provider_id == "cus_1");
  CHECK(other->version == 2);
  CHECK(other->created_at == now);
}

TEST_CASE("a customer knows when each of its methods was last saved") {
  const auto first = recorded(nullptr, key, changes("pm_a"), now);
  REQUIRE(first);
  const auto second = recorded(&*first, key, changes("pm_b"), now + 1h);
  REQUIRE(second);
  CHECK(second->saved_at == std::map<std::string, time_point, std::less<>>{{"pm_a", now}, {"pm_b", now + 1h}});
  const auto again = recorded(&*second, key, changes("pm_a"), now + 2h);
  REQUIRE(again);
  CHECK(again->saved_at.at("pm_a") == now + 2h);
  // Old rows have no times, and a method that is dropped has none either.
  auto full = with_methods({});
  for (std::size_t i = 0; i < most_saved_methods; ++i)
    full = *recorded(&full, key, changes("pm_" + std::to_string(i)), now);
  const auto over = recorded(&full, key, changes("pm_new"), now + 1h);
  REQUIRE(over);
  CHECK(over->saved_at.size() == most_saved_methods);
  CHECK_FALSE(over->saved_at.contains("pm_0"));
  CHECK(recorded(std::make_unique<customer>(with_methods({"pm_old"})).get(), key, changes("pm_a"), now)
            ->saved_at.size() == 1);
}

TEST_CASE("the method saved last is at the end, each occurs once, and their number is limited") {
  using list = std::vector<std::string>;
  CHECK(methods_after(with_methods({}), "pm_a") == list{"pm_a"});
  CHECK(methods_after(with_methods({"pm_a"}), "pm_b") == list{"pm_a", "pm_b"});
  CHECK(methods_after(with_methods({"pm_a", "pm_b"}), "pm_a") == list{"pm_b", "pm_a"});
  CHECK_FALSE(recorded(std::make_unique<customer>(with_methods({"pm_a", "pm_b"})).get(), key, changes("pm_b"), now));
  list full;
  for (std::size_t i = 0; i < most_saved_methods; ++i) full.push_back("pm_" + std::to_string(i));
  const auto after = methods_after(with_methods(full), "pm_new");
  CHECK(after.size() == most_saved_methods);
  CHECK(after.front() == "pm_1");
  CHECK(after.back() == "pm_new");
}

TEST_CASE("what a payment records of its customer") {
  struct row {
    const char* what;
    flow how;
    bool known;
    provider_result answer;
    const char* reported;  ///< provider's name and saved method; empty: nothing
  };
  const row table[] = {
      {"approved, of a new one", flow::server, false, answered(provider_status::approved, "cus_1", "pm_card_visa"),
       "cus_1 pm_card_visa"},
      {"approved, of a known one", flow::server, true, answered(provider_status::approved, "", "pm_card_visa"),
       "cus_1 pm_card_visa"},
      {"declined: the customer is made all the same", flow::server, false, answered(provider_status::declined),
       "cus_1 "},
      {"declined, of a known one", flow::server, true, answered(provider_status::declined, ""), ""},
      {"a page is open", flow::redirect, false, answered(provider_status::pending), "cus_1 "},
      {"a page is open, of a known one", flow::redirect, true, answered(provider_status::pending, ""), ""},
      {"nobody knows", flow::server, false, answered(provider_status::unknown, ""), ""},
  };
  for (const auto& [what, how, known, answer, reported] : table) {
    CAPTURE(what);
    const auto before = begun(how, known);
    const auto change = conclude(before, answer, now, timing);
    const auto said = update_of(before, change.next);
    CHECK((said ? said->provider_id + " " + said->saved_method : "") == reported);
  }
}

TEST_CASE("a hosted page saves the method entered there; a challenge saves the one that the request named") {
  for (const auto& [how, saved] :
       {std::pair{flow::redirect, "pm_fresh"}, {flow::embedded, "pm_fresh"}, {flow::server, "pm_card_visa"}}) {
    const auto waiting = conclude(begun(how, false), answered(provider_status::pending), now, timing).next;
    const auto paid = settle_hosted(waiting, hosted_signal::paid, now, "pm_fresh");
    REQUIRE(paid);
    CHECK(update_of(waiting, paid->next)->saved_method == saved);
    const auto refused = settle_hosted(waiting, hosted_signal::declined, now, "pm_fresh");
    REQUIRE(refused);
    CHECK_FALSE(update_of(waiting, refused->next));
  }
}

TEST_CASE("a provider's own name of the charged method is saved rather than a token that can be used once") {
  for (const auto& [reported, saved] : {std::pair{"pm_of_provider", "pm_of_provider"}, {"", "pm_card_visa"}}) {
    const auto waiting = conclude(begun(flow::server, true), answered(provider_status::pending, ""), now, timing).next;
    const auto paid = settle_wait(waiting, answered(provider_status::approved, "", reported), false, now, timing);
    REQUIRE(paid);
    CHECK(update_of(waiting, paid->next)->saved_method == saved);
  }
}

TEST_CASE("which customer pays, and by which method") {
  const auto saved = with_methods({"pm_a", "pm_b"});
  const auto none = with_methods({});
  const auto by = [](const wanted_customer& who, std::string named, const customer* known) {
    const auto found = payer_of(who, std::move(named), known);
    if (std::holds_alternative<problem>(found)) return std::string{"nothing to charge"};
    auto p = std::get<payer>(found);
    if (known) call_by_name(p.customer, *known, p.payment_method, provider_kind::sandbox, "acct");
    return p.customer.provider_id + " " + p.payment_method + (p.customer.charges_saved ? " saved" : "");
  };
  const wanted_customer on{acme, "ref-1", true, false}, off{acme, "ref-1", true, true};
  CHECK(by(on, "pm_card_visa", nullptr) == " pm_card_visa");
  CHECK(by(on, "pm_card_visa", &none) == "cus_1 pm_card_visa");
  CHECK(by(on, "pm_a", &saved) == "cus_1 pm_a saved");
  CHECK(by(off, "", &saved) == "cus_1 pm_b saved");
  CHECK(by(off, "pm_a", &saved) == "cus_1 pm_a saved");
  CHECK(by(off, "", &none) == "nothing to charge");
  CHECK(by(off, "", nullptr) == "nothing to charge");
}

TEST_CASE("a method is charged under the customer name under which it was saved, at the same provider and account") {
  // Two first payments at two providers, then one in another account of the second.
  auto who = *recorded(nullptr, key, changes("pm_a", "cus_1"), now);
  who = *recorded(&who, key, changes("pm_b", "cus_2", provider_kind::stripe, "acct_1"), now);
  who = *recorded(&who, key, changes("pm_c", "cus_3", provider_kind::stripe, "acct_2"), now);
  CHECK(who.version == 3);
  CHECK(who.methods == std::vector<std::string>{"pm_a", "pm_b", "pm_c"});
  CHECK(who.provider_id == "cus_1");

  struct row {
    const char* method;
    provider_kind at;
    const char* account;
    const char* paid_by;  ///< the customer's name there, and whether the method is saved there
  };
  const row table[] = {{"pm_a", provider_kind::sandbox, "acct", "cus_1 saved"},
                       {"pm_b", provider_kind::stripe, "acct_1", "cus_2 saved"},
                       {"pm_c", provider_kind::stripe, "acct_2", "cus_3 saved"},
                       {"pm_b", provider_kind::stripe, "acct_2", "cus_3 "},
                       {"pm_b", provider_kind::stripe, "acct_3", " "},
                       {"pm_a", provider_kind::stripe, "acct_1", "cus_2 "},
                       {"pm_fresh", provider_kind::stripe, "acct_1", "cus_2 "},
                       {"pm_fresh", provider_kind::sandbox, "acct_x", " "}};
  for (const auto& [method, at, account, paid_by] : table) {
    CAPTURE(method, account);
    auto paying = std::get<payer>(payer_of({acme, "ref-1", false, false}, method, &who));
    call_by_name(paying.customer, who, method, at, account);
    CHECK(paying.customer.provider_id + " " + (paying.customer.charges_saved ? "saved" : "") == paid_by);
    CHECK(paying.customer.saved_method == (paying.customer.charges_saved ? method : ""));
  }

  const auto keeper = [&](const char* method) {
    return std::get<payer>(payer_of({acme, "", false, true}, method, &who)).keeper;
  };
  CHECK(keeper("pm_a") == provider_kind::sandbox);
  CHECK(keeper("pm_b") == provider_kind::stripe);
  CHECK(keeper("pm_fresh") == provider_kind::sandbox);
  CHECK(keeper("") == provider_kind::stripe);  // the method saved last
}

TEST_CASE("an id that one account has made is given for that account only, in whatever order the accounts are used") {
  struct report {
    provider_kind at;
    const char *account, *id;
  };
  std::vector<report> order = {{provider_kind::sandbox, "acct", "cus_1"},
                               {provider_kind::sandbox, "acct_1", "cus_2"},
                               {provider_kind::stripe, "acct", "cus_3"},
                               {provider_kind::stripe, "acct_1", "cus_4"}};
  const auto by_id = [](const report& of) { return std::string_view{of.id}; };
  do {
    std::optional<customer> who;
    for (std::size_t stored = 0; stored < order.size(); ++stored) {
      const auto& [at, account, id] = order[stored];
      const auto method = std::string{"pm_of_"} + id;
      who = recorded(who ? &*who : nullptr, key, changes(method, id, at, account), now);
      REQUIRE(who);
      for (std::size_t i = 0; i < order.size(); ++i) {
        const auto& there = order[i];
        CAPTURE(stored, there.account, there.id);
        CHECK(name_at(*who, there.at, there.account) == (i <= stored ? there.id : ""));
        CHECK(name_for(*who, method, there.at, there.account) == (i == stored ? there.id : ""));
      }
    }
  } while (std::ranges::next_permutation(order, {}, by_id).found);
}

TEST_CASE("the use for which a method is saved is kept only for payments that save one") {
  const auto keeps = [](bool saves, bool on_session) {
    return std::get<payer>(payer_of({acme, "ref-1", saves, false, on_session}, "pm_a", nullptr))
        .customer.saves_on_session;
  };
  CHECK(keeps(true, true));
  CHECK_FALSE(keeps(true, false));
  CHECK_FALSE(keeps(false, true));
}

TEST_CASE("each name of a customer is kept once, also one that has saved nothing, and their number is limited") {
  const auto here = with_methods({"pm_a"});
  const auto elsewhere = changes({}, "cus_2", provider_kind::stripe, "acct_1");
  const auto named = recorded(&here, key, elsewhere, now);
  REQUIRE(named);
  CHECK(name_at(*named, provider_kind::stripe, "acct_1") == "cus_2");
  CHECK(named->methods == here.methods);
  CHECK_FALSE(recorded(&*named, key, elsewhere, now));
  // Another customer made at the same place: the first stays, unless the other holds the charged method.
  auto third = elsewhere;
  third.provider_id = "cus_3";
  CHECK_FALSE(recorded(&*named, key, third, now));
  third.saved_method = "pm_c";
  const auto both = recorded(&*named, key, third, now);
  CHECK(name_at(*both, provider_kind::stripe, "acct_1") == "cus_2");
  CHECK(name_for(*both, "pm_c", provider_kind::stripe, "acct_1") == "cus_3");

  // The same token, saved again under another name.
  const auto moved = recorded(&here, key, changes("pm_a", "cus_2", provider_kind::stripe, "acct_1"), now);
  REQUIRE(moved);
  CHECK(moved->methods == std::vector<std::string>{"pm_a"});
  CHECK(name_for(*moved, "pm_a", provider_kind::stripe, "acct_1") == "cus_2");
  const auto back = recorded(&*moved, key, changes("pm_a"), now);
  CHECK(name_for(*back, "pm_a", provider_kind::sandbox, "acct") == "cus_1");
  CHECK(back->other_names.front().methods.empty());

  auto many = here;
  for (std::size_t i = 0; i <= most_other_names; ++i) {
    const auto at = std::to_string(i);
    many = *recorded(&many, key, changes("pm_" + at, "cus_" + at, provider_kind::stripe, "acct_" + at), now);
  }
  CHECK(many.other_names.size() == most_other_names);
  CHECK(many.other_names.front().id == "cus_1");
  CHECK_FALSE(has_saved(many, "pm_0"));
  CHECK(has_saved(many, "pm_a"));
  list_of_methods_adds_up(many);
}

TEST_CASE("the first name in a row without an account counts for any account, until its provider uses accounts") {
  const auto old = with_methods({"pm_a"}, {});
  CHECK(name_at(old, provider_kind::sandbox, "acct_9") == "cus_1");
  CHECK(name_for(old, "pm_a", provider_kind::sandbox, "acct_9") == "cus_1");
  CHECK(recorded(&old, key, changes("pm_b"), now)->account == "acct");
  const auto other = recorded(&old, key, changes("pm_b", "cus_2", provider_kind::sandbox, "acct_2"), now);
  CHECK(other->account.empty());
  CHECK(name_at(*other, provider_kind::sandbox, "acct_2") == "cus_2");
  CHECK(name_at(*other, provider_kind::sandbox, "acct_1") == "cus_1");
}

TEST_CASE("a paid checkout records its customer, if that was not known before") {
  for (const bool known : {false, true}) {
    const auto waiting =
        conclude(begun(flow::redirect, known), answered(provider_status::pending, ""), now, timing).next;
    const auto paid =
        settle_wait(waiting, answered(provider_status::approved, known ? "" : "cus_7", "pm_7"), false, now, timing);
    REQUIRE(paid);
    const auto said = update_of(waiting, paid->next);
    REQUIRE(said);
    CHECK(said->provider_id == (known ? "cus_1" : "cus_7"));
    CHECK(said->saved_method == "pm_7");
    CHECK(said->account == "acct");
    CHECK(paid->result.after.customer->provider_id == said->provider_id);
  }
}

TEST_CASE("a charge is captured at once, or authorized, as requested") {
  for (const bool at_once : {true, false}) {
    auto p = begun(flow::server, true, operation::charge);
    p.details.captures_at_once = at_once;
    const auto done = conclude(p, answered(provider_status::approved, ""), now, timing);
    CHECK(done.next.state == (at_once ? payment_state::captured : payment_state::authorized));
    CHECK(done.entries.front().operation == (at_once ? "charge" : "authorize"));
    CHECK(done.result.what == operation::charge);
  }
}

TEST_CASE("a charge that waits for its customer returns how to act, and continues when the customer has") {
  auto p = begun(flow::server, true, operation::charge);
  p.details.captures_at_once = true;
  auto asks = answered(provider_status::pending, "");
  asks.action = customer_action{"secret", "pk"};
  const auto waiting = conclude(p, asks, now, timing);
  CHECK(waiting.next.state == payment_state::processing);
  CHECK(waiting.result.action == customer_action{"secret", "pk"});
  CHECK(awaits_customer(waiting.next));
  CHECK(settle_hosted(waiting.next, hosted_signal::paid, now)->next.state == payment_state::captured);
  CHECK(settle_hosted(waiting.next, hosted_signal::declined, now)->next.state == payment_state::failed);
  const provider_result closed{provider_status::declined, {}, {}, {}};
  CHECK(settle_wait(waiting.next, closed, true, now + 25h, timing)->next.state == payment_state::failed);
}

TEST_CASE("a charge without an answer stays open, as a create does") {
  const auto p = begun(flow::server, true, operation::charge);
  const auto left = conclude(p, answered(provider_status::unknown, ""), now, timing);
  CHECK(left.next.state == payment_state::processing);
  CHECK(left.next.open);
  CHECK(left.result.failure == problem::provider_outcome_unknown);
}

TEST_CASE("a detached method is no longer saved, and the next payment of a deleted customer creates it again") {
  const auto gone = [](std::string method, std::string id = "cus_1", std::string account = "acct") {
    return forget_at_provider{provider_kind::sandbox, std::move(account), std::move(id), std::move(method)};
  };
  const auto known = with_methods({"pm_a", "pm_b"});
  const auto detached = forgotten(known, gone("pm_b"));
  REQUIRE(detached);
  CHECK(detached->methods == std::vector<std::string>{"pm_a"});
  CHECK(detached->version == known.version + 1);
  CHECK(detached->generation == 0);
  // A method that it does not have, or has under another name, changes nothing.
  CHECK_FALSE(forgotten(*detached, gone("pm_b")));
  CHECK_FALSE(forgotten(known, gone("pm_a", "cus_2")));
  CHECK_FALSE(forgotten(known, gone("pm_a", "cus_1", "acct_2")));
  CHECK_FALSE(forgotten(known, gone("", "cus_2")));

  const auto deleted = forgotten(known, gone(""));
  REQUIRE(deleted);
  CHECK(is_forgotten(*deleted));
  CHECK(deleted->methods.empty());
  CHECK(deleted->generation == 1);
  CHECK(name_at(*deleted, provider_kind::sandbox, "acct").empty());
  CHECK_FALSE(forgotten(*deleted, gone("")));
  // The deleted customer's next payment creates the customer again under another key, at any provider, and charges no
  // method that was saved before.
  const auto who = payer_of({acme, "ref-1", true, false}, "pm_a", &*deleted);
  REQUIRE(std::holds_alternative<payer>(who));
  CHECK(std::get<payer>(who).customer.generation == 1);
  CHECK_FALSE(std::get<payer>(who).customer.charges_saved);
  CHECK_FALSE(std::get<payer>(who).keeper);
  CHECK(std::get<problem>(payer_of({acme, "ref-1", true, true}, "", &*deleted)) == problem::no_saved_method);
  auto news = changes("pm_c", "cus_9", provider_kind::stripe, "acct_9");
  CHECK_FALSE(recorded(&*deleted, key, news, now));  // reported by a payment from before the deletion
  news.generation = 1;
  const auto again = recorded(&*deleted, key, news, now);
  REQUIRE(again);
  CHECK(again->provider == provider_kind::stripe);
  CHECK(again->provider_id == "cus_9");
  CHECK(again->account == "acct_9");
  CHECK(again->methods == std::vector<std::string>{"pm_c"});
  CHECK(again->other_names.empty());
  CHECK(name_for(*again, "pm_c", provider_kind::stripe, "acct_9") == "cus_9");
}

TEST_CASE("of a customer with several names only the deleted one is forgotten") {
  auto known = with_methods({"pm_a", "pm_b", "pm_c"});
  known.other_names = {{provider_kind::stripe, "acct_9", "cus_9", {"pm_b"}}};
  list_of_methods_adds_up(known);
  const auto without_other = forgotten(known, {provider_kind::stripe, "acct_9", "cus_9", ""});
  REQUIRE(without_other);
  CHECK(without_other->methods == std::vector<std::string>{"pm_a", "pm_c"});
  CHECK(without_other->other_names.empty());
  CHECK(without_other->provider_id == "cus_1");
  const auto without_first = forgotten(known, {provider_kind::sandbox, "acct", "cus_1", ""});
  REQUIRE(without_first);
  CHECK_FALSE(is_forgotten(*without_first));
  CHECK(without_first->methods == std::vector<std::string>{"pm_b"});
  CHECK(without_first->provider_id == "cus_9");
  CHECK(name_for(*without_first, "pm_b", provider_kind::stripe, "acct_9") == "cus_9");
  list_of_methods_adds_up(*without_first);
}
