// One self-contained page, with a policy that forbids scripts and anything loaded from elsewhere.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <openssl/evp.h>
#include <openssl/sha.h>

#include "chart.hpp"
#include "format.hpp"
#include "html_parts.hpp"
#include "html_style.hpp"
#include "report.hpp"

namespace gateway::load {

namespace {

using namespace html;

// ---- head -------------------------------------------------------------------------------------------

std::string badge_of(const verification& checked, const std::string& whose) {
  const auto badge = [&](const char* classes, const std::string& what) {
    return element("span", classes, escaped(whose + what));
  };
  if (!checked.done) return badge("badge", "– not verified");
  if (checked.violations == 0) return badge("badge good", "✓ verified, no violation");
  return badge("badge bad",
               "✗ " + count_text(checked.violations) + (checked.violations == 1 ? " violation" : " violations"));
}

/// One badge for each run. Of more than six runs, those without a violation share one.
std::string badges_of(const run_list& runs) {
  constexpr std::size_t many = 6;
  const auto is_good = [](const run_result& run) { return run.checked.done && run.checked.violations == 0; };
  const auto good = static_cast<std::size_t>(std::ranges::count_if(runs, is_good));
  const bool together = runs.size() > many && good > 1;
  std::string out;
  if (together) out += element("span", "badge good", "✓ " + count_text(good) + " runs verified, no violation");
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (!together || !is_good(runs[i]))
      out += badge_of(runs[i].checked, runs.size() > 1 ? name_of(runs, i) + ": " : "");
  return out;
}

std::string head(const run_list& runs, const std::string& given) {
  auto title = escaped(given);
  if (given.empty())
    for (std::size_t i = 0; i < runs.size(); ++i)
      title += (i > 0 ? " <span class=\"versus\">vs</span> " : "") + escaped(name_of(runs, i));
  if (runs.empty()) title = "No run";
  const auto badges = element("div", "badges", badges_of(runs));
  return element("header", "", element("p", "eyebrow", "gateway-load") + element("h1", "", title) + badges);
}

struct fact {
  const char* name;
  std::function<std::string(const run_result&)> of;
};

const std::vector<fact>& facts() {
  static const std::vector<fact> all{
      {"Scenario", [](const run_result& r) { return r.scenario; }},
      {"Schedule", [](const run_result& r) { return r.schedule; }},
      {"Connections",
       [](const run_result& r) {
         return count_text(r.connections) + ", " + count_text(r.threads) + (r.threads == 1 ? " thread" : " threads");
       }},
      {"Merchants", [](const run_result& r) { return count_text(r.merchants); }},
      {"Payments' ids", [](const run_result& r) { return std::string{r.random_ids ? "random" : "sequential"}; }},
      {"Labels", [](const run_result& r) { return labels_text(r); }},
      {"Target", [](const run_result& r) { return r.target; }},
      {"Began", [](const run_result& r) { return r.began_at; }},
      {"Lasted",
       [](const run_result& r) { return length_text(r.seconds) + ", " + count_text(r.sent()) + " requests"; }}};
  return all;
}

std::string facts_of(const run_result& run) {
  std::string out;
  for (const auto& f : facts())
    if (const auto text = f.of(run); !text.empty())
      out += element("div", "", element("dt", "", f.name) + element("dd", "", escaped(text)));
  return element("dl", "facts", out);
}

/// Warnings that a reader needs before reading the numbers.
std::string notes_of(const run_list& runs) {
  std::string out;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    auto text = shortfall_text(runs[i]);
    if (lateness_matters(runs[i])) text += (text.empty() ? "" : " ") + lateness_text(runs[i]);
    if (!text.empty()) out += element("p", "note", escaped((runs.size() > 1 ? name_of(runs, i) + ": " : "") + text));
  }
  return out;
}

// ---- figures ----------------------------------------------------------------------------------------

/// A number by which runs are compared.
struct figure {
  const char* name;
  int better;  ///< -1: less, 1: more
  std::function<double(const run_result&)> of;
  std::function<std::string(double)> text;
};

const std::vector<figure>& figures() {
  const auto latency = [](double share) { return [share](const run_result& r) { return at(r.latency, share); }; };
  static const std::vector<figure> all{
      {"Answered", 1, [](const run_result& r) { return r.answered_per_second(); },
       [](double v) { return number_text(v) + "/s"; }},
      {"p50", -1, latency(0.5), duration_text},
      {"p90", -1, latency(0.9), duration_text},
      {"p99", -1, latency(0.99), duration_text},
      {"p99.9", -1, latency(0.999), duration_text},
      {"Max", -1, latency(1), duration_text},
      {"Mean", -1, [](const run_result& r) { return r.answered() == 0 ? nothing : r.latency.mean(); }, duration_text},
      {"Late to leave, p99", -1, [](const run_result& r) { return at(r.lateness, 0.99); }, duration_text},
      {"Failed", -1, [](const run_result& r) { return static_cast<double>(failures_of(r)); },
       [](double v) { return count_text(static_cast<std::uint64_t>(v)); }}};
  return all;
}

std::string cell_of(const figure& f, double value, double first, bool compared) {
  if (std::isnan(value)) return element("td", "empty", "–") + (compared ? "<td></td>" : "");
  return element("td", "", escaped(f.text(value))) +
         (compared ? element("td", "beside", ratio_of(value, first, f.better)) : "");
}

std::string comparison(const run_list& runs) {
  std::string names = "<th class=\"l\"></th>";
  // Each run after the first has two columns: its number and the ratio.
  auto names_left = names;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    names += "<th class=\"run" + std::string{i > 0 ? " l\" colspan=\"2\">" : "\">"} + swatch(runs, i) + "</th>";
    names_left += element("th", "run l", swatch(runs, i));
  }
  std::string measured;
  for (const auto& f : figures()) {
    const double first = f.of(runs.front());
    std::string cells = element("th", "l", f.name);
    for (std::size_t i = 0; i < runs.size(); ++i) cells += cell_of(f, f.of(runs[i]), first, i > 0);
    measured += element("tr", "", cells);
  }
  std::string given;
  bool differ = false;
  for (const auto& f : facts()) {
    if (std::ranges::all_of(runs, [&](const auto& run) { return f.of(run).empty(); })) continue;
    const bool compared = std::string_view{f.name} != "Began" && std::string_view{f.name} != "Lasted";
    std::string cells = element("th", "l", f.name);
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const auto text = f.of(runs[i]);
      const bool differs = compared && text != f.of(runs.front());
      differ = differ || differs;
      cells += element("td", differs ? "l wide differs" : "l wide", escaped(text));
    }
    given += element("tr", "", cells);
  }
  const std::string hint =
      std::string{"Ratios are to the first run. ▲ more, ▼ less, ≈ within 3 %; green is better, red is worse."} +
      (differ ? " The runs did not ask for the same: what differs is bold." : "");
  const auto card = [](const std::string& titles, const std::string& rows) {
    return card_table(titles, element("tbody", "first", rows), "compare");
  };
  return element("h2", "", "Comparison") + element("p", "hint", hint) +
         element("div", "beside-each-other", card(names, measured) + card(names_left, given));
}

