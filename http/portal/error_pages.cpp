#include "error_pages.hpp"

#include <optional>
#include <utility>

#include "http/call/services.hpp"
#include "http/errors.hpp"
#include "http/html/page.hpp"
#include "sessions.hpp"

namespace gateway::http {
namespace {

/// The page for an error in the API's JSON format; nullopt if the answer is not such an error.
std::optional<page_error> page_of(const response& out) {
  if (out.content_type != response{}.content_type || status::is_success(out.sent_status())) return std::nullopt;
  if (out.sent_status() == row_of(error_code::not_found).status) return page_error::nothing_here;
  if (out.sent_status() == row_of(error_code::method_not_allowed).status) return page_error::wrong_method;
  if (out.sent_status() == row_of(error_code::store_unavailable).status) return page_error::busy;
  if (out.sent_status() == row_of(error_code::rate_limited).status) return page_error::too_many_requests;
  return page_error::internal_error;
}

}  // namespace

bool is_of_portal(std::string_view path) noexcept {
  return path.starts_with(portal_path) && (path.size() == portal_path.size() || path[portal_path.size()] == '/');
}

response with_link_back(const services& shared, response out) {
  if (const auto what = page_of(out)) {
    auto page = error_page(*what);
    page.route = out.route;
    for (auto& [name, value] : out.headers)
      if (name == "Allow") page.headers.emplace_back(name, std::move(value));
    out = std::move(page);
  }
  add_way_on(out, {shared.portal_url, "Go to the portal"});
  return out;
}

}  // namespace gateway::http
