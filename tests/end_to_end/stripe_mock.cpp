#include "stripe_mock.hpp"

#include <algorithm>
#include <charconv>
#include <csignal>
#include <stdexcept>
#include <string_view>

#include <boost/json.hpp>

#include "paths.hpp"
#include "text.hpp"

namespace gateway::e2e {

using namespace std::chrono_literals;
namespace bj = boost::json;

namespace {

std::filesystem::path installed() {
  const auto said = run_command({(project_root() / "tools" / "stripe-mock").string()}, {}, {}, 280s);
  const auto line = lines_of(said.out);
  if (said.code != 0 || line.empty()) throw std::runtime_error(said.err);
  return line.front();
}

/// Forbids further properties. The description does not say whether an object may have more properties than it names;
/// without this stripe-mock checks the outermost names only: `amount`, but not the contents of `payment_intent_data`.
void forbid_others(bj::value& described) {
  if (auto* list = described.if_array())
    for (auto& each : *list) forbid_others(each);
  auto* object = described.if_object();
  if (!object) return;
  for (auto& [name, value] : *object) forbid_others(value);
  const auto* type = object->if_contains("type");
  if (type && *type == "object" && object->contains("properties") && !object->contains("additionalProperties"))
    object->emplace("additionalProperties", false);
}

void forbid_others_of_requests(bj::object& spec) {
  for (auto& [path, operations] : spec.at("paths").as_object())
    for (auto& [verb, operation] : operations.as_object())
      for (const auto* part : {"requestBody", "parameters"})
        if (auto* sent = operation.as_object().if_contains(part)) forbid_others(*sent);
}

std::string_view name_of(gateway::http_method method) {
  constexpr std::string_view names[] = {"GET", "POST", "DELETE"};
  return names[static_cast<std::size_t>(method)];
}

bool is_id(std::string_view segment) {
  return std::ranges::any_of(
      std::to_array<std::string_view>({"pi_", "cs_", "re_", "cus_", "sub_", "in_", "acct_", "we_", "pm_"}),
      [&](std::string_view kind) { return segment.starts_with(kind); });
}

/// `/v1/refunds/{id}`
std::string path_without_ids(std::string_view path) {
  std::string text;
  while (!path.empty()) {
    path.remove_prefix(1);
    const auto segment = path.substr(0, path.find('/'));
    text.append(1, '/').append(is_id(segment) ? "{id}" : segment);
    path.remove_prefix(segment.size());
  }
  return text;
}

std::string decoded(std::string name) {
  for (const auto& [text, sign] : {std::pair{"%5B", '['}, std::pair{"%5D", ']'}})
    for (auto at = name.find(text); at != name.npos; at = name.find(text)) name.replace(at, 3, 1, sign);
  return name;
}

/// Names only. Metadata may have any names.
std::set<std::string> parameters_in(std::string_view form) {
  constexpr std::string_view metadata = "metadata]";
  std::set<std::string> names;
  while (!form.empty()) {
    const auto pair = form.substr(0, form.find('&'));
    form.remove_prefix(std::min(pair.size() + 1, form.size()));
    auto name = decoded(std::string{pair.substr(0, pair.find('='))});
    if (name.starts_with("metadata[")) name = "metadata[…]";
    if (const auto at = name.find(metadata); at != name.npos) name = name.substr(0, at + metadata.size()) + "[…]";
    names.insert(std::move(name));
  }
  return names;
}

}  // namespace

stripe_mock::stripe_mock() : folder_{new_folder("stripe_mock")} {
  const auto program = installed();
  auto spec = bj::parse(read_file(program.parent_path() / "spec3.json"));
  api_version_ = spec.at("info").at("version").as_string().c_str();
  forbid_others_of_requests(spec.as_object());
  write_file(folder_ / "spec.json", bj::serialize(spec));
  process_ =
      child_process{{program.string(), "-http-addr", address_.authority(), "-spec", (folder_ / "spec.json").string()},
                    {folder_ / "log", {}, {}}};
  constexpr std::string_view listening = "Listening for HTTP at address: 127.0.0.1:";
  while (const auto line = process_.read_line()) {
    if (!line->starts_with(listening)) continue;
    std::from_chars(line->data() + listening.size(), line->data() + line->size(), address_.port);
    return;
  }
  throw std::runtime_error("stripe-mock does not listen: " + read_file(folder_ / "log"));
}

stripe_mock::~stripe_mock() {
  process_.send_signal(SIGKILL);
  process_.wait();
  std::error_code ignored;
  if (!keeps_data()) std::filesystem::remove_all(folder_, ignored);
}

http_answer stripe_mock::answer_to(const gateway::http_request& what) {
  const auto target = target_of_url(what.url);
  const auto query = std::min(target.find('?'), target.size());
  auto& names = seen_[std::string{name_of(what.method)}.append(" ").append(path_without_ids(target.substr(0, query)))];
  names.merge(parameters_in(what.body));
  if (query < target.size()) names.merge(parameters_in(std::string_view{target}.substr(query + 1)));

  const auto said = plain_http(address_, {std::string{name_of(what.method)}, target, what.headers, what.body});
  http_answer answer;
  answer.status = static_cast<std::uint16_t>(said.status);
  for (const auto& [name, value] : said.headers) answer.headers.add(name, value);
  answer.body = said.body.substr(0, what.most_body_bytes);
  answer.cut = answer.body.size() < said.body.size();
  // Reads stripe-mock's log, because it blocks when its standard output is full.
  while (process_.read_line(0ms)) continue;
  return answer;
}

std::vector<std::pair<std::string, std::string>> stripe_mock::requests() const {
  std::vector<std::pair<std::string, std::string>> all;
  for (const auto& [request, names] : seen_) {
    std::string text;
    for (const auto& name : names) text.append(text.empty() ? "" : ", ").append(name);
    all.emplace_back(request, text.empty() ? "none" : text);
  }
  return all;
}

}  // namespace gateway::e2e
