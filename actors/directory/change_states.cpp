#include "change_states.hpp"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include <boost/json.hpp>

#include "gateway/domain/time.hpp"

namespace gateway::actors {

namespace {

namespace json = boost::json;

/// A longer state is replaced by its size. No present command produces one.
constexpr std::size_t most_state_bytes = 16'384;

json::array texts_of(const std::vector<std::string>& texts) { return json::array(texts.begin(), texts.end()); }

json::object shown_key(const api_key& k) {
  return {{"key_id", k.id.value},
          {"mode", to_string(k.env)},
          {"scopes", to_string(k.scopes)},
          {"status", k.revoked ? "revoked" : "active"}};
}

json::object shown_key(const platform_key& k) {
  return {{"key_id", k.id.value},
          {"platform_id", k.platform.value},
          {"scopes", to_string(k.scopes)},
          {"status", k.revoked ? "revoked" : "active"}};
}

json::object shown_connection(const connection& c) {
  return {{"provider", to_string(c.provider)},
          {"mode", to_string(c.env)},
          {"status", to_string(c.status)},
          {"account", c.account}};
}

json::object shown_route(const route& r) {
  json::array currencies, methods;
  for (const auto& each : r.currencies) currencies.emplace_back(each.code());
  for (const auto each : r.methods) methods.emplace_back(to_string(each));
  return {{"provider", to_string(r.provider)},
          {"mode", to_string(r.env)},
          {"currencies", std::move(currencies)},
          {"methods", std::move(methods)}};
}

json::object shown_destination(const destination& d) {
  json::object shown{{"destination_id", d.id.value},
                     {"mode", to_string(d.env)},
                     {"url", d.url},
                     {"events", texts_of(d.events)},
                     {"status", to_string(d.status)},
                     {"name", d.name},
                     {"standard_webhooks", d.standard_webhooks}};
  if (!d.disabled_reason.empty()) shown["disabled_reason"] = d.disabled_reason;
  return shown;
}

json::object shown_platform(const platform& p) {
  return {{"platform_id", p.id.value},
          {"client_id", p.slug},
          {"name", p.name},
          {"contact", p.contact},
          {"status", to_string(p.status)},
          {"redirect_uris", texts_of(p.redirect_uris)},
          {"return_origins", texts_of(p.return_origins)}};
}

json::object shown_member(const people& persons, const user_id& user, member_role role) {
  json::object shown{{"user_id", user.value}, {"role", to_string(role)}};
  if (const auto email = persons.email_of(user); !email.empty()) shown["email"] = email;
  return shown;
}

json::object shown_provider(provider_kind provider, environment env, bool is_configured) {
  return {{"provider", to_string(provider)},
          {"mode", to_string(env)},
          {"status", is_configured ? "configured" : "not_configured"}};
}

json::object shown_branding(const branding& b) {
  return {{"shop_name", b.shop_name}, {"colour", b.colour}, {"support", b.support}, {"logo", b.logo}};
}

json::object shown_master_key(const std::string& id, master_key_status status) {
  return {{"id", id}, {"status", to_string(status)}};
}

class state_collector {
 public:
  state_collector(const directory& published, const people& persons) : published_(published), persons_(persons) {}

  void operator()(const save_merchant& m) {
    add(after_, "merchant",
        {{"merchant_id", m.id.value}, {"name", m.name}, {"entity", to_string(m.kind)}, {"owner_email", m.owner_email}});
  }
  void operator()(const save_api_key& k) {
    auto shown = shown_key(api_key{k.id, k.merchant, k.env, k.scopes, {}, false});
    shown["name"] = k.name;
    add(after_, "key", std::move(shown));
  }
  void operator()(const revoke_api_key& k) { revoke(published_.find_key(k.id)); }
  void operator()(const save_platform_key& k) {
    auto shown = shown_key(platform_key{k.id, k.platform, k.scopes, {}});
    shown["name"] = k.name;
    add(after_, "key", std::move(shown));
  }
  void operator()(const revoke_platform_key& k) { revoke(published_.find_platform_key(k.id)); }

  void operator()(const save_user& u) { add(after_, "user", {{"user_id", u.id.value}, {"email", u.email}}); }
  void operator()(const save_membership& m) {
    if (const auto role = persons_.role_of(m.merchant, m.user))
      add(before_, "member", shown_member(persons_, m.user, *role));
    add(after_, "member", shown_member(persons_, m.user, m.role));
  }
  void operator()(const drop_membership& m) {
    if (const auto role = persons_.role_of(m.merchant, m.user))
      add(before_, "member", shown_member(persons_, m.user, *role));
  }
  void operator()(const save_invitation& i) {
    add(after_, "invitation", shown_member(persons_, i.what.user, i.what.role));
  }
  void operator()(const drop_invitation& i) { end_invitation(i.merchant, i.user); }
  void operator()(const spend_invitation& i) { end_invitation(i.merchant, i.user); }
  void operator()(const set_user_password& p) { set_password(p.user); }
  void operator()(const set_first_password& p) { set_password(p.user); }

