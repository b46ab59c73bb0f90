// Forms with files: multipart/form-data (RFC 7578).
#include <algorithm>
#include <string>
#include <utility>

#include "forms.hpp"
#include "gateway/domain/text.hpp"

namespace gateway::http {
namespace {

constexpr std::string_view upload_type = "multipart/form-data";
constexpr std::size_t most_parts = 32, most_part_head = 2 * 1024, most_boundary = 70;

/// The value of a parameter such as `name="logo"`, with or without quotes; nothing if it is absent or not closed.
std::optional<std::string_view> parameter_of(std::string_view header, std::string_view name) {
  for (auto rest = header; !rest.empty();) {
    auto one = trimmed(cut_before(rest, ';'));
    if (!equal_ignoring_case(trimmed(cut_before(one, '=')), name)) continue;
    one = trimmed(one);
    if (!one.starts_with('"')) return one;
    if (one.size() < 2 || !one.ends_with('"')) return std::nullopt;
    return one.substr(1, one.size() - 2);
  }
  return std::nullopt;
}

/// The name of a part, from its headers.
std::optional<std::string_view> name_of_part(std::string_view head) {
  while (!head.empty()) {
    const auto end = std::min(head.find("\r\n"), head.size());
    auto line = head.substr(0, end);
    head.remove_prefix(std::min(end + 2, head.size()));
    if (!equal_ignoring_case(trimmed(cut_before(line, ':')), "Content-Disposition")) continue;
    const auto kind = trimmed(line.substr(0, line.find(';')));
    return equal_ignoring_case(kind, "form-data") ? parameter_of(line, "name") : std::nullopt;
  }
  return std::nullopt;
}

/// The text up to `mark`, which is removed with it; nothing if there is none.
std::optional<std::string_view> take_before(std::string_view& rest, std::string_view mark) {
  const auto at = rest.find(mark);
  if (at == rest.npos) return std::nullopt;
  const auto taken = rest.substr(0, at);
  rest.remove_prefix(at + mark.size());
  return taken;
}

}  // namespace

std::optional<form> form::read_parts(std::string_view body, std::string_view boundary) {
  if (boundary.empty() || boundary.size() > most_boundary) return std::nullopt;
  const auto line = std::string{"--"}.append(boundary);
  const auto next = "\r\n" + line;
  if (!body.starts_with(line)) return std::nullopt;
  body.remove_prefix(line.size());
  form sent;
  while (body.starts_with("\r\n") && sent.fields_.size() < most_parts) {
    body.remove_prefix(2);
    const auto head = take_before(body, "\r\n\r\n");
    if (!head || head->size() > most_part_head) return std::nullopt;
    const auto name = name_of_part(*head);
    const auto content = take_before(body, next);
    if (!name || !content) return std::nullopt;
    sent.fields_.push_back({std::string{*name}, std::string{*content}});
  }
  return body.starts_with("--") ? std::optional{std::move(sent)} : std::nullopt;
}

bool is_upload(std::optional<std::string_view> content_type) noexcept {
  return content_type && equal_ignoring_case(trimmed(content_type->substr(0, content_type->find(';'))), upload_type);
}

form read_upload(const request& in) {
  const auto boundary =
      is_upload(in.content_type) ? parameter_of(*in.content_type, "boundary") : std::optional<std::string_view>{};
  auto sent = boundary ? form::read_parts(in.body, *boundary) : std::nullopt;
  return std::move(sent).value_or(form{});
}

}  // namespace gateway::http
