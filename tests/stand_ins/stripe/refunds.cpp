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

std::optional<answer> fault_of_refund(const json::object& charge, const form& given) {
  const auto left = number_of(charge, "amount_captured") - number_of(charge, "amount_refunded");
  if (left <= 0)
    return invalid("Charge " + text_of(charge, "id") + " has already been refunded.", "charge_already_refunded");
  const auto amount = given.number("amount", left);
  if (amount < 1) return invalid("Invalid positive integer", "parameter_invalid_integer", "amount");
  if (amount > left)
    return invalid("Refund amount (" + std::to_string(amount) + ") is greater than unrefunded amount on charge (" +
                       std::to_string(left) + ")",
                   {}, "amount");
  return std::nullopt;
}

bool card_refuses(draft& in, const json::object& charge) {
  const auto* method = in.find("payment_method", text_of(charge, "payment_method"));
  const auto* which = method ? find_card(text_of(*method, "_card")) : nullptr;
  return which && which->refund_fails;
}

}  // namespace

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
  if (const auto fault = fault_of_refund(charge, given)) return begun(*fault);

  const auto left = number_of(charge, "amount_captured") - number_of(charge, "amount_refunded");
  const auto amount = given.number("amount", left);
  const bool fails = card_refuses(in, charge);
  auto& refund = in.make("refund", "re_");
  refund["amount"] = amount;
  refund["charge"] = charge.at("id");
  refund["currency"] = charge.at("currency");
  refund["metadata"] = given.texts_under("metadata");
  refund["payment_intent"] = charge.at("payment_intent");
  refund["reason"] = given.find("reason") ? json::value(given.text("reason")) : json::value(nullptr);
  refund["status"] = fails ? "failed" : "succeeded";
  if (fails) {
    refund["failure_reason"] = "expired_or_canceled_card";
    in.notify("refund.failed", refund);
    in.effect("refund_failed", refund, amount, text_of(charge, "currency"));
  } else {
    charge["amount_refunded"] = number_of(charge, "amount_refunded") + amount;
    charge["refunded"] = amount == left;
    in.notify("refund.created", refund);
    in.notify("charge.refunded", charge);
    in.effect("refund", refund, amount, text_of(charge, "currency"));
  }
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
  static constexpr parameter known[]{{"charge"},         {"payment_intent"},     {"limit", integer},
                                     {"starting_after"}, {"created[gte]", time}, {"expand[#]"}};
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
