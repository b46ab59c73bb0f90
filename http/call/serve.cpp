#include "serve.hpp"

#include <algorithm>
#include <exception>
#include <optional>

#include "gateway/base/log.hpp"
#include "gateway/domain/text.hpp"
#include "http/access/authentication.hpp"
#include "http/codec/ignored_fields.hpp"
#include "http/errors.hpp"
#include "preconditions.hpp"
#include "reply.hpp"

namespace gateway::http {
namespace {

/// Removes and returns the part before the first `/`; removes the slash too.
std::string_view take_segment(std::string_view& path) noexcept {
  const auto end = std::min(path.find('/'), path.size());
  const auto segment = path.substr(0, end);
  path.remove_prefix(std::min(end + 1, path.size()));
  return segment;
}

/// The variable with this name in braces; null for a literal segment.
std::string_view* variable_of(path_variables& found, std::string_view segment) noexcept {
  if (segment == "{id}") return &found.id;
  if (segment == "{merchant}") return &found.merchant;
  if (segment == "{mode}") return &found.mode;
  return nullptr;
}

/// The values of the pattern's variables if the path matches. A variable is never empty.
std::optional<path_variables> match(std::string_view pattern, std::string_view path) noexcept {
  path_variables found;
  const auto constant = std::min(pattern.find('{'), pattern.size());
  if (path.substr(0, constant) != pattern.substr(0, constant)) return std::nullopt;
  pattern.remove_prefix(constant);
  path.remove_prefix(constant);
  while (!pattern.empty()) {
    const bool pattern_goes_on = pattern.find('/') != pattern.npos, path_goes_on = path.find('/') != path.npos;
    if (pattern_goes_on != path_goes_on) return std::nullopt;
    const auto expected = take_segment(pattern), segment = take_segment(path);
    if (auto* variable = variable_of(found, expected)) {
      if (segment.empty()) return std::nullopt;
      *variable = segment;
    } else if (expected != segment) {
      return std::nullopt;
    }
  }
  return path.empty() ? std::optional{found} : std::nullopt;
}

/// Looks up the key of a request whose signature could not be verified (key_to_look_for).
boost::asio::awaitable<std::optional<error_code>> make_signer_known(call& c) {
  auto& shared = c.here.shared;
  const auto wanted = key_to_look_for(c.in, shared.merchants, shared.clock.now());
  if (!wanted) co_return std::nullopt;
  auto making = make_known(c.here, directory_name{directory_name::kind::key, wanted->value});
  co_return co_await std::move(making);
}

/// The merchant that the caller acts for, if the endpoint requires one and the request names it.
std::optional<merchant_id> acting_for(const caller& who, const request& in, const endpoint& way) {
  if (const auto* own = std::get_if<merchant_key>(&who)) return own->merchant;
  constexpr std::size_t longest_merchant_id = 64;
  const bool named =
      way.subject != acts_as::platform && in.service_merchant && in.service_merchant->size() <= longest_merchant_id;
  return named ? std::optional{merchant_id{std::string{*in.service_merchant}}} : std::nullopt;
}

/// The environment that a platform's request names.
std::optional<environment> named_environment(const request& in) {
  const auto chosen = read_environment(in);
  const auto* env = std::get_if<environment>(&chosen);
  return env ? std::optional{*env} : std::nullopt;
}

/// The environment that an authenticated request is for, if that is certain.
std::optional<environment> environment_of(const caller& who, const request& in) {
  if (const auto* own = std::get_if<merchant_key>(&who)) return own->env;
  return named_environment(in);
}

/// Only a write for a merchant belongs to an environment.
bool is_merchants_write(const endpoint& way) noexcept {
  return way.needs == access::signed_write && way.subject != acts_as::platform;
}

void add_ignored_fields(response& out, call& c, const endpoint& way) {
  if (!c.ignored) c.ignored = ignored_fields(c.in.body, c.here.shared.config.http.json_depth, way.body);
  if (!c.ignored->empty()) out.headers.emplace_back("Ignored-Fields", *std::move(c.ignored));
}

/// The checks of a signed route, in the contract's order. The first that fails determines the answer.
boost::asio::awaitable<response> run_signed(call& c, endpoint way) {
  auto& shared = c.here.shared;
  const auto answer_with = [&](const rejection& why) { return error_response(way.errors, why, shared.base_url); };
  if (auto rejected = check_room(c, way)) co_return answer_with(*rejected);

  auto signer = authenticate(c.in, shared.merchants, shared.clock.now(), c.body_sha256);
  if (std::holds_alternative<rejection>(signer)) {
    auto looking = make_signer_known(c);
    const auto failed = co_await std::move(looking);
    if (failed) co_return error_response(way.errors, *failed);
    signer = authenticate(c.in, shared.merchants, shared.clock.now(), c.body_sha256);
  }
  if (auto* rejected = std::get_if<rejection>(&signer)) co_return answer_with(*rejected);
  auto& who = std::get<caller>(signer);
  // A platform's request names its environment in the query. Only a refused request is parsed for it here.
  const auto refuse = [&](const rejection& why, std::optional<environment> env) {
    c.in_test = env == environment::test;
    return answer_with(why);
  };
  if (auto rejected = count_signer(c, who)) co_return refuse(*rejected, environment_of(who, c.in));
  if (way.errors == error_style::revoke && !std::holds_alternative<platform_caller>(who))
    co_return answer_with({error_code::invalid_client, {}});

  if (const auto merchant = acting_for(who, c.in, way); merchant && !shared.merchants.find_merchant(*merchant)) {
    auto making = make_known(c.here, *merchant);
    const auto failed = co_await std::move(making);
    if (failed) co_return refuse({*failed, {}}, environment_of(who, c.in));
  }

  const auto* own = std::get_if<merchant_key>(&who);
  const auto own_env = own ? std::optional{own->env} : std::nullopt;
  auto judged = way.subject == acts_as::platform ? ruling{permit_of_signer(std::move(who))}
                : way.subject == acts_as::reader_of_events
                    ? authorize_reader_of_events(std::move(who), c.in, way.allowed_by, shared.merchants)
                    : authorize(std::move(who), c.in, way.allowed_by, shared.merchants,
                                way.subject == acts_as::platforms_merchant);
  if (auto* rejected = std::get_if<rejection>(&judged)) {
    co_return refuse(*rejected, own_env ? own_env : named_environment(c.in));
  }
  c.allowed = std::get<permit>(std::move(judged));
  c.in_test = c.allowed.env == environment::test;

  if (auto rejected = take_idempotency_key(c, way)) co_return answer_with(*rejected);
  if (auto rejected = admit(c, way)) co_return answer_with(*rejected);
  if (auto rejected = pass_brake(c, way)) co_return answer_with(*rejected);
  auto op = way.run(c);
  co_return co_await std::move(op);
}

boost::asio::awaitable<response> begin(call& c, endpoint way) {
  return way.needs == access::open ? way.run(c) : run_signed(c, way);
}

/// The id in the path, if it is that of a payment.
std::string_view payment_in(const path_variables& path, std::string_view pattern) noexcept {
  const bool names_payment =
      pattern.find("/payments/{id}") != pattern.npos || pattern.find("/payment_intents/{id}") != pattern.npos;
  return names_payment && is_payment_id(path.id) ? path.id : std::string_view{};
}

/// The merchant in the path of a page.
std::string_view merchant_in(const path_variables& path) noexcept {
  constexpr std::size_t longest = 64;
  const bool is_id = path.merchant.size() <= longest && std::ranges::all_of(path.merchant, is_id_character);
  return is_id ? path.merchant : std::string_view{};
}

/// The subject in the log: the last entity that was asked for; if none was, what the request names.
std::shared_ptr<const request_subject> subject_of(call& c, std::string_view pattern) {
  auto& about = c.about;
  if (about.merchant.empty()) about.merchant = c.allowed.merchant.value;
  if (about.merchant.empty()) about.merchant = merchant_in(c.path);
  if (about.payment.empty()) about.payment = payment_in(c.path, pattern);
  if (about.merchant.empty() && about.payment.empty()) return nullptr;
  return std::make_shared<const request_subject>(std::move(about));
}

response failed(const request& in, const endpoint& way, std::string_view what) {
  log::error("request_failed",
             {{"request_id", in.request_id}, {"trace_id", in.trace.trace}, {"route", way.pattern}, {"what", what}});
  return error_response(way.errors, error_code::internal_error);
}

}  // namespace

std::variant<found_endpoint, response> find_endpoint(std::span<const endpoint> table, std::string_view method,
                                                     std::string_view path) {
  std::string allowed;
  std::string_view pattern;
  for (const auto& way : table) {
    const auto variables = match(way.pattern, path);
    if (!variables) continue;
    if (way.method == method) return found_endpoint{&way, *variables};
    if (!allowed.empty()) allowed += ", ";
    allowed += way.method;
    pattern = way.pattern;
  }
  if (allowed.empty()) return error_response(error_code::not_found);
  auto out = error_response(error_code::method_not_allowed);
  out.headers.emplace_back("Allow", std::move(allowed));
  out.route = pattern;
  return out;
}

boost::asio::awaitable<response> serve(worker& here, request& in, std::span<const endpoint> table) {
  auto found = find_endpoint(table, in.method, in.path);
  if (auto* missing = std::get_if<response>(&found)) co_return std::move(*missing);
  const auto& way = *std::get<found_endpoint>(found).what;
  call c{here, in, std::get<found_endpoint>(found).path};
  response out;
  try {
    auto op = begin(c, way);
    out = co_await std::move(op);
  } catch (const std::exception& failure) {
    out = failed(in, way, failure.what());
  }
  out.route = way.pattern;
  if (log::enabled(log::level::info)) out.about = subject_of(c, way.pattern);
  if (c.rates) add_rate_limits(out, c.rates->standings());
  if (c.in_test && is_merchants_write(way)) add_ignored_fields(out, c, way);
  if (way.ends) add_deprecation(out, *way.ends);
  co_return out;
}

}  // namespace gateway::http
