#include "operations.hpp"

namespace gateway::stripe_stand_in {

namespace json = boost::json;

namespace {

using enum shape;

constexpr parameter expand_only[]{{"expand[#]"}};

}  // namespace

bool lives(draft& in, const std::string& customer) {
  const auto* known = in.find("customer", customer);
  return known && !known->contains("deleted");
}

answer create_customer(draft& in, const form& given) {
  static constexpr parameter known[]{{"description"},           {"email"}, {"expand[#]"},
                                     {"metadata[*]", metadata}, {"name"},  {"phone"}};
  if (const auto fault = fault_of(given, known)) return *fault;
  auto& customer = in.make("customer", "cus_");
  customer["_created_ms"] = now_milliseconds();
  for (const auto* name : {"description", "email", "name", "phone"})
    customer[name] = given.find(name) ? json::value(given.text(name)) : json::value(nullptr);
  customer["metadata"] = given.texts_under("metadata");
  in.notify("customer.created", customer);
  in.effect("customer", customer, 0, {});
  return json_answer(200, shown(in.stored(), customer));
}

answer retrieve_customer(draft& in, const form& given, const std::string& id) {
  if (const auto fault = fault_of(given, expand_only)) return *fault;
  const auto* customer = in.stored().find("customer", id, in.who());
  if (!customer) return missing("customer", id);
  // docs.stripe.com/api/customers/retrieve: of a deleted one a part is returned.
  if (customer->contains("deleted"))
    return json_answer(200, json::object{{"id", id}, {"object", "customer"}, {"deleted", true}});
  return json_answer(200, shown(in.stored(), *customer));
}

answer search_customers(draft& in, const form& given, const surroundings& at) {
  return search_in(in.stored(), in.who(), "customer", given, at.search_delay_ms, "/v1/customers/search");
}

answer retrieve_method(draft& in, const form& given, const std::string& id) {
  if (const auto fault = fault_of(given, expand_only)) return *fault;
  const auto* method = in.stored().find("payment_method", id, in.who());
  if (!method) return missing("PaymentMethod", id, 404, "payment_method");
  return json_answer(200, shown(in.stored(), *method));
}

}  // namespace gateway::stripe_stand_in
