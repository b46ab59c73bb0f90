#include "member_frame.hpp"

#include <algorithm>
#include <utility>

#include "gateway/domain/text.hpp"
#include "gateway/domain/url.hpp"
#include "http/html/block_parts.hpp"

namespace gateway::http {
namespace {

struct place_words {
  member_place where;
  std::string_view path;
  std::string_view name;
};
constexpr place_words places[] = {{member_place::overview, "", "Overview"},
                                  {member_place::payments, "payments", "Payments"},
                                  {member_place::disputes, "disputes", "Disputes"},
                                  {member_place::subscriptions, "subscriptions", "Subscriptions"},
                                  {member_place::customers, "customers", "Customers"},
                                  {member_place::keys, "keys", "Keys"},
                                  {member_place::destinations, "destinations", "Destinations"},
                                  {member_place::connections, "connections", "Connections"},
                                  {member_place::platforms, "platforms", "Platforms"},
                                  {member_place::team, "team", "Team"},
                                  {member_place::branding, "branding", "Branding"},
                                  {member_place::audit, "audit", "Audit log"},
                                  {member_place::account, "account", "Account"}};

const place_words& words_of_place(member_place where) noexcept { return places[static_cast<std::size_t>(where)]; }

std::string account_url(const member_frame& frame) { return frame.portal + "/account"; }

std::string url_of(const member_frame& frame, std::string_view merchant, environment env, std::string_view path) {
  std::string url = frame.portal + "/" + percent_encoded(merchant) + "/";
  return url.append(to_string(env)).append("/").append(path);
}

void show_way(TemplateDictionary& where, const char* section, std::string_view url, std::string_view name, bool here) {
  auto& item = *where.AddSectionDictionary(section);
  set(item, "URL", url);
  set(item, "NAME", name);
  if (here) item.ShowSection("HERE");
}

void show_environment(TemplateDictionary& values, const member_frame& frame) {
  const bool live = frame.env == environment::live;
  auto& band = *values.AddSectionDictionary("BAND");
  set(band, "ENV", to_string(frame.env));
  set(band, "WORDS", live ? "Live: real payments" : "Test: no money moves");
  auto& modes = *values.AddSectionDictionary("MODES");
  const auto path = frame.at == member_place::account ? std::string_view{} : words_of_place(frame.at).path;
  for (const auto env : {environment::test, environment::live})
    show_way(modes, "TO", url_of(frame, frame.merchant_id, env, path), env == environment::live ? "Live" : "Test",
             env == frame.env);
}

void show_merchants(TemplateDictionary& values, const member_frame& frame) {
  set(values, "MERCHANT", frame.merchant.empty() ? "All merchants" : frame.merchant);
  if (frame.merchants.empty()) {
    set_if_any(values, "ALONE", "TEXT", "You belong to no merchant. An owner can invite you.");
    return;
  }
  auto& list = *values.AddSectionDictionary("SWITCH");
  const auto env = frame.merchant_id.empty() ? environment::live : frame.env;
  for (const auto& to : frame.merchants)
    show_way(list, "TO", url_of(frame, to.id, env, ""), to.name, to.id == frame.merchant_id);
}

void show_places(TemplateDictionary& values, const member_frame& frame) {
  for (const auto& place : places) {
    const bool account = place.where == member_place::account;
    if (frame.merchant_id.empty() && !account) continue;
    if (place.where == member_place::audit && !may_act(frame)) continue;
    show_way(values, "PLACE", account ? account_url(frame) : member_url(frame, place.path), place.name,
             place.where == frame.at);
  }
}

void show_foot(TemplateDictionary& values, const member_frame& frame) {
  set_if_any(values, "DOCUMENTED", "URL", frame.documents);
  if (!frame.zone.empty()) {
    auto& zone = *values.AddSectionDictionary("ZONED");
    set(zone, "ACCOUNT", account_url(frame));
    set(zone, "ZONE", frame.zone);
  }
  if (!frame.merchant_id.empty() && frame.role == member_role::viewer)
    set_if_any(values, "ROLE", "TEXT", "You look at this merchant; an owner changes it.");
  if (frame.user.email.empty()) return;
  auto& user = *values.AddSectionDictionary("SIGNED_IN");
  set(user, "EMAIL", frame.user.email);
  set(user, "SIGN_OUT", frame.user.sign_out_url);
  set(user, "SIGN_OUT_CSRF", frame.user.sign_out_csrf);
}

}  // namespace

std::string member_url(const member_frame& frame, std::string_view path) {
  return url_of(frame, frame.merchant_id, frame.env, path);
}

blocks::link member_link(const member_frame& frame, std::string text, std::string_view path) {
  return {std::move(text), member_url(frame, path)};
}

std::string merchant_url(const member_frame& frame, std::string_view merchant, environment env) {
  return url_of(frame, merchant, env, "");
}

std::string in_sentence_case(std::string text) {
  if (text.empty() || text.find('.') != text.npos) return text;
  std::ranges::replace(text, '_', ' ');
  text.front() = to_upper(text.front());
  return text;
}

std::string with_query(std::string path, const std::vector<hidden_field>& query) {
  char mark = '?';
  for (const auto& each : query) {
    if (each.value.empty()) continue;
    path += std::exchange(mark, '&');
    path.append(percent_encoded(each.name)).append("=").append(percent_encoded(each.value));
  }
  return path;
}

blocks::pager list_pager(std::string path, std::vector<hidden_field> query, const std::string& older, bool at_newest) {
  blocks::pager ways{"Pages", {}};
  if (!at_newest) ways.links.push_back({"Newest", with_query(path, query)});
  if (!older.empty()) {
    query.push_back({"cursor", older});
    ways.links.push_back({"Older", with_query(std::move(path), query)});
  }
  return ways;
}

blocks::pager further_pager(std::string path, const std::string& further, bool at_first) {
  blocks::pager ways{"Pages", {}};
  if (!at_first) ways.links.push_back({"First", path});
  if (!further.empty()) ways.links.push_back({"Further", with_query(std::move(path), {{"cursor", further}})});
  return ways;
}

void add_fact(blocks::facts& to, std::string name, std::string text) {
  if (!text.empty()) to.rows.push_back({std::move(name), {std::move(text)}});
}

void add_fact(blocks::facts& to, std::string name, const shown_time& at) {
  if (!at.text.empty()) to.rows.push_back({std::move(name), {at}});
}

blocks::act_form act_button(const member_frame& frame, std::string action, std::string label, std::string about,
                            std::vector<hidden_field> hidden) {
  return blocks::one_button(frame.csrf, std::move(action), std::move(label), std::move(about), std::move(hidden));
}

blocks::act_form act_form_of(const member_frame& frame, std::string id) {
  blocks::act_form made;
  made.id = std::move(id);
  made.csrf = frame.csrf;
  return made;
}

bool may_act(const member_frame& frame) noexcept { return frame.role == member_role::owner; }

response member_response(const member_frame& frame, const member_page& page, const page_policy& policy) {
  TemplateDictionary values{"member"};
  values.ShowSection("FRAMED");
  set(values, "TITLE", page.title);
  if (!frame.merchant_id.empty()) show_environment(values, frame);
  show_merchants(values, frame);
  show_places(values, frame);
  show_link(values, "UP", page.up);
  if (!page.state.text.empty()) {
    auto& state = *values.AddSectionDictionary("STATE");
    set(state, "TONE", class_of(page.state.how));
    set(state, "TEXT", page.state.text);
  }
  set_if_any(values, "NOTICE", "TEXT", frame.notice);
  set_if_any(values, "FAULT", "TEXT", frame.fault);
  show_sections(values, page.sections);
  show_foot(values, frame);
  return page_response(render(page_template::member, values), policy);
}

}  // namespace gateway::http