  void operator()(const save_connection& c) {
    if (const auto* known = part_of(c.merchant, &merchant::connections, c.link))
      add(before_, "connection", shown_connection(*known));
    add(after_, "connection", shown_connection(c.link));
  }
  void operator()(const save_route& r) {
    if (const auto* known = part_of(r.merchant, &merchant::routes, r.way)) add(before_, "route", shown_route(*known));
    add(after_, "route", shown_route(r.way));
  }
  void operator()(const save_destination& d) {
    if (const auto known = published_.find_destination(d.what.id)) {
      auto shown = shown_destination(known->what);
      if (!known->previous_secret.empty()) shown["previous_secret_until"] = format_millis(known->previous_until);
      add(before_, "destination", std::move(shown));
    }
    auto shown = shown_destination(d.what);
    if (d.previous_until) shown["previous_secret_until"] = format_millis(*d.previous_until);
    add(after_, "destination", std::move(shown));
  }
  void operator()(const insert_platform& p) { add(after_, "platform", shown_platform(p.what)); }
  void operator()(const update_platform& p) {
    if (const auto known = published_.find_platform(p.what.id)) {
      add(before_, "platform", shown_platform(*known));
      auto next = p.what;
      next.slug = known->slug;
      return add(after_, "platform", shown_platform(next));
    }
    add(after_, "platform", shown_platform(p.what));
  }
  void operator()(const save_provider& p) {
    add(before_, "provider", shown_provider(p.provider, p.env, published_.has_provider(p.provider, p.env)));
    add(after_, "provider", shown_provider(p.provider, p.env, !p.sealed_settings.empty()));
  }
  void operator()(const save_branding& b) {
    if (const auto known = published_.find_merchant(b.merchant)) add(before_, "branding", shown_branding(known->look));
    add(after_, "branding", shown_branding(b.look));
  }
  void operator()(const save_master_key& k) { add(after_, "master_key", shown_master_key(k.id, k.status)); }
  void operator()(const promote_key& k) {
    add(before_, "master_key", shown_master_key(k.id, master_key_status::offered));
    add(after_, "master_key", shown_master_key(k.id, master_key_status::current));
  }
  void operator()(const withdraw_key& k) {
    add(before_, "master_key", shown_master_key(k.id, master_key_status::offered));
  }
  void operator()(const retire_key& k) {
    add(before_, "master_key", shown_master_key(k.id, master_key_status::old));
    add(after_, "master_key", shown_master_key(k.id, master_key_status::retired));
  }
  /// Other rows are not shown in the audit log.
  template <class Row>
  void operator()(const Row&) const {}

  change_states take() && { return {text_of(before_), text_of(after_)}; }

 private:
  /// Adds the state as `name`, or as `name_2`, `name_3`, … if the name is taken.
  static void add(json::object& to, const char* name, json::object state) {
    std::string free{name};
    for (int number = 2; to.contains(free); ++number) free = name + std::string{"_"} + std::to_string(number);
    to.emplace(free, std::move(state));
  }

  template <class Key>
  void revoke(const std::shared_ptr<const Key>& known) {
    if (!known) return;
    add(before_, "key", shown_key(*known));
    auto next = *known;
    next.revoked = true;
    add(after_, "key", shown_key(next));
  }

  void end_invitation(const merchant_id& merchant, const user_id& user) {
    if (persons_.has_invitation(merchant, user)) add(before_, "invitation", {{"user_id", user.value}});
  }
  void set_password(const user_id& user) { add(after_, "password", {{"user_id", user.value}, {"status", "set"}}); }

  /// The merchant's present connection or route with the same provider and mode; null if there is none.
  template <class Part>
  const Part* part_of(const merchant_id& id, std::vector<Part> merchant::* parts, const Part& like) {
    kept_.push_back(published_.find_merchant(id));
    if (!kept_.back()) return nullptr;
    const auto& all = (*kept_.back()).*parts;
    const auto at = std::ranges::find_if(
        all, [&](const Part& one) { return one.env == like.env && one.provider == like.provider; });
    return at == all.end() ? nullptr : &*at;
  }

  static std::string text_of(const json::object& states) {
    if (states.empty()) return {};
    auto text = json::serialize(states);
    if (text.size() > most_state_bytes) return json::serialize(json::object{{"bytes_left_out", text.size()}});
    return text;
  }

  const directory& published_;
  const people& persons_;
  std::vector<std::shared_ptr<const merchant>> kept_;
  json::object before_, after_;
};

}  // namespace

change_states states_of(const unit_of_work& change, const directory& published, const people& persons) {
  state_collector states{published, persons};
  for (const auto& row : change.claims) std::visit(states, row);
  for (const auto& row : change.inserts) std::visit(states, row);
  return std::move(states).take();
}

}  // namespace gateway::actors
