#include "routes.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "documents.hpp"
#include "event_types.hpp"
#include "http/call/call.hpp"
#include "http/codec/query.hpp"
#include "http/html/forms.hpp"
#include "http/html/page.hpp"
#include "search.hpp"

namespace gateway::http {
namespace {

response page_named(const call& c, std::string_view name) {
  if (auto page = document_page(name)) return *std::move(page);
  auto missing = error_page(page_error::unknown_document);
  add_way_on(missing, {c.here.shared.base_url + "/docs", "Go to the documentation"});
  return missing;
}

}  // namespace

boost::asio::awaitable<response> show_documentation(call& c) { co_return page_named(c, "index"); }

boost::asio::awaitable<response> show_document(call& c) {
  // The index has only the address /docs.
  co_return page_named(c, c.path.id == "index" ? std::string_view{} : c.path.id);
}

boost::asio::awaitable<response> search_documentation(call& c) {
  const auto query = read_query(c.in.query).value_or(std::vector<query_parameter>{});
  const auto asked = std::ranges::find(query, "q", &query_parameter::name);
  const auto words = asked == query.end() ? std::string{} : searched_words(asked->value);
  const auto hits = search_documents(words);
  co_return search_page(words, hits);
}

boost::asio::awaitable<response> show_samples_script(call&) { co_return script_answer(); }

boost::asio::awaitable<response> go_to_document(call& c) {
  co_return redirect_to(c.here.shared.base_url + std::string{c.in.path.substr(0, c.in.path.size() - 1)});
}

boost::asio::awaitable<response> show_event_types(call&) { co_return event_types_answer(); }

boost::asio::awaitable<response> show_openapi(call&) { co_return openapi_answer(); }

}  // namespace gateway::http
