// Functions shared by the readers of Stripe's objects.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "answers.hpp"
#include "gateway/domain/subscription_notification.hpp"
#include "json.hpp"

namespace gateway::actors::stripe {

/// The id of a member that is either an id or, if it was expanded, the object.
inline std::string id_in(const json::object* object, std::string_view name) {
  const auto text = word(object, name);
  const auto id = text.empty() ? word(member(object, name), "id") : text;
  return is_provider_id(id) ? std::string{id} : std::string{};
}

inline std::string own_id(const json::object* object) {
  const auto id = word(object, "id");
  return is_provider_id(id) ? std::string{id} : std::string{};
}

/// An https URL that is short enough to be stored.
std::string url_in(const json::object* object, std::string_view name);
stripe_error error_in(const json::object* object);

/// Calls `take` if the body is an object of Stripe's type `type`.
template <class Take>
auto read_object(std::string_view body, std::string_view type, Take take)
    -> std::optional<decltype(take(std::declval<const json::object*>()))> {
  const auto parsed = parse_object(body);
  const auto* object = parsed ? parsed->if_object() : nullptr;
  if (!object || word(object, "object") != type) return std::nullopt;
  return take(object);
}

template <class Each, class Take>
std::optional<page<Each>> read_page(std::string_view body, std::string_view type, Take take) {
  return read_object(body, type, [&](const json::object* object) {
    page<Each> read;
    if (const auto* rows = list(object, "data"))
      for (const auto& row : *rows)
        if (const auto* each = row.if_object()) read.all.push_back(take(each));
    read.has_more = flag(object, "has_more");
    return read;
  });
}

}  // namespace gateway::actors::stripe
