// What a third party can make a person's browser send to the pages. The first byte selects which input the rest is (see
// the end of this file).
//
// The query of the consent screen: a browser is redirected only to an address that the platform has registered, byte
// for byte, and the appended parameters read back as they were meant. Forms: a repeated field has no value, and a form
// that is read, written and read again is the same.
#include <algorithm>
#include <array>
#include <memory>
#include <string>

#include "gateway/domain/authorize_request.hpp"
#include "http/codec/query.hpp"
#include "http/html/forms.hpp"
#include "must.hpp"

namespace gateway::fuzz {
namespace {

using namespace http;

const std::array<std::string, 3> registered{"https://app.example/back", "https://app.example/back?x=1",
                                            "http://localhost:4000/cb"};

std::shared_ptr<const platform> one(platform_status status) {
  platform p;
  p.id = platform_id{"plat_1"};
  p.slug = "shop";
  p.name = "Shop";
  p.status = status;
  p.redirect_uris = {registered.begin(), registered.end()};
  return std::make_shared<const platform>(std::move(p));
}

std::shared_ptr<const platform> find_platform(std::string_view slug) {
  static const auto active = one(platform_status::active), suspended = one(platform_status::suspended);
  if (slug == "shop") return active;
  if (slug == "idle") return suspended;
  return nullptr;
}

bool is_registered(std::string_view uri) { return std::ranges::find(registered, uri) != registered.end(); }

/// The address is a registered one followed by these parameters and nothing else.
void check_location(const std::string& location, const std::string& uri, std::string_view name, std::string_view value,
                    const std::string& state) {
  must(location.starts_with(uri), "a browser goes to the registered address");
  must(has_only_url_characters(location), "by an address that every browser reads alike");
  const auto rest = std::string_view{location}.substr(uri.size());
  must(rest.starts_with(uri.find('?') == uri.npos ? '?' : '&'), "with parameters behind it");
  const auto read = read_query(rest.substr(1));
  must(read && read->size() == (state.empty() ? 1u : 2u), "with as many as were meant");
  must((*read)[0].name == name && (*read)[0].value == value, "the first says what came of it");
  must(state.empty() || ((*read)[1].name == "state" && (*read)[1].value == state), "the second is the state unchanged");
}

void drive_authorize_query(std::string_view text) {
  const auto query = read_query(text);
  if (!query) return;
  const auto verdict = judge_authorize_query(*query, find_platform);
  const auto count = [&](std::string_view name) { return std::ranges::count(*query, name, &query_parameter::name); };
  if (std::holds_alternative<authorize_fault>(verdict)) return;
  must(count("client_id") == 1 && count("redirect_uri") == 1, "who asks and where to is said once");
  const auto client = std::ranges::find(*query, "client_id", &query_parameter::name)->value;
  must(client == "shop", "a suspended or unknown platform gets no redirect");
  const auto sent = std::ranges::find(*query, "redirect_uri", &query_parameter::name)->value;
  if (const auto* why = std::get_if<authorize_rejection>(&verdict)) {
    must(is_registered(why->redirect_uri) && why->redirect_uri == sent, "errors go to a registered address");
    must(why->error != authorize_error::access_denied, "only people refuse");
    check_location(location_with_error(*why), why->redirect_uri, "error", to_string(why->error), why->state);
    return;
  }
  const auto& asked = std::get<authorize_request>(verdict);
  must(is_registered(asked.redirect_uri) && asked.redirect_uri == sent, "codes go to a registered address");
  must(count("state") == 1 && count("scope") == 1 && count("mode") <= 1, "nothing is said twice");
  must(!asked.state.empty() && count_characters(asked.state) <= most_state, "a state is there");
  must(asked.scopes.bits != 0 && !asked.scopes.permits(scope::all), "something is asked for, and not everything");
  check_location(location_with_code(asked, "code-1"), asked.redirect_uri, "code", "code-1", asked.state);
  check_location(location_with_error(refused_by_user(asked)), asked.redirect_uri, "error", "access_denied",
                 asked.state);
}

void drive_form(std::string_view text) {
  const auto sent = form::read(text);
  if (!sent) return;
  must(text.size() <= most_form_bytes, "a form is bounded");
  const auto fields = read_query(text);
  must(fields.has_value(), "a form is read as a query is");
  std::string again;
  for (const auto& each : *fields) {
    const bool once = std::ranges::count(*fields, each.name, &query_parameter::name) == 1;
    must(sent->has(each.name), "what was sent is there");
    must(sent->one(each.name).has_value() == once, "a repeated field has no value");
    must(!once || sent->text(each.name) == each.value, "a field that is sent once has its value");
    again.append(again.empty() ? "" : "&").append(percent_encoded(each.name)).append("=");
    again.append(percent_encoded(each.value));
  }
  const auto read_again = read_query(again);
  must(fields->empty() || again.size() > most_query_bytes || (read_again && read_again->size() == fields->size()),
       "what was read and written is read again");
  must(!is_genuine(*sent, "key", "cookie", "page"), "a token that was not issued is not accepted");
}

}  // namespace
}  // namespace gateway::fuzz

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* bytes, std::size_t size) {
  using namespace gateway::fuzz;
  if (size == 0) return -1;
  const std::string_view text{reinterpret_cast<const char*>(bytes + 1), size - 1};
  switch (bytes[0]) {
    case 'a': drive_authorize_query(text); break;
    case 'f': drive_form(text); break;
    default: return -1;
  }
  return 0;
}
