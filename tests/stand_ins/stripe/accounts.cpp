// Connected accounts that the platform makes, and the links that lead their owners to Stripe's form.

#include "operations.hpp"

namespace gateway::stripe_stand_in {

namespace json = boost::json;

namespace {

using enum shape;

json::object requirements_of(std::string_view disabled_reason) {
  const bool open = disabled_reason == "requirements.past_due";
  json::object reported{
      {"disabled_reason", disabled_reason.empty() ? json::value(nullptr) : json::value(disabled_reason)}};
  reported["currently_due"] = open ? json::array{"business_type", "external_account"} : json::array{};
  return reported;
}

}  // namespace

answer create_account(draft& in, const form& given) {
  static constexpr parameter known[]{
      {"business_profile[name]"},
      {"controller[fees][payer]", one_of, false, "account application"},
      {"controller[losses][payments]", one_of, false, "application stripe"},
      {"controller[requirement_collection]", one_of, false, "application stripe"},
      {"controller[stripe_dashboard][type]", one_of, false, "express full none"},
      {"country"},
      {"email"},
      {"expand[#]"},
      {"metadata[*]", metadata},
      {"type", one_of, false, "custom express standard"},
  };
  if (const auto fault = fault_of(given, known)) return *fault;
  if (given.has_under("controller") == (given.find("type") != nullptr))
    return invalid("The stand-in wants one of these parameters: type, controller.", {}, "type");
  auto& account = in.make("account", "acct_");
  account["business_profile"] =
      json::object{{"name", given.find("business_profile[name]") ? json::value(given.text("business_profile[name]"))
                                                                 : json::value(nullptr)}};
  account["charges_enabled"] = false;
  account["details_submitted"] = false;
  account["metadata"] = given.texts_under("metadata");
  account["payouts_enabled"] = false;
  account["requirements"] = requirements_of("requirements.past_due");
  in.effect("account", account, 0, {});
  return json_answer(200, shown(in.stored(), account));
}

/// https://docs.stripe.com/api/account_links: a link opens once.
answer create_account_link(draft& in, const form& given, const surroundings& at) {
  static constexpr parameter known[]{
      {"account", text, true}, {"type", one_of, true, "account_onboarding account_update"},
      {"refresh_url", url},    {"return_url", url},
      {"expand[#]"},           {"collection_options[fields]", one_of, false, "currently_due eventually_due"},
  };
  if (const auto fault = fault_of(given, known)) return *fault;
  if (given.text("type") != "account_onboarding")
    return invalid("You cannot create `account_update` links for this account.", {}, "type");
  for (const auto* name : {"refresh_url", "return_url"})
    if (!given.find(name)) return invalid(std::string{"Missing required param: "} + name, "parameter_missing", name);
  if (!in.stored().find_anyones("account", given.text("account")))
    return missing("account", given.text("account"), 400, "account");
  auto& link = in.make("account_link", "link_");
  link["_subject"] = given.text("account");
  link["_refresh_url"] = given.text("refresh_url");
  link["_return_url"] = given.text("return_url");
  return json_answer(200, json::object{{"object", "account_link"},
                                       {"created", link.at("created")},
                                       {"expires_at", in.now() + 300},
                                       {"url", at.base_url + "/setup/" + text_of(link, "id")}});
}

void set_charges(draft& in, json::object& account, std::string_view disabled_reason) {
  const bool able = disabled_reason.empty();
  const json::object before{{"charges_enabled", account.at("charges_enabled")},
                            {"requirements", account.at("requirements")}};
  account["charges_enabled"] = able;
  account["payouts_enabled"] = able;
  account["requirements"] = requirements_of(disabled_reason);
  in.notify("account.updated", account, before, text_of(account, "id"));
}

}  // namespace gateway::stripe_stand_in
