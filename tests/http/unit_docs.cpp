// The pages under /docs: how Markdown is rendered, and that every link, anchor, code and operation has a target.
#include <algorithm>
#include <map>
#include <regex>
#include <set>

#include <boost/json.hpp>
#include <catch2/catch.hpp>

#include "gateway/base/crypto.hpp"
#include "http/docs/code_sample.hpp"
#include "http/docs/documents.hpp"
#include "http/docs/markdown.hpp"
#include "http/docs/reference_pages.hpp"
#include "http/docs/search.hpp"
#include "http/docs/texts.hpp"
#include "http/errors.hpp"

using namespace gateway;
using namespace gateway::http;

namespace {

std::string html_of(std::string_view name) { return document_page(name).value().body; }

std::vector<std::string> all_of(const std::string& text, const std::string& pattern) {
  std::vector<std::string> found;
  const std::regex expression{pattern};
  for (auto at = std::sregex_iterator{text.begin(), text.end(), expression}; at != std::sregex_iterator{}; ++at)
    found.push_back(at->str(1));
  return found;
}

/// The ids of each page.
const std::map<std::string, std::set<std::string>>& anchors() {
  static const auto all = [] {
    std::map<std::string, std::set<std::string>> made;
    for (const auto& name : document_names()) {
      const auto ids = all_of(html_of(name), R"re( id="([^"]*)")re");
      made[std::string{name}] = {ids.begin(), ids.end()};
    }
    return made;
  }();
  return all;
}

std::string replaced_all(std::string text, std::string_view what, std::string_view with) {
  for (auto at = text.find(what); at != text.npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
  return text;
}

/// The text that a reader sees, and copies, of highlighted code.
std::string without_spans(const std::string& html) {
  static const std::regex span{R"(<span class="[ckvns]">|</span>)"};
  auto text = std::regex_replace(html, span, "");
  for (const auto& [entity, character] : {std::pair{"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&amp;", "&"}})
    text = replaced_all(text, entity, character);
  return text;
}

/// The path to which a browser resolves a relative address on a page.
std::string path_from(std::string_view page, std::string_view relative) {
  if (relative.starts_with('#') || relative.empty()) return page == "index" ? "/docs" : "/docs/" + std::string{page};
  std::string folder = page == "index" ? "/" : "/docs/";
  while (relative.starts_with("../")) {
    relative.remove_prefix(3);
    folder = "/";
  }
  return folder + std::string{relative};
}

std::string text_named(std::string_view name) {
  for (const auto& each : served_texts())
    if (each.name == name) return std::string{each.text};
  return {};
}

}  // namespace

TEST_CASE("Markdown becomes HTML with anchors on its headings, tables, and code that the keyboard can scroll") {
  const auto page = render_markdown(
      "# The *title*\n\n## One `thing`, twice\n\n## One thing twice\n\n| A | B |\n|---|---|\n"
      "| 1 | `x\\|y` |\n\n```sh\na < b\n```\n");
  CHECK(page.title == "The title");
  REQUIRE(page.headings.size() == 2);
  CHECK(page.headings[0].anchor == "one-thing-twice");
  CHECK(page.headings[0].text == "One thing, twice");
  CHECK(page.headings[1].anchor == "one-thing-twice-1");
  CHECK(page.html.find("<h1") == page.html.npos);
  CHECK(
      page.html.find(R"(<h2><a class="anchor" id="one-thing-twice" href="#one-thing-twice">One <code>thing</code>)") !=
      page.html.npos);
  CHECK(page.html.find("<td><code>x|y</code></td>") != page.html.npos);
  CHECK(page.html.find(R"(<pre tabindex="0"><code class="language-sh">a &lt; b)") != page.html.npos);
}

TEST_CASE("Markdown cannot insert HTML or scripts") {
  const auto html = render_markdown(
                        "a <b onclick=x>b</b>\n\n<script>alert(1)</script>\n\n[x](javascript:alert)\n\n"
                        "[y](<data:text/html,z>) `<i>` \\<u> \"&\"")
                        .html;
  for (const auto* never : {"<b", "<script", "javascript:", "data:text", "<i>", "<u>"}) {
    CAPTURE(never, html);
    CHECK(html.find(never) == html.npos);
  }
  CHECK(html.find("<code>&lt;i&gt;</code> &lt;u&gt; &quot;&amp;&quot;") != html.npos);
}

TEST_CASE("links lead to pages, and a link alone in its paragraph is replaced by the file that it names") {
  const markdown_rules rules{[](std::string_view to) { return "at-" + std::string{to}; },
                             [](std::string_view to) -> std::optional<std::string> {
                               if (to == "f.py") return "print('<&>')\n";
                               return std::nullopt;
                             },
                             [](std::string_view code) { return code == "known" ? "errors#known" : std::string{}; }};
  const auto html =
      render_markdown("[a](b.md#c)\n\n- [The *program*](f.py)\n\nsee [it](f.py), `known` and `other`", rules).html;
  CHECK(html.find(R"(<a href="at-b.md#c">a</a>)") != html.npos);
  CHECK(html.find(R"(<details class="example">)") != html.npos);
  CHECK(html.find("<em>program</em>") != html.npos);
  CHECK(html.find(R"(<code class="language-python">print(<span class="s">'&lt;&amp;&gt;'</span>))") != html.npos);
  CHECK(html.find(R"(<a href="at-f.py">it</a>)") != html.npos);
  CHECK(html.find(R"(<a href="errors#known"><code>known</code></a> and <code>other</code>)") != html.npos);
}

TEST_CASE("code has a span around each comment, text, keyword, number and name") {
  struct {
    std::string_view language, code, html;
  } const rows[] = {
      {"sh", "if [ $# = 1 ]; then # one",
       R"(<span class="k">if</span> [ $# = 1 ]; <span class="k">then</span> )"
       R"(<span class="c"># one</span>)"},
      {"sh", "curl --data-binary \"$body\" ${a#b} $c",
       R"(curl --data-binary <span class="s">&quot;$body&quot;</span> )"
       R"(<span class="v">${a#b}</span> <span class="v">$c</span>)"},
      {"json", R"({"a": [1, true, "b"]})",
       R"({<span class="v">&quot;a&quot;</span>: [<span class="n">1</span>, )"
       R"(<span class="k">true</span>, <span class="s">&quot;b&quot;</span>]})"},
      {"python", "x = \"\"\"a\"b\"\"\" # c",
       R"(x = <span class="s">&quot;&quot;&quot;a&quot;b&quot;&quot;&quot;</span> )"
       R"(<span class="c"># c</span>)"},
      {"js", "return 'a\\'b'; // c",
       R"(<span class="k">return</span> <span class="s">'a\'b'</span>; )"
       R"(<span class="c">// c</span>)"},
      {"php", "$a->b /* c */", R"(<span class="v">$a</span>-&gt;b <span class="c">/* c */</span>)"},
      {"go", "`\\` nil", R"(<span class="s">`\`</span> <span class="k">nil</span>)"},
      {"http", "GET /a\nHost: b\n\n{}", "<span class=\"k\">GET</span> /a\n<span class=\"v\">Host</span>: b\n\n{}"},
      {"console", "$ echo 'a'\nfor a", "<span class=\"c\">$</span> echo <span class=\"s\">'a'</span>\nfor a"},
      {"text", "if <b>", "if &lt;b&gt;"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.language, row.code);
    CHECK(highlighted_code(row.language, row.code) == row.html);
  }
}

TEST_CASE("whatever code says, it is shown unchanged, and inserts nothing into the page") {
  std::vector<std::string> codes{"<script>alert(1)</script>",
                                 "\"<b>\" '<i>' `<u>`",
                                 "# </code></pre><script>",
                                 "/* <img",
                                 "/*",
                                 "//",
                                 "$",
                                 "${<b>",
                                 "'",
                                 "\"\\",
                                 "\"\"\"<",
                                 "\n",
                                 "$ <b>\n<b>",
                                 "a: <b>\n\n{\"<\":\"&lt;\"}",
                                 "\xff\xc3",
                                 "&amp;<span class=\"s\">"};
  for (const auto& example : example_texts()) codes.emplace_back(example.text);
  for (const auto* language : {"sh", "console", "json", "http", "python", "js", "ts", "php", "go", "cpp", "", "\"><b>"})
    for (const auto& code : codes)
      // Each beginning of a code: one that ends within a text or a comment, too.
      for (const auto length : {code.size(), code.size() - 1, code.size() / 2, code.size() / 3}) {
        const auto part = code.substr(0, length);
        const auto html = highlighted_code(language, part);
        CAPTURE(language, part, html);
        static const std::regex tag{R"(<(?!span class="[ckvns]">|/span>))"};
        REQUIRE_FALSE(std::regex_search(html, tag));
        REQUIRE(without_spans(html) == part);
      }
  CHECK(code_block_html("\"><b>", "x").find("<b>") == std::string::npos);
}

TEST_CASE("neighbouring blocks with titles, and lists of files, are samples of which one is chosen") {
  const markdown_rules rules{{},
                             [](std::string_view to) -> std::optional<std::string> {
                               if (to == "f.py" || to == "f.sh") return "<f>\n";
                               return std::nullopt;
                             },
                             {}};
  const auto html = render_markdown(
                        "```sh The \"<curl>\"\n<a>\n```\n\n```json JSON: a file\n1\n```\n\n```sh\nb\n```\n\n"
                        "- [Python: f.py](f.py)\n- [Shell: f.sh](f.sh)\n\nor\n\n- [Python](f.py)\n- [other](g.py)\n",
                        rules)
                        .html;
  CAPTURE(html);
  CHECK(all_of(html, R"re(data-tab="([^"]*)")re") ==
        std::vector<std::string>{"The &quot;&lt;curl&gt;&quot;", "JSON", "Python", "Shell"});
  CHECK(all_of(html, R"re(<div class="(samples|sample)")re") ==
        std::vector<std::string>{"samples", "sample", "sample", "samples", "sample", "sample"});
  CHECK(html.find(R"(<p class="what">Python: f.py</p><pre tabindex="0"><code class="language-python">&lt;f&gt;)") !=
        html.npos);
  CHECK(all_of(html, R"re(<(details) class="example")re").size() == 1);
  CHECK(html.find("<curl>") == html.npos);
}

TEST_CASE("every served text and each part of the reference is a page with a title of its own") {
  std::set<std::string> texts, names, titles;
  for (const auto& each : served_texts()) texts.emplace(each.name);
  for (const auto& each : served_reference().pages) texts.emplace(each.name);
  for (const auto& each : document_names()) {
    names.emplace(each);
    const auto page = document_page(each);
    REQUIRE(page);
    CHECK(page->status == 200);
    CHECK(page->content_type == "text/html; charset=utf-8");
    const auto title = all_of(page->body, "<title>([^<]+)</title>");
    REQUIRE(title.size() == 1);
    titles.insert(title.front());
  }
  CHECK(texts == names);
  CHECK(titles.size() == names.size());
  CHECK_FALSE(document_page("nothing"));
  CHECK_FALSE(document_page(""));
}

TEST_CASE("a page runs one script of the gateway, loads nothing else and contains no part of a template") {
  for (const auto& name : document_names()) {
    CAPTURE(name);
    const auto page = document_page(name).value();
    for (const auto* never : {"<img", "<iframe", "{{", "raw HTML omitted", " onclick", "<th></th>", "javascript:"}) {
      CAPTURE(never);
      CHECK(page.body.find(never) == page.body.npos);
    }
    CHECK(all_of(page.body, "<script([^>]*)>") ==
          std::vector<std::string>{name == "index" ? R"( src="docs/samples.js" defer)" : R"( src="samples.js" defer)"});
    CHECK(page.body.find("defer></script>") != page.body.npos);
    const auto& policy = page.headers.front().second;
    CHECK(policy.starts_with("default-src 'none'; script-src 'self'; style-src 'sha256-"));
    CHECK(policy.find("unsafe") == policy.npos);
    const auto ids = all_of(page.body, R"re( id="([^"]*)")re");
    CHECK(ids.size() == anchors().at(std::string{name}).size());  // no id occurs twice
  }
}

TEST_CASE("every link leads to an existing page, and to an anchor on it") {
  std::map<std::string, std::string> pages{{"/docs", "index"}};
  for (const auto& name : document_names())
    if (name != "index") pages["/docs/" + std::string{name}] = name;
  std::size_t links = 0;
  for (const auto& name : document_names())
    for (const auto& link : all_of(html_of(name), R"re(<a [^>]*href="([^"]*)")re")) {
      CAPTURE(name, link);
      ++links;
      if (link.starts_with("https://")) continue;
      const auto hash = std::min(link.find('#'), link.size());
      const auto path = path_from(name, link.substr(0, hash));
      if (path == "/openapi.json") continue;
      const auto page = pages.find(path);
      if (page == pages.end()) {
        CHECK(path == "a page");
        continue;
      }
      if (hash < link.size()) CHECK(anchors().at(page->second).count(link.substr(hash + 1)) == 1);
    }
  CHECK(links > 300);
}

TEST_CASE("every error's docs_url leads to its anchor") {
  for (const auto& row : error_catalogue()) {
    const auto url = docs_url("https://pay.example", row);
    CAPTURE(url);
    REQUIRE(url.starts_with("https://pay.example/docs/errors#"));
    CHECK(anchors().at("errors").count(url.substr(url.find('#') + 1)) == 1);
  }
}

TEST_CASE("the documents' script is served as a file, and no other page may run it") {
  const auto script = script_answer();
  CHECK(script.status == 200);
  CHECK(script.content_type == "text/javascript; charset=utf-8");
  CHECK(script.headers.front() == std::pair<std::string_view, std::string>{"X-Content-Type-Options", "nosniff"});
  CHECK(script.body.size() < 8'192);
  for (const auto* never : {"eval(", "innerHTML", "insertAdjacentHTML", "document.write", "fetch("})
    CHECK(script.body.find(never) == script.body.npos);
  const auto search = search_page("a", {});
  CHECK(search.body.find("<script") == search.body.npos);
  CHECK(search.headers.front().second.find("script-src 'none'") != std::string::npos);
}

TEST_CASE("the reference has every operation and every schema of the served OpenAPI document, each on one page") {
  const auto answer = openapi_answer();
  CHECK(answer.content_type == "application/json");
  const auto document = boost::json::parse(answer.body).as_object();
  CHECK(document.at("openapi").as_string().starts_with("3.1"));
  std::string html;
  for (const auto& page : served_reference().pages) html += html_of(page.name);
  std::size_t operations = 0;
  for (const auto& path : document.at("paths").as_object())
    for (const auto& method : path.value().as_object()) {
      if (!method.value().is_object()) continue;
      std::string verb{method.key()};
      for (auto& c : verb) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
      CAPTURE(path.key(), verb);
      CHECK(html.find(">" + verb + ' ' + std::string{path.key()} + "</code>") != html.npos);
      ++operations;
    }
  CHECK(operations > 0);
  for (const auto& schema : document.at("components").at("schemas").as_object()) {
    const auto anchor = "schema-" + std::string{schema.key()};
    CAPTURE(anchor);
    CHECK(std::ranges::count_if(served_reference().pages,
                                [&](const auto& page) { return anchors().at(page.name).contains(anchor); }) == 1);
  }
}

TEST_CASE("the index of the reference has the anchors that were once on it, and each leads to its page") {
  const auto index = html_of("reference");
  std::size_t entries = 0;
  for (const auto& [anchor, page] : served_reference().page_of_anchor) {
    CAPTURE(anchor, page);
    CHECK(index.find("<li id=\"" + anchor + "\"><a href=\"" + page + '#' + anchor + "\">") != index.npos);
    CHECK(anchors().at(page).contains(anchor));
    ++entries;
  }
  CHECK(entries > 150);
  for (const auto* anchor : {"authentication", "headers", "schemas", "tag-payments", "tag-webhooks", "tag-service"})
    CHECK(anchors().at("reference").contains(anchor));
  CHECK(reference_address("refundPayment") == "reference-refunds#refundPayment");
  CHECK(reference_address("schema-CreatePayment") == "reference-payments#schema-CreatePayment");
  CHECK(reference_address("schema-Error") == "reference-shared#schema-Error");
}

TEST_CASE("no page is so long that it is slow to read on a phone") {
  for (const auto& name : document_names()) {
    CAPTURE(name);
    CHECK(html_of(name).size() < 200'000);
  }
}

TEST_CASE("every example is on a page, unchanged") {
  std::string all;
  for (const auto& name : document_names()) all += html_of(name);
  all = without_spans(all);
  CHECK(example_texts().size() == 18);
  for (const auto& example : example_texts()) {
    CAPTURE(example.name);
    CHECK(all.find(example.text) != all.npos);
  }
}

TEST_CASE("the example for comparing a signature is right") {
  const auto blocks = all_of(text_named("signing"), "```(?:json|text)\n([^`]*)\n```");
  REQUIRE(blocks.size() == 3);
  const auto& body = blocks[0];
  const auto& lines = blocks[1];
  CHECK(lines.substr(lines.rfind('\n') + 1) == crypto::hex(crypto::sha256(body)));
  const auto secret = all_of(text_named("signing"), "The secret `([0-9a-f]+)`");
  REQUIRE(secret.size() == 1);
  CHECK(blocks[2] == crypto::hex(crypto::hmac_sha256(secret.front(), lines)));
}

TEST_CASE("the search finds the parts of pages that have all of the words, titles first, in any case") {
  struct {
    std::string_view query, page, anchor;
  } const rows[] = {{"hosted pages", "testing", "hosted-pages"},
                    {"HOSTED   Pages", "testing", "hosted-pages"},
                    {"ROUTING_NO_ELIGIBLE_PROVIDER", "errors", "ROUTING_NO_ELIGIBLE_PROVIDER"},
                    {"/v1/payment_intents/{payment_id}/capture", "reference-payments", "capturePayment"},
                    {"csv file", "portal", "the-csv-file"}};
  for (const auto& row : rows) {
    CAPTURE(row.query);
    const auto hits = search_documents(row.query);
    REQUIRE_FALSE(hits.empty());
    CHECK(hits.size() <= most_search_hits);
    const bool found = std::ranges::any_of(hits, [&](const search_hit& hit) {
      return hit.page == row.page && (row.anchor.empty() || hit.anchor == row.anchor);
    });
    CHECK(found);
  }
  CHECK(search_documents("hosted pages").front().anchor == "hosted-pages");
  CHECK(search_documents("").empty());
  CHECK(search_documents("   ").empty());
  CHECK(search_documents("xyzzy-is-nowhere").empty());
  CHECK(search_documents("payment").size() == most_search_hits);
}

TEST_CASE("every anchor that the search leads to is on its page") {
  std::set<std::string> seen;
  for (const auto* query : {"payment", "the", "error", "key", "webhook", "refund", "post", "get", "portal", "a"})
    for (const auto& hit : search_documents(query)) {
      CAPTURE(hit.page, hit.anchor);
      CHECK((hit.anchor.empty() || anchors().at(hit.page).count(hit.anchor) == 1));
      CHECK(hit.excerpt.find('`') == std::string::npos);
      seen.insert(hit.page + '#' + hit.anchor);
    }
  CHECK(seen.size() > 60);
}

TEST_CASE("the search's page repeats the query and shows the excerpts as text") {
  CHECK(searched_words("  refund \t partial \n") == "refund   partial");
  CHECK(searched_words(std::string(500, 'x')).size() == 100);
  const std::vector<search_hit> hits{{"webhooks", "verify", "Verify <b>", "An <i>excerpt</i>"}};
  const auto page = search_page("\"><script>", hits);
  CHECK(page.status == 200);
  CHECK(page.body.find("<script") == std::string::npos);
  CHECK(page.body.find("value=\"&quot;&gt;&lt;script&gt;\"") != std::string::npos);
  CHECK(page.body.find("<a href=\"webhooks#verify\">Verify &lt;b&gt;</a>") != std::string::npos);
  CHECK(page.body.find("An &lt;i&gt;excerpt&lt;/i&gt;") != std::string::npos);
  CHECK(page.body.find("1 part of the pages has all of these words.") != std::string::npos);
  CHECK(search_page("nothing", {}).body.find("Nothing on these pages") != std::string::npos);
  CHECK(search_page("", {}).body.find("role=\"status\"") == std::string::npos);
}
