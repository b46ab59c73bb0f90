// The checks of the consent screen's query, in their order, and the addresses that the browser is sent back to. Pure.
//
// A redirect to an address that the platform has not registered would hand a code to the author of a forged link. So
// the address is checked first, byte for byte, and until then every fault is shown as an error page.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "gateway/domain/enum_names.hpp"
#include "gateway/domain/grant.hpp"
#include "gateway/domain/platform.hpp"
#include "gateway/domain/text.hpp"
#include "gateway/domain/url.hpp"

namespace gateway {

/// A parameter of the query, decoded as in a form: a plus is a blank. All parameters are kept, in order, with repeats.
struct query_parameter {
  std::string name;
  std::string value;
};

inline constexpr std::size_t most_state = 1'024;  ///< characters

/// The parameters that are read; others are ignored, but no parameter may be repeated.
inline constexpr std::string_view client_parameter = "client_id", address_parameter = "redirect_uri",
                                  state_parameter = "state", scope_parameter = "scope", mode_parameter = "mode";
inline constexpr std::array authorize_parameters{client_parameter, address_parameter, scope_parameter, state_parameter,
                                                 mode_parameter};

/// Why the browser is shown an error page instead of being redirected.
enum class authorize_fault : unsigned char {
  client_id_missing,  ///< or repeated
  unknown_client,
  client_suspended,
  redirect_uri_missing,         ///< or repeated
  redirect_uri_not_registered,  ///< not byte for byte
};

/// Why the browser is sent back to the platform, as the parameter `error`.
enum class authorize_error : unsigned char {
  invalid_request,  ///< state or scope missing, state too long, mode invalid, any parameter repeated
  invalid_scope,    ///< an unknown scope, or `*` alone
  access_denied,    ///< the user refused
};

template <>
inline constexpr auto enum_table<authorize_error> =
    enum_names<authorize_error>({{authorize_error::invalid_request, "invalid_request"},
                                 {authorize_error::invalid_scope, "invalid_scope"},
                                 {authorize_error::access_denied, "access_denied"}});

/// Redirects to a registered address.
struct authorize_rejection {
  authorize_error error = authorize_error::invalid_request;
  std::string redirect_uri;
  std::string state;  ///< empty if there is none to send back
};

/// What the user is asked to consent to.
struct authorize_request {
  platform_id platform;
  environment env = environment::live;
  std::string redirect_uri;
  std::string state;
  scope_set scopes;  ///< at least one, without `*`
};

using authorize_verdict = std::variant<authorize_fault, authorize_rejection, authorize_request>;

namespace detail {

/// The value of a parameter that occurs once. `repeated`: it occurs several times.
struct single_value {
  std::optional<std::string_view> value;
  bool repeated = false;
};

single_value find_parameter(std::span<const query_parameter> query, std::string_view name);

/// Whether any parameter is repeated, including those that are not read.
bool has_repeated(std::span<const query_parameter> query);

std::string_view or_empty(const single_value& found);

}  // namespace detail

/// `find_platform` takes a slug and returns a pointer to the platform, null if there is none.
template <class FindPlatform>
authorize_verdict judge_authorize_query(std::span<const query_parameter> query, FindPlatform find_platform) {
  const auto client = detail::find_parameter(query, client_parameter);
  if (!client.value) return authorize_fault::client_id_missing;
  const auto& asking = find_platform(*client.value);
  if (!asking) return authorize_fault::unknown_client;
  if (asking->status == platform_status::suspended) return authorize_fault::client_suspended;
  const auto address = detail::find_parameter(query, address_parameter);
  if (!address.value) return authorize_fault::redirect_uri_missing;
  if (!has_redirect_uri(*asking, *address.value)) return authorize_fault::redirect_uri_not_registered;

  const auto state = detail::find_parameter(query, state_parameter);
  const auto scope_text = detail::find_parameter(query, scope_parameter);
  const auto mode = detail::find_parameter(query, mode_parameter);
  const auto sent_state = detail::or_empty(state);
  const bool state_usable = !sent_state.empty() && count_characters(sent_state) <= most_state;
  const auto back = [&](authorize_error why) {
    return authorize_rejection{why, std::string{*address.value}, std::string{state_usable ? sent_state : ""}};
  };
  if (detail::has_repeated(query) || !state_usable) return back(authorize_error::invalid_request);
  if (detail::or_empty(scope_text).find_first_not_of(' ') == std::string_view::npos)
    return back(authorize_error::invalid_request);
  const auto env = parse_environment(mode.value.value_or("live"));
  if (!env) return back(authorize_error::invalid_request);

  const auto asked = parse_scopes(*scope_text.value);
  if (!asked) return back(authorize_error::invalid_scope);
  const auto scopes = without(*asked, {static_cast<std::uint32_t>(scope::all)});
  if (scopes.bits == 0) return back(authorize_error::invalid_scope);
  return authorize_request{asking->id, *env, std::string{*address.value}, std::string{sent_state}, scopes};
}

/// The address that the browser goes to with a code.
std::string location_with_code(const authorize_request& asked, std::string_view code);

/// The address that the browser goes to with an error.
std::string location_with_error(const authorize_rejection& why);

/// The user pressed Cancel, or may not consent.
authorize_rejection refused_by_user(const authorize_request& asked);

}  // namespace gateway