std::string tile(const std::string& value, const std::string& what, const char* classes = "") {
  return element("div", std::string{"card tile "} + classes,
                 element("b", "", escaped(value)) + element("span", "", escaped(what)));
}

std::string tiles_of(const run_result& run) {
  const auto latency = [&](double share) { return run.answered() == 0 ? "–" : duration_text(at(run.latency, share)); };
  const auto failed = failures_of(run);
  std::string out =
      tile(number_text(run.answered_per_second()) + "/s",
           run.intended_per_second > 0 ? "answered of " + number_text(run.intended_per_second) + "/s" : "answered");
  out +=
      tile(latency(0.5), "p50") + tile(latency(0.99), "p99") + tile(latency(0.999), "p99.9") + tile(latency(1), "max");
  return element("div", "tiles",
                 out + tile(count_text(failed), failed == 0 ? "failed" : "failed, " + share_text(failed, run.sent()),
                            failed == 0 ? "" : "bad"));
}

// ---- operations -------------------------------------------------------------------------------------

/// Names in the order in which they first occur.
template <typename Names>
std::vector<std::string> in_order(const run_list& runs, Names&& names) {
  std::vector<std::string> all;
  for (const auto& run : runs)
    for (const auto& name : names(run))
      if (std::ranges::find(all, name) == all.end()) all.push_back(name);
  return all;
}

std::vector<std::string> operations_of(const run_list& runs) {
  return in_order(runs, [](const run_result& run) {
    std::vector<std::string> names;
    names.reserve(run.operations.size());
    for (const auto& of : run.operations) names.push_back(of.name);
    return names;
  });
}

