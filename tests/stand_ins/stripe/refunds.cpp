#include "operations.hpp"

namespace gateway::stripe_stand_in {

namespace json = boost::json;

namespace {

using enum shape;

constexpr std::string_view expandable = "charge payment_intent data.charge data.payment_intent";

/// The charge to refund, or why there is none.
std::variant<json::object*, answer> charge_for(draft& in, const form& given) {
  if (given.find("charge")) {
    auto* charge = in.find("charge", given.text("charge"));
    if (charge) return charge;
    return missing("charge", given.text("charge"), 404, "charge");
  }
  const auto id = given.text("payment_intent");
  const auto* intent = in.stored().find("payment_intent", id, in.who());
  if (!intent) return missing("payment_intent", id, 404, "payment_intent");
  if (text_of(*intent, "status") != "succeeded")
    return invalid("This PaymentIntent (" + id + ") does not have a successful charge to refund.", {},
                   "payment_intent");
  return in.find("charge", text_of(*intent, "latest_charge"));
}

std::optional<answer> fault_of_refund(const store& all, const json::object& charge, const form& given) {
  const auto id = text_of(charge, "id");
  // https://docs.stripe.com/error-codes#charge-disputed
  if (is_charged_back(all, charge)) return invalid("Charge " + id + " has been charged back.", "charge_disputed");
  const auto left = left_of(all, charge);
  if (left <= 0) return invalid("Charge " + id + " has already been refunded.", "charge_already_refunded");
  const auto amount = given.number("amount", left);
  if (amount < 1) return invalid("Invalid positive integer", "parameter_invalid_integer", "amount");
  if (amount > left)
    return invalid("Refund amount (" + std::to_string(amount) + ") is greater than unrefunded amount on charge (" +
                       std::to_string(left) + ")",
                   {}, "amount");
  return std::nullopt;
}

const card* card_of(draft& in, const json::object& charge) {
  const auto* method = in.find("payment_method", text_of(charge, "payment_method"));
  return method ? find_card(text_of(*method, "_card")) : nullptr;
}

json::object& new_refund(draft& in, const json::object& charge, std::int64_t amount, std::string_view status,
                         const json::value& reason, const json::object& metadata) {
  auto& refund = in.make("refund", "re_");
  refund["amount"] = amount;
  refund["balance_transaction"] = nullptr;
  refund["charge"] = charge.at("id");
  refund["currency"] = charge.at("currency");
  refund["metadata"] = metadata;
  refund["payment_intent"] = charge.at("payment_intent");
  refund["reason"] = reason;
  refund["status"] = status;
  return refund;
}

void change_status(draft& in, json::object& refund, std::string_view status) {
  const json::object before{{"status", refund.at("status")}};
  refund["status"] = status;
  refund.erase("pending_reason");
  in.notify("refund.updated", refund, before);
  in.notify("charge.refund.updated", refund, before);
}

}  // namespace

std::int64_t left_of(const store& all, const json::object& charge) {
  if (!charge.at("captured").as_bool()) return 0;
  auto left = number_of(charge, "amount") - number_of(charge, "amount_refunded");
  for (const auto* each : all.all("dispute", store::owner_of(charge)))
    if (text_of(*each, "charge") == text_of(charge, "id") && text_of(*each, "status") == "lost")
      left -= number_of(*each, "amount");
  return left;
}

json::object& refund_charge(draft& in, json::object& charge, std::int64_t amount, std::string_view status,
                            const json::value& reason, const json::object& metadata) {
  auto& refund = new_refund(in, charge, amount, status, reason, metadata);
  refund["balance_transaction"] = balance_id(text_of(refund, "id"));
  if (status == "pending") refund["pending_reason"] = "processing";
  charge["amount_refunded"] = number_of(charge, "amount_refunded") + amount;
  charge["refunded"] = charge.at("amount_refunded") == charge.at("amount");
  in.notify("refund.created", refund);
  in.notify("charge.refunded", charge);
  in.effect("refund", refund, amount, text_of(charge, "currency"));
  return refund;
}

void succeed(draft& in, json::object& refund) {
  change_status(in, refund, "succeeded");
  in.effect("refund_succeeded", refund, number_of(refund, "amount"), text_of(refund, "currency"));
}

/// https://docs.stripe.com/refunds#failed-refunds: the amount returns to the account's balance.
void fail(draft& in, json::object& refund, std::string_view failure_reason) {
  auto& charge = *in.find("charge", text_of(refund, "charge"));
  charge["amount_refunded"] = number_of(charge, "amount_refunded") - number_of(refund, "amount");
  charge["refunded"] = false;
  refund["failure_reason"] = failure_reason;
  refund["failure_balance_transaction"] = balance_id(text_of(refund, "id"), "failed");
  change_status(in, refund, "failed");
  in.notify("refund.failed", refund);
  in.effect("refund_failed", refund, number_of(refund, "amount"), text_of(refund, "currency"));
}

answer create_refund(draft& in, const form& given) {
  static constexpr parameter known[]{
      {"amount", integer},    {"charge"},
      {"expand[#]"},          {"metadata[*]", metadata},
      {"payment_intent"},     {"reason", one_of, false, "duplicate fraudulent requested_by_customer"},
      {"instructions_email"},
  };
  if (const auto fault = fault_of(given, known)) return *fault;
  if (const auto fault = fault_of_expand(given.list("expand"), expandable)) return *fault;
  if (!given.find("charge") && !given.find("payment_intent"))
    return invalid("One of the following params should be provided for this request: payment_intent or charge.",
                   "parameter_missing", "payment_intent");
  auto found = charge_for(in, given);
  if (const auto* fault = std::get_if<answer>(&found)) return *fault;
  auto& charge = *std::get<json::object*>(found);
  if (const auto fault = fault_of_refund(in.stored(), charge, given)) return begun(*fault);

  const auto amount = given.number("amount", left_of(in.stored(), charge));
  const auto reason = given.find("reason") ? json::value(given.text("reason")) : json::value(nullptr);
  const auto metadata = given.texts_under("metadata");
  const auto* which = card_of(in, charge);
  if (which && which->refund_fails) {
    auto& refused = new_refund(in, charge, amount, "failed", reason, metadata);
    refused["failure_reason"] = "expired_or_canceled_card";
    in.notify("refund.failed", refused);
    in.effect("refund_failed", refused, amount, text_of(charge, "currency"));
    return json_answer(200, shown(in.stored(), refused, given.list("expand")));
  }
  const bool waits = which && which->refund_waits;
  const auto& refund = refund_charge(in, charge, amount, waits ? "pending" : "succeeded", reason, metadata);
  return json_answer(200, shown(in.stored(), refund, given.list("expand")));
}

answer retrieve_refund(draft& in, const form& given, const std::string& id) {
  static constexpr parameter known[]{{"expand[#]"}};
  if (const auto fault = fault_of(given, known)) return *fault;
  if (const auto fault = fault_of_expand(given.list("expand"), expandable)) return *fault;
  const auto* refund = in.stored().find("refund", id, in.who());
  if (!refund) return missing("refund", id);
  return json_answer(200, shown(in.stored(), *refund, given.list("expand")));
}

answer list_refunds(draft& in, const form& given) {
  static constexpr parameter known[]{{"charge"},        {"payment_intent"},     {"limit", integer}, {"starting_after"},
                                     {"ending_before"}, {"created[gte]", time}, {"expand[#]"}};
  if (const auto fault = fault_of(given, known)) return *fault;
  if (const auto fault = fault_of_expand(given.list("expand"), expandable)) return *fault;
  auto found = in.stored().all("refund", in.who());
  std::erase_if(found, [&](const auto* each) {
    return (given.find("charge") && text_of(*each, "charge") != given.text("charge")) ||
           (given.find("payment_intent") && text_of(*each, "payment_intent") != given.text("payment_intent")) ||
           number_of(*each, "created") < given.number("created[gte]");
  });
  return list_of(in.stored(), found, given, "/v1/refunds");
}

}  // namespace gateway::stripe_stand_in
