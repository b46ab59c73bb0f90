#include "query.hpp"

#include <string>
#include <utility>

#include "gateway/domain/url.hpp"

namespace gateway::http {
std::optional<std::vector<query_parameter>> read_query(std::string_view text) {
  if (text.size() > most_query_bytes) return std::nullopt;
  std::vector<query_parameter> pairs;
  while (!text.empty()) {
    const auto end = text.find('&');
    const auto pair = text.substr(0, end);
    text = end == text.npos ? std::string_view{} : text.substr(end + 1);
    if (pair.empty()) continue;
    if (pairs.size() == most_query_parameters) return std::nullopt;
    const auto equals = pair.find('=');
    const auto value = equals == pair.npos ? std::string_view{} : pair.substr(equals + 1);
    pairs.push_back({form_decoded(pair.substr(0, equals)), form_decoded(value)});
  }
  return pairs;
}

}  // namespace gateway::http