const operation_result* find(const run_result& run, const std::string& name) {
  const auto found = std::ranges::find(run.operations, name, &operation_result::name);
  return found == run.operations.end() ? nullptr : &*found;
}

std::string cells_of(const run_result& run, const operation_result& of, const operation_result* first) {
  const auto count = [](std::uint64_t value) { return element("td", "", count_text(value)); };
  std::string out = count(of.sent) + count(of.latency.count());
  out += element("td", "",
                 number_text(run.seconds > 0 ? static_cast<double>(of.latency.count()) / run.seconds : 0) + "/s");
  for (const auto share : {0.5, 0.9, 0.99, 0.999, 1.0}) {
    const double value = at(of.latency, share);
    if (std::isnan(value))
      out += element("td", "empty", "–");
    else
      out += element("td", "",
                     escaped(duration_text(value)) + (first ? ratio_of(value, at(first->latency, share), -1) : ""));
  }
  return out + count(failures_of(of));
}

std::string operations_table(const run_list& runs) {
  const bool several = runs.size() > 1;
  std::string titles = element("th", "l", "Operation") + (several ? element("th", "l", "Run") : "");
  for (const auto* title : {"Sent", "Answered", "Rate", "p50", "p90", "p99", "p99.9", "Max", "Failed"})
    titles += element("th", "", title);
  std::string bodies;
  const auto rows = [&](const std::string& name, const char* classes, const auto& operation_in) {
    std::string out;
    bool named = false;
    const auto first = operation_in(runs.front());
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const auto found = operation_in(runs[i]);
      if (!found) continue;
      std::string cells = element("th", "l", std::exchange(named, true) ? "" : escaped(name));
      if (several) cells += element("td", "l who", swatch(runs, i));
      out += element("tr", classes, cells + cells_of(runs[i], *found, i > 0 && first ? &*first : nullptr));
    }
    bodies += element("tbody", bodies.empty() ? "first" : several ? "group" : "", out);
  };
  const auto names = operations_of(runs);
  for (const auto& name : names) rows(name, "", [&](const run_result& run) { return find(run, name); });
  if (names.size() != 1)
    rows("all", "all", [](const run_result& run) {
      operation_result all{"all", run.sent(), {}, run.latency};
      for (const auto& of : run.operations)
        for (const auto& [outcome, times] : of.outcomes) all.outcomes[outcome] += times;
      return std::optional{std::move(all)};
    });
  return element("h2", "", "Operations") +
         element("p", "hint", "Latency is counted from the moment at which a request was due by the schedule.") +
         card_table(titles, bodies);
}

// ---- outcomes ---------------------------------------------------------------------------------------

std::string outcome_cells(const operation_result* of, const std::string& outcome, const std::string& style, bool bar) {
  const auto found = of ? of->outcomes.find(outcome) : decltype(of->outcomes.end()){};
  if (!of || found == of->outcomes.end()) return element("td", "empty", "–");
  std::uint64_t all = 0;
  for (const auto& [name, times] : of->outcomes) all += times;
  const auto share = element("span", "share", escaped(share_text(found->second, all)));
  if (!bar) return element("td", "", count_text(found->second) + share);
  const double part = all > 0 ? static_cast<double>(found->second) / static_cast<double>(all) : 0;
  return element("td", "", count_text(found->second)) + element("td", "", share) +
         element("td", "l", svg_bar(part, style));
}

std::string outcomes(const run_list& runs) {
  const bool several = runs.size() > 1;
  std::string titles = element("th", "l", "Operation") + element("th", "l", "Outcome");
  if (several)
    for (std::size_t i = 0; i < runs.size(); ++i) titles += element("th", "run", swatch(runs, i));
  else
    titles += element("th", "", "Times") + element("th", "", "Share") + element("th", "l", "");
  std::string bodies;
  for (const auto& name : operations_of(runs)) {
    const auto names = in_order(runs, [&](const run_result& run) {
      std::vector<std::string> all;
      if (const auto* of = find(run, name))
        for (const auto& [outcome, times] : of->outcomes) all.push_back(outcome);
      return all;
    });
    std::string rows;
    for (const auto& outcome : names) {
      std::string cells = element("th", "l", rows.empty() ? escaped(name) : "") + element("td", "l", escaped(outcome));
      const char* style = is_failure(outcome) ? "fill failing" : is_success(outcome) ? "fill c0" : "fill c4";
      for (const auto& run : runs) cells += outcome_cells(find(run, name), outcome, style, !several);
      rows += element("tr", "", cells);
    }
    bodies += element("tbody", bodies.empty() ? "first" : "group", rows);
  }
  if (bodies.empty()) return {};
  return element("h2", "", "Outcomes") + card_table(titles, bodies);
}

