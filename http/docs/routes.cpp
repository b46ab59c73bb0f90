#include "routes.hpp"

#include "documents.hpp"
#include "event_types.hpp"
#include "http/call/call.hpp"
#include "http/html/forms.hpp"
#include "http/html/page.hpp"

namespace gateway::http {
namespace {

response page_named(std::string_view name) {
  auto page = document_page(name);
  return page ? *std::move(page) : error_page(page_error::unknown_document);
}

}  // namespace

boost::asio::awaitable<response> show_documentation(call&) { co_return page_named("index"); }

boost::asio::awaitable<response> show_document(call& c) {
  // The index has only the address /docs.
  co_return page_named(c.path.id == "index" ? std::string_view{} : c.path.id);
}

boost::asio::awaitable<response> go_to_document(call& c) {
  co_return redirect_to(c.here.shared.base_url + std::string{c.in.path.substr(0, c.in.path.size() - 1)});
}

boost::asio::awaitable<response> show_event_types(call&) { co_return event_types_answer(); }

boost::asio::awaitable<response> show_openapi(call&) { co_return openapi_answer(); }

}  // namespace gateway::http
