// The served OpenAPI document by pages: one for each tag, and one for the parts that several of them share. Made once.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "openapi.hpp"

namespace gateway::http {

struct reference_page {
  std::string name;   ///< as in document_names(): `reference-payments`
  std::string label;  ///< among the pages of the reference: `Payments`
  std::string title;
  const openapi::group_view* group = nullptr;  ///< its operations; null for the page of shared parts
  std::vector<const openapi::named_schema*> schemas{};
};

struct reference_book {
  openapi::document_view document;
  std::vector<reference_page> pages;                              ///< the shared one comes last
  std::map<std::string, std::string, std::less<>> page_of_anchor;  ///< of operations, schemas and shared headers
};

/// Throws std::runtime_error if a reference within the document has no target.
const reference_book& served_reference();

/// The address of an anchor on another page under /docs: `reference-payments#schema-Payment`.
std::string reference_address(std::string_view anchor);

/// Null if the reference has no such page.
const reference_page* reference_page_named(std::string_view name);

}  // namespace gateway::http
