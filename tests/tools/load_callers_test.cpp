// One caller's key signs all requests of a payment, from its creation to its last read.
#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <vector>

#include "workload/model.hpp"
#include "workload/verifier.hpp"
#include "workload/workload.hpp"

using namespace gateway::load;

namespace {

workload_options options_of(std::uint32_t callers, std::uint64_t seed = 1) {
  workload_options options;
  options.mix = read_mix("create");
  options.run = "r1";
  options.callers = callers;
  options.seed = seed;
  return options;
}

}  // namespace

TEST_CASE("Callers take turns with new payments, and another thread begins with another caller") {
  model known{options_of(7)};
  std::map<std::uint32_t, int> payments;
  for (int i = 0; i < 70; ++i) payments[known.create(known.begin_payment(0, payment_kind::card, 1000)).caller] += 1;
  CHECK(payments.size() == 7);
  CHECK(std::ranges::all_of(payments, [](const auto& one) { return one.first < 7 && one.second == 10; }));
  CHECK(model{options_of(1000, 1)}.caller_of(0) != model{options_of(1000, 2)}.caller_of(0));
}

TEST_CASE("The creator of a payment makes all later requests for it, settles it and reads it back") {
  model known{options_of(5)};
  for (int i = 0; i < 12; ++i) {
    const auto payment = known.begin_payment(0, payment_kind::card, 1000);
    const auto created = known.create(payment);
    CHECK(created.caller == known.caller_of(payment));
    CHECK(known.capture(payment).caller == created.caller);
    CHECK(known.refund(payment, 10).caller == created.caller);
    for (const auto which : {model::again, model::wrong_amount, model::wrong_payment, model::wrong_path})
      CHECK(known.under(created.subject, which).caller == created.caller);
    answer none;
    none.lost = loss::timed_out;
    known.take(created, none);
  }
  progress_of_verification progress;
  const auto all_of = [](scenario& asked) {
    std::vector<request> all;
    for (auto before = all.size() + 1; before != all.size();) {
      before = all.size();
      asked.next(all);
    }
    return all;
  };
  const auto again = all_of(*settle_in_doubt(known, progress));
  CHECK(again.size() == 12);
  for (const auto& one : again) CHECK(one.caller == known.caller_of(known.key(one.subject).payment));
  // Each payment with its timeline, and the id that must not exist.
  const auto reads = all_of(*read_payments(known, progress));
  CHECK(reads.size() == 36);
  for (const auto& one : reads) CHECK(one.caller == known.caller_of(one.subject));
}

TEST_CASE("A run has from one to a million callers") {
  CHECK_THROWS_AS(make_workload(options_of(0)), std::invalid_argument);
  CHECK_THROWS_AS(make_workload(options_of(1'000'001)), std::invalid_argument);
  CHECK_NOTHROW(make_workload(options_of(1'000'000)));
}
