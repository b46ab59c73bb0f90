#include "exchange_record.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <mutex>
#include <string>

#include <boost/json.hpp>

#include "paths.hpp"
#include "text.hpp"

namespace gateway::e2e {

namespace {

constexpr unsigned most_of_a_form = 3;
constexpr std::size_t most_forms = 20'000;
constexpr std::size_t most_body_bytes = 64 * 1024;

/// The names in a JSON body: quoted text before a colon. Other bodies have almost none.
std::string names_in(std::string_view body) {
  std::string names;
  for (std::size_t at = body.find('"'); at != body.npos; at = body.find('"', at + 1)) {
    const auto begin = at + 1;
    for (at = begin; at < body.size() && body[at] != '"'; ++at)
      if (body[at] == '\\') ++at;
    if (at >= body.size()) break;
    if (at + 1 < body.size() && body[at + 1] == ':') names.append(body.substr(begin, at + 1 - begin));
  }
  return names;
}

/// The target with the ids of payments, merchants and links removed.
std::string place_of(std::string_view target) {
  std::string place;
  for (std::size_t begin = 0; begin <= target.size();) {
    const auto end = std::min(target.find_first_of("/?&", begin), target.size());
    const auto part = target.substr(begin, end - begin);
    const bool one_of_many = part.size() > 24 || part.find_first_of("0123456789%.-") != part.npos;
    place.append(one_of_many && part != "v1" ? "*" : part).append(1, '/');
    begin = end + 1;
  }
  return place;
}

char lower_case(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

boost::json::array as_json(const header_list& headers) {
  boost::json::array list;
  for (const auto& [name, value] : headers) list.push_back(boost::json::array{name, value});
  return list;
}

class record_file {
 public:
  explicit record_file(const std::string& suffix) : file_{new_file(suffix)} {}

  /// `line` makes the JSON object, if the form is still kept.
  template <class Line>
  void keep(std::string form, Line line) {
    const std::scoped_lock lock{mutex_};
    if (kept_.size() >= most_forms && !kept_.contains(form)) return;
    if (++kept_[std::move(form)] > most_of_a_form) return;
    // Bytes that are not UTF-8 are written unchanged.
    file_ << boost::json::serialize(line()) << std::endl;
  }

 private:
  static std::filesystem::path new_file(const std::string& suffix) {
    const auto folder = work_folder() / "exchanges";
    std::filesystem::create_directories(folder);
    return folder / (std::to_string(::getpid()) + '-' + random_hex(4) + suffix);
  }

  std::mutex mutex_;
  std::ofstream file_;
  std::map<std::string, unsigned, std::less<>> kept_;
};

/// `"type":"payment.captured"` of an envelope, as the gateway writes it.
std::string_view type_in(std::string_view body) {
  const auto begin = body.find(R"("type":)");
  return begin == body.npos ? std::string_view{} : body.substr(begin, body.find(',', begin) - begin);
}

}  // namespace

void record_exchange(const http_request& request, const reply& answer) {
  if (request.body.size() > most_body_bytes || answer.body.size() > most_body_bytes) return;
  static record_file file{".jsonl"};
  auto form = request.method + ' ' + place_of(request.target) + ' ' + std::to_string(answer.status) + ' ' +
              names_in(request.body) + ' ' + names_in(answer.body);
  file.keep(std::move(form), [&] {
    return boost::json::object{
        {"method", request.method}, {"target", request.target}, {"sent", as_json(request.headers)},
        {"body", request.body},     {"status", answer.status},  {"headers", as_json(answer.headers)},
        {"answer", answer.body}};
  });
}

void record_webhook(const header_list& headers, const std::string& body) {
  const auto has = [&](std::string_view name) {
    return std::ranges::any_of(
        headers, [&](const auto& each) { return std::ranges::equal(each.first, name, {}, lower_case, lower_case); });
  };
  // A request that a client signed names its key.
  if (body.size() > most_body_bytes || !has("X-Service-Signature") || has("X-Service-Key-Id")) return;
  static record_file file{".webhooks"};
  auto form = std::string{type_in(body)} + ' ' + names_in(body) + (has("webhook-signature") ? " standard" : "");
  file.keep(std::move(form), [&] { return boost::json::object{{"headers", as_json(headers)}, {"body", body}}; });
}

}  // namespace gateway::e2e