std::string errors(const run_list& runs) {
  const bool several = runs.size() > 1;
  std::string rows;
  for (std::size_t i = 0; i < runs.size(); ++i)
    for (const auto& [outcome, id] : runs[i].errors)
      rows += element(
          "tr", "",
          (several ? element("td", "l who", swatch(runs, i)) : "") + element("td", "l", escaped(outcome)) +
              element("td", "", count_text(times_of(runs[i], outcome))) +
              (id.empty() ? element("td", "l empty", "–") : element("td", "l", element("code", "", escaped(id)))));
  if (rows.empty()) return {};
  const auto titles = (several ? element("th", "l", "Run") : "") + element("th", "l", "Outcome") +
                      element("th", "", "Times") + element("th", "l", "Request-Id of the first");
  return element("h2", "", "Not a success") + card_table(titles, element("tbody", "first", rows));
}

// ---- verification -----------------------------------------------------------------------------------

std::string verified(const run_list& runs, std::size_t i) {
  const auto& checked = runs[i].checked;
  std::string out = runs.size() > 1 ? element("h3", "", swatch(runs, i)) : "";
  if (!checked.done) return out + element("p", "", "Not verified.");
  if (checked.violations == 0)
    out += element("p", "verdict good", "✓ No violation");
  else
    out += element("p", "verdict bad",
                   "✗ " + count_text(checked.violations) + (checked.violations == 1 ? " violation" : " violations"));
  out += element("p", "eyebrow", escaped("Compared: " + checked_text(checked) + "."));
  std::string list;
  for (const auto& v : checked.shown) {
    std::string ids;
    for (const auto& id : v.request_ids) ids += ' ' + element("code", "", escaped(id));
    list += element("li", "", escaped(v.what) + (ids.empty() ? "" : element("p", "", "Request-Id" + ids)));
  }
  if (checked.violations > checked.shown.size())
    list += element("li", "", "and " + count_text(checked.violations - checked.shown.size()) + " more");
  return out + (list.empty() ? "" : element("ul", "violations", list));
}

std::string verification_section(const run_list& runs) {
  std::string cards;
  for (std::size_t i = 0; i < runs.size(); ++i) cards += element("div", "card", verified(runs, i));
  return element("h2", "", "Verification") + (runs.size() > 1 ? element("div", "grid", cards) : cards);
}

// ---- the page ---------------------------------------------------------------------------------------

std::string sha256_base64(std::string_view text) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest;
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  std::array<unsigned char, 4 * ((SHA256_DIGEST_LENGTH + 2) / 3) + 1> out;
  const int length = EVP_EncodeBlock(out.data(), digest.data(), digest.size());
  return {out.begin(), out.begin() + length};
}

std::string page(const std::string& title, const std::string& content) {
  // Nothing may be loaded or run, even if a run's name contains markup. The only style allowed is the one in the page.
  const auto policy =
      "default-src 'none'; style-src 'sha256-" + sha256_base64(html_style) + "'; base-uri 'none'; form-action 'none'";
  return "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"" +
         policy +
         "\">"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><meta name=\"color-scheme\" "
         "content=\"light dark\">"
         "<title>" +
         escaped(title) + "</title>\n<style>" + std::string{html_style} + "</style></head>\n<body><main>\n" + content +
         "\n</main></body></html>\n";
}

}  // namespace

std::string html_report(const std::vector<run_result>& runs, const std::string& title) {
  auto named = title, content = head(runs, title);
  if (title.empty())
    for (std::size_t i = 0; i < runs.size(); ++i) named += (i > 0 ? " vs " : "") + name_of(runs, i);
  if (!runs.empty()) {
    if (runs.size() == 1) content += facts_of(runs.front()) + tiles_of(runs.front());
    content += notes_of(runs);
    if (runs.size() > 1) content += curves(runs) + '\n' + comparison(runs);
    if (runs.size() == 1) content += months(runs.front());
    for (const auto& section : {operations_table(runs), distribution(runs), over_time(runs), outcomes(runs),
                                errors(runs), verification_section(runs)})
      content += '\n' + section;
  }
  return page((named.empty() ? "" : named + " – ") + "gateway-load", content);
}

}  // namespace gateway::load
