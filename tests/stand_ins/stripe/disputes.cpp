// Disputes. The cardholder's bank opens one as an inquiry, which moves no money, or as a chargeback, which takes the
// amount back at once: https://docs.stripe.com/disputes/how-disputes-work

#include <array>

#include "operations.hpp"

namespace gateway::stripe_stand_in {

namespace json = boost::json;

namespace {

using enum shape;

constexpr std::string_view expandable = "charge payment_intent data.charge data.payment_intent";
constexpr std::int64_t seconds_for_evidence = 14 * 24 * 3600;

/// https://docs.stripe.com/api/disputes/object: one for the withdrawal, and one if the amount is reinstated.
void move_funds(draft& in, json::object& dispute, std::int64_t amount) {
  const bool withdrawn = amount < 0;
  json::object transaction{{"id", balance_id(text_of(dispute, "id"), withdrawn ? "withdrawn" : "reinstated")},
                           {"object", "balance_transaction"},
                           {"amount", amount},
                           {"created", in.now()},
                           {"currency", dispute.at("currency")},
                           {"reporting_category", withdrawn ? "dispute" : "dispute_reversal"},
                           {"source", dispute.at("id")},
                           {"type", "adjustment"}};
  dispute["balance_transactions"].as_array().push_back(std::move(transaction));
  in.notify(withdrawn ? "charge.dispute.funds_withdrawn" : "charge.dispute.funds_reinstated", dispute);
}

void withdraw(draft& in, json::object& dispute) {
  dispute["is_charge_refundable"] = false;
  move_funds(in, dispute, -number_of(dispute, "amount"));
}

void change_status(draft& in, json::object& dispute, std::string_view status, std::string_view event) {
  const json::object before{{"status", dispute.at("status")}};
  dispute["status"] = status;
  in.notify(event, dispute, before);
}

struct step {
  std::string_view move, from, to;
};
constexpr std::array steps{
    step{"respond", "needs_response", "under_review"},
    step{"respond", "warning_needs_response", "warning_under_review"},
    step{"escalate", "warning_needs_response", "needs_response"},
    step{"escalate", "warning_under_review", "needs_response"},
    step{"close", "warning_needs_response", "warning_closed"},
    step{"close", "warning_under_review", "warning_closed"},
    step{"win", "needs_response", "won"},
    step{"win", "under_review", "won"},
    step{"lose", "needs_response", "lost"},
    step{"lose", "under_review", "lost"},
};

}  // namespace

json::object& open_dispute(draft& in, json::object& charge, std::int64_t amount, std::string_view status,
                           std::string_view reason) {
  auto& dispute = in.make("dispute", "du_");
  dispute["amount"] = amount;
  dispute["balance_transactions"] = json::array{};
  dispute["charge"] = charge.at("id");
  dispute["currency"] = charge.at("currency");
  dispute["evidence"] = json::object{};
  dispute["evidence_details"] = json::object{{"due_by", in.now() + seconds_for_evidence},
                                             {"enhanced_eligibility", json::object{}},
                                             {"has_evidence", false},
                                             {"past_due", false},
                                             {"submission_count", 0}};
  dispute["is_charge_refundable"] = true;
  dispute["metadata"] = json::object{};
  dispute["payment_intent"] = charge.at("payment_intent");
  dispute["reason"] = reason;
  dispute["status"] = status;
  charge["disputed"] = true;
  in.notify("charge.dispute.created", dispute);
  if (status == "needs_response") withdraw(in, dispute);
  in.effect("dispute", dispute, amount, text_of(dispute, "currency"));
  return dispute;
}

bool move_dispute(draft& in, json::object& dispute, std::string_view move) {
  const auto status = text_of(dispute, "status");
  for (const auto& each : steps) {
    if (each.move != move || each.from != status) continue;
    if (move == "respond") {
      auto& details = dispute["evidence_details"].as_object();
      details["has_evidence"] = true;
      details["submission_count"] = 1;
    }
    if (move == "win") dispute["is_charge_refundable"] = true;
    const bool stays_open = move == "respond" || move == "escalate";
    change_status(in, dispute, each.to, stays_open ? "charge.dispute.updated" : "charge.dispute.closed");
    if (move == "escalate") withdraw(in, dispute);
    if (move == "win") move_funds(in, dispute, number_of(dispute, "amount"));
    in.effect("dispute_" + std::string{each.to}, dispute, number_of(dispute, "amount"), text_of(dispute, "currency"));
    return true;
  }
  return false;
}

bool is_charged_back(const store& all, const json::object& charge) {
  for (const auto* each : all.all("dispute", store::owner_of(charge))) {
    const auto status = text_of(*each, "status");
    if (text_of(*each, "charge") == text_of(charge, "id") && (status == "needs_response" || status == "under_review"))
      return true;
  }
  return false;
}

answer retrieve_dispute(draft& in, const form& given, const std::string& id) {
  static constexpr parameter known[]{{"expand[#]"}};
  if (const auto fault = fault_of(given, known)) return *fault;
  if (const auto fault = fault_of_expand(given.list("expand"), expandable)) return *fault;
  const auto* dispute = in.stored().find("dispute", id, in.who());
  if (!dispute) return missing("dispute", id);
  return json_answer(200, shown(in.stored(), *dispute, given.list("expand")));
}

answer list_disputes(draft& in, const form& given) {
  static constexpr parameter known[]{{"charge"},        {"payment_intent"},     {"limit", integer}, {"starting_after"},
                                     {"ending_before"}, {"created[gte]", time}, {"expand[#]"}};
  if (const auto fault = fault_of(given, known)) return *fault;
  if (const auto fault = fault_of_expand(given.list("expand"), expandable)) return *fault;
  auto found = in.stored().all("dispute", in.who());
  std::erase_if(found, [&](const auto* each) {
    return (given.find("charge") && text_of(*each, "charge") != given.text("charge")) ||
           (given.find("payment_intent") && text_of(*each, "payment_intent") != given.text("payment_intent")) ||
           number_of(*each, "created") < given.number("created[gte]");
  });
  return list_of(in.stored(), found, given, "/v1/disputes");
}

}  // namespace gateway::stripe_stand_in
