#include "reference_pages.hpp"

#include <algorithm>
#include <set>

#include <boost/json/parse.hpp>

#include "markdown.hpp"
#include "texts.hpp"

namespace gateway::http {
namespace {

using namespace openapi;

constexpr std::string_view shared_page = "reference-shared";

void note_anchors(const type_name& type, std::set<std::string>& out) {
  for (const auto& part : type)
    if (!part.anchor.empty()) out.insert(part.anchor);
}

/// The schemas to which a schema links.
void note_anchors(const schema_view& schema, std::set<std::string>& out) {
  note_anchors(schema.type, out);
  for (const auto& field : schema.fields) note_anchors(field.type, out);
  for (const auto& variant : schema.variants) note_anchors(variant, out);
}

void note_anchors(const operation_view& operation, std::set<std::string>& out) {
  for (const auto& parameter : operation.parameters) note_anchors(parameter.what.type, out);
  for (const auto& body : operation.bodies) note_anchors(body.schema, out);
  for (const auto& answer : operation.answers) {
    for (const auto& header : answer.headers) note_anchors(header.what.type, out);
    for (const auto& content : answer.contents) note_anchors(content.schema, out);
  }
}

/// The schemas to which a group's operations link, directly or through other schemas.
std::set<std::string> anchors_within_reach(const document_view& document, const group_view& group) {
  std::set<std::string> reached;
  for (const auto& operation : group.operations) note_anchors(operation, reached);
  for (std::size_t before = 0; before != reached.size();) {
    before = reached.size();
    for (const auto& schema : document.schemas)
      if (reached.contains(schema.anchor)) note_anchors(schema.what, reached);
  }
  return reached;
}

void add_pages(reference_book& book) {
  for (const auto& group : book.document.groups) {
    book.pages.push_back({"reference-" + anchor_of_heading(group.name), group.name, group.name + " reference", &group});
    for (const auto& operation : group.operations)
      book.page_of_anchor.emplace(operation.anchor, book.pages.back().name);
  }
  book.pages.push_back({std::string{shared_page}, "Shared parts", "Shared parts of the reference"});
}

/// A schema is on the page whose operations use it, and on the shared one if several pages do, or none.
void place_schemas(reference_book& book) {
  std::map<std::string, std::vector<std::size_t>, std::less<>> users;
  for (std::size_t page = 0; page + 1 < book.pages.size(); ++page)
    for (const auto& anchor : anchors_within_reach(book.document, *book.pages[page].group))
      users[anchor].push_back(page);
  for (const auto& schema : book.document.schemas) {
    const auto found = users.find(schema.anchor);
    const bool is_of_one = found != users.end() && found->second.size() == 1;
    auto& page = is_of_one ? book.pages[found->second.front()] : book.pages.back();
    page.schemas.push_back(&schema);
    book.page_of_anchor.emplace(schema.anchor, page.name);
  }
}

reference_book book_of(std::string_view openapi) {
  reference_book book;
  book.document = read_document(boost::json::parse({openapi.data(), openapi.size()}));
  add_pages(book);
  place_schemas(book);
  for (const auto& header : book.document.headers) book.page_of_anchor.emplace(header.anchor, shared_page);
  return book;
}

}  // namespace

const reference_book& served_reference() {
  static const auto book = book_of(openapi_text());
  return book;
}

std::string reference_address(std::string_view anchor) {
  const auto& pages = served_reference().page_of_anchor;
  const auto found = pages.find(anchor);
  std::string address{found == pages.end() ? shared_page : std::string_view{found->second}};
  return address.append("#").append(anchor);
}

const reference_page* reference_page_named(std::string_view name) {
  const auto& pages = served_reference().pages;
  const auto found = std::ranges::find(pages, name, &reference_page::name);
  return found == pages.end() ? nullptr : &*found;
}

}  // namespace gateway::http
