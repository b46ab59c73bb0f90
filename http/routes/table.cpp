#include "table.hpp"

#include <exception>
#include <optional>

#include "gateway/base/log.hpp"
#include "http/access/authentication.hpp"
#include "http/access/preconditions.hpp"
#include "http/errors.hpp"

namespace gateway::http {
namespace {

/// The variable segment (empty for a pattern without one) if the path fits.
std::optional<std::string_view> match(std::string_view pattern, std::string_view path) noexcept {
  constexpr std::string_view variable = "{id}";
  const auto at = pattern.find(variable);
  if (at == std::string_view::npos) return pattern == path ? std::optional<std::string_view>{""} : std::nullopt;
  const auto before = pattern.substr(0, at);
  const auto after = pattern.substr(at + variable.size());
  if (path.size() <= before.size() + after.size() || !path.starts_with(before) || !path.ends_with(after))
    return std::nullopt;
  const auto id = path.substr(before.size(), path.size() - before.size() - after.size());
  if (id.find('/') != std::string_view::npos) return std::nullopt;
  return id;
}

/// The checks of a signed route, in the contract's order: the first that fails answers.
boost::asio::awaitable<response> run_signed(call& c, endpoint way) {
  auto& shared = c.here.shared;
  const auto told = [&](const rejection& why) { return error_response(way.errors, why, shared.base_url); };
  if (auto rejected = admit(c, way)) co_return told(*rejected);

  auto signer = authenticate(c.in, shared.merchants, shared.clock.now());
  if (auto* rejected = std::get_if<rejection>(&signer)) co_return told(*rejected);
  auto& known = std::get<authenticated>(signer);
  c.body_sha256 = std::move(known.body_sha256);
  if (way.errors == error_style::revoke && !std::holds_alternative<platform_caller>(known.who))
    co_return told({error_code::invalid_client, {}});

  auto judged = way.subject == acts_as::platform
                    ? ruling{permit_of_signer(std::move(known.who))}
                    : authorize(std::move(known.who), c.in, way.allowed_by, shared.merchants,
                                way.subject == acts_as::platforms_merchant);
  if (auto* rejected = std::get_if<rejection>(&judged)) co_return told(*rejected);
  c.allowed = std::get<permit>(std::move(judged));

  if (auto rejected = take_idempotency_key(c, way)) co_return told(*rejected);
  if (auto rejected = pass_brake(c, way)) co_return told(*rejected);
  auto op = way.run(c);
  co_return co_await std::move(op);
}

response failed(const request& in, const endpoint& way, std::string_view what) {
  log::error("request_failed", {{"request_id", in.request_id}, {"route", way.pattern}, {"what", what}});
  return error_response(way.errors, error_code::internal_error);
}

}  // namespace

std::variant<found_endpoint, response> find_endpoint(std::span<const endpoint> table, std::string_view method,
                                                     std::string_view path) {
  std::string allowed;
  std::string_view pattern;
  for (const auto& way : table) {
    const auto id = match(way.pattern, path);
    if (!id) continue;
    if (way.method == method) return found_endpoint{&way, *id};
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
  call c{here, in, std::get<found_endpoint>(found).id};
  response out;
  try {
    auto op = way.needs == access::open ? way.run(c) : run_signed(c, way);
    out = co_await std::move(op);
  } catch (const std::exception& failure) {
    out = failed(in, way, failure.what());
  }
  out.route = way.pattern;
  co_return out;
}

}  // namespace gateway::http
