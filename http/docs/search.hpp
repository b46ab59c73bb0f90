// The search over the pages under /docs, without a script. It finds parts of pages in an index that is made once.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gateway::http {

inline constexpr std::size_t most_search_hits = 30;

/// A part of a page that has all of the searched words.
struct search_hit {
  std::string page;    ///< as in document_names()
  std::string anchor;  ///< empty: the page's beginning
  std::string title;
  std::string excerpt;
};

/// The query that is searched: without blanks at its ends, cut after 100 characters.
std::string searched_words(std::string_view query);

/// The parts that have all of the words, without regard to case; those with a word in their title come first. At most
/// most_search_hits; none for a query without words.
std::vector<search_hit> search_documents(std::string_view query);

}  // namespace gateway::http
