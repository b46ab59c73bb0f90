#include "chart.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "format.hpp"
#include "html_style.hpp"

namespace gateway::load {

namespace {

struct margins {
  double left = 68, right = 24, top = 14, bottom = 34;
};

/// A coordinate, to a tenth of a pixel.
std::string at(double value) {
  std::array<char, 64> text;
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), std::clamp(value, -1e6, 1e6), std::chars_format::fixed, 1)
          .ptr;
  std::string out{text.data(), end};
  if (out.ends_with(".0")) out.resize(out.size() - 2);
  return out;
}

/// 1, 2 or 5 times a power of ten: the smallest that is not below `value`.
double round_step(double value) {
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (value <= power * factor * (1 + 1e-9)) return power * factor;
  return power * 10;
}

/// The largest round number that is not above `value`.
double round_below(double value) {
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  for (const double factor : {5.0, 2.0})
    if (value >= power * factor * (1 - 1e-9)) return power * factor;
  return power;
}

std::string axis_number(double value) {
  constexpr double million = 1e6;
  const bool large = value >= million;
  auto text = number_text(large ? value / million : value);
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
  }
  return large ? text + " M" : text;
}

std::string time_label(double seconds, double step) {
  if (seconds == 0) return "0";
  if (step >= 3600) return axis_number(seconds / 3600) + " h";
  if (step >= 60) return axis_number(seconds / 60) + " min";
  if (step >= 15 && seconds >= 60) {
    const auto whole = static_cast<unsigned long>(std::lround(seconds));
    const auto rest = whole % 60;
    return std::to_string(whole / 60) + (rest < 10 ? ":0" : ":") + std::to_string(rest);
  }
  return axis_number(seconds) + " s";
}

/// Converts values to coordinates.
class plot_area {
 public:
  explicit plot_area(const chart& of) : of_{of} {}
  double left() const { return room_.left; }
  double right() const { return of_.width - room_.right; }
  double top() const { return room_.top; }
  double bottom() const { return of_.height - room_.bottom; }
  double x(double value) const { return left() + of_.x.share(value) * (right() - left()); }
  double y(double value) const { return bottom() - of_.y.share(value) * (bottom() - top()); }

 private:
  const chart& of_;
  margins room_;
};

std::string rule(const char* style, double x1, double y1, double x2, double y2) {
  return std::string{"<line class=\""} + style + "\" x1=\"" + at(x1) + "\" y1=\"" + at(y1) + "\" x2=\"" + at(x2) +
         "\" y2=\"" + at(y2) + "\"/>";
}

std::string words(const char* style, double x, double y, const std::string& text) {
  return std::string{"<text class=\""} + style + "\" x=\"" + at(x) + "\" y=\"" + at(y) + "\">" + escaped(text) +
         "</text>";
}

std::string grid(const chart& of, const plot_area& to) {
  std::string lines, texts;
  for (const auto& t : of.y.ticks) {
    const auto y = to.y(t.value);
    lines += rule(t.label.empty() ? "g fine" : "g", to.left(), y, to.right(), y);
    if (!t.label.empty()) texts += words("ty", to.left() - 8, y, t.label);
  }
  for (const auto& t : of.x.ticks) {
    const auto x = to.x(t.value);
    lines += rule(t.label.empty() ? "g fine" : "g", x, to.top(), x, to.bottom());
    if (!t.label.empty()) texts += words("tx", x, to.bottom() + 12, t.label);
  }
  return lines + rule("base", to.left(), to.bottom(), to.right(), to.bottom()) + texts;
}

/// The parts of a line between its gaps.
std::vector<std::vector<std::pair<double, double>>> pieces_of(const line& of, const plot_area& to) {
  std::vector<std::vector<std::pair<double, double>>> all;
  bool open = false;
  for (const auto& [x, y] : of.points) {
    if (std::isnan(y)) {
      open = false;
      continue;
    }
    if (!std::exchange(open, true)) all.emplace_back();
    all.back().emplace_back(to.x(x), to.y(y));
  }
  return all;
}

std::string drawn(const line& of, const plot_area& to) {
  std::string path, area, dots;
  for (const auto& piece : pieces_of(of, to)) {
    // A path of one point is invisible, so the point is drawn as a dot.
    if (piece.size() == 1)
      dots += "<circle class=\"dot " + of.style + "\" cx=\"" + at(piece[0].first) + "\" cy=\"" + at(piece[0].second) +
              "\" r=\"3.5\"/>";
    std::string one;
    for (const auto& [x, y] : piece) one += (one.empty() ? "M" : "L") + at(x) + ' ' + at(y);
    if (piece.size() == 1) continue;
    const auto base = ' ' + at(to.bottom());
    if (of.filled) area += one + 'L' + at(piece.back().first) + base + 'L' + at(piece.front().first) + base + 'Z';
    path += one;
  }
  std::string out;
  if (!area.empty()) out += "<path class=\"area " + of.style + "\" d=\"" + area + "\"/>";
  if (!path.empty()) out += "<path class=\"line " + of.style + "\" d=\"" + path + "\"/>";
  return out + dots;
}

std::string drawn(const mark& of, const plot_area& to) {
  const auto x = to.x(of.x);
  const auto y = to.y(of.y);
  std::string out = "<circle class=\"mark " + of.style + "\" cx=\"" + at(x) + "\" cy=\"" + at(y) + "\" r=\"4\"/>";
  if (of.label.empty()) return out;
  constexpr double widest_letter = 10;  // on a phone, where letters are largest
  const double width = widest_letter * static_cast<double>(width_of(of.label));
  // At the left end of the chart there is room on the right only; the label goes below, where there is mostly no line.
  if (x - 8 - width < to.left()) return out + words("tm after", x + 8, y + 16, of.label);
  return out + words("tm", x - 8, y - 10, of.label);
}

std::string drawn(const column& of, const plot_area& to) {
  const auto from = to.x(of.from);
  return "<rect class=\"hover\" x=\"" + at(from) + "\" y=\"" + at(to.top()) + "\" width=\"" + at(to.x(of.to) - from) +
         "\" height=\"" + at(to.bottom() - to.top()) + "\"><title>" + escaped(of.text) + "</title></rect>";
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  // Line breaks are kept for the titles of charts. All other control characters become blanks.
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto end = std::min(text.find('\n', begin), text.size());
    if (begin > 0) out += "&#10;";
    for (const char c : clean(text.substr(begin, end - begin))) switch (c) {
        case '&': out += "&amp;"; break;
        case '<': out += "&lt;"; break;
        case '>': out += "&gt;"; break;
        case '"': out += "&quot;"; break;
        case '\'': out += "&#39;"; break;
        default: out += c;
      }
    begin = end + 1;
  }
  return out;
}

double axis::share(double value) const {
  const auto scaled = [this](double v) { return logarithmic ? std::log10(std::max(v, 1e-3)) : v; };
  return std::clamp((scaled(value) - scaled(least)) / (scaled(most) - scaled(least)), 0.0, 1.0);
}

axis count_axis(double most, int wanted) {
  // Steps are whole numbers, because counts are.
  const double step = std::max(1.0, round_step(std::max(most, 1.0) / wanted));
  axis made;
  made.most = step * std::max(1.0, std::ceil(most / step - 1e-9));
  for (double value = 0; value <= made.most + step / 2; value += step)
    made.ticks.push_back({value, axis_number(value)});
  return made;
}

axis duration_axis(double least, double most) {
  constexpr double longest = 1e19;  // three centuries: larger values in a file are clamped
  axis made;
  made.logarithmic = true;
  made.least = round_below(std::clamp(least, 1.0, longest));
  made.most = round_step(std::clamp(most, made.least * 1.01, longest * 10));
  // An axis of less than a factor of five would make noise look large.
  while (made.most < made.least * 4.99) {
    made.most = round_step(made.most * 1.5);
    if (made.most < made.least * 4.99) made.least = round_below(made.least * 0.9);
  }
  const double decades = std::log10(made.most / made.least);
  for (double power = std::pow(10.0, std::floor(std::log10(made.least) + 1e-9)); power <= made.most * 1.01; power *= 10)
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double value = power * factor;
      if (value < made.least * 0.99 || value > made.most * 1.01) continue;
      const bool labelled = factor == 1 || decades <= 2.8;
      made.ticks.push_back({value, labelled ? short_duration_text(value) : ""});
    }
  return made;
}

axis quantity_axis(const std::vector<double>& values) {
  constexpr double decade = 10, room = 0.08, letter = 0.022;  // of the width of a chart, on a phone
  const auto positive = std::ranges::find_if(values, [](double v) { return v > 0; });
  const bool has_zero = positive != values.begin();
  axis made;
  made.most = values.back();
  if (positive != values.end() && values.back() >= decade * *positive) {
    made.logarithmic = true;
    const double margin = std::pow(values.back() / *positive * (has_zero ? decade : 1), room);
    made.least = *positive / (has_zero ? decade : margin);
    made.most *= margin;
  } else {
    const double margin = (values.back() - values.front()) * room;
    made.least = std::max(0.0, values.front() - margin);
    made.most += margin;
  }
  // Labels are placed from the last to the first, because the end of the curve matters most.
  double free_from = 2;
  for (auto value = values.rbegin(); value != values.rend(); ++value) {
    auto label = *value < 1e6 ? quantity_text(*value) : axis_number(*value);
    const double half = letter * static_cast<double>(width_of(label) + 1) / 2, middle = made.share(*value);
    if (middle + half > free_from)
      label.clear();
    else
      free_from = middle - half;
    made.ticks.push_back({*value, std::move(label)});
  }
  std::ranges::reverse(made.ticks);
  return made;
}

axis time_axis(double most, int wanted) {
  constexpr std::array<double, 21> steps{0.1, 0.2, 0.5,  1,    2,    5,    10,    15,    30,    60,   120,
                                         300, 600, 1200, 1800, 3600, 7200, 14400, 21600, 43200, 86400};
  const double least_step = std::max(most, 1e-3) / wanted;
  const auto* const found = std::ranges::lower_bound(steps, least_step * (1 - 1e-9));
  const double step = found == steps.end() ? round_step(least_step / 86400) * 86400 : *found;
  axis made;
  made.most = std::max(most, 1e-3);
  for (int i = 0; i * step <= made.most * (1 + 1e-9); ++i) made.ticks.push_back({i * step, time_label(i * step, step)});
  return made;
}

axis percentile_axis() {
  axis made;
  made.most = 4;
  const auto where = [](double percent) { return -std::log10(1 - percent / 100); };
  made.ticks = {{0, "0"},    {where(50), "50 %"}, {where(75), ""}, {1, "90 %"},        {where(95), ""},
                {2, "99 %"}, {where(99.5), ""},   {3, "99.9 %"},   {where(99.95), ""}, {4, "99.99 %"}};
  return made;
}

namespace {

std::string content_of(const chart& of) {
  const plot_area to{of};
  auto out = grid(of, to);
  for (const auto& l : of.lines) out += drawn(l, to);
  for (const auto& m : of.marks) out += drawn(m, to);
  for (const auto& c : of.columns) out += drawn(c, to);
  return out;
}

}  // namespace

std::string svg_of(const chart& of, std::string_view style) {
  return "<svg class=\"chart " + std::string{style} + "\" viewBox=\"0 0 " + at(of.width) + ' ' + at(of.height) +
         "\" role=\"img\" aria-label=\"" + escaped(of.label) + "\">" + content_of(of) + "</svg>";
}

std::string svg_picture(const chart& of, std::string_view title) {
  constexpr double head = 30;
  const auto width = at(of.width), height = at(of.height + head);
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" viewBox=\"0 0 " + width + ' ' + height +
         "\" style=\"width:" + width + "px;height:" + height +
         "px;font-family:system-ui,sans-serif\" role=\"img\" aria-label=\"" + escaped(of.label) + "\"><style>" +
         std::string{html_style} + "</style><rect width=\"100%\" height=\"100%\" style=\"fill:var(--card)\"/>" +
         words("tm after", margins{}.left, head - 10, std::string{title}) + "<g transform=\"translate(0 " + at(head) +
         ")\">" + content_of(of) + "</g></svg>\n";
}

std::string svg_sample(std::string_view style) {
  return "<svg class=\"sample\" viewBox=\"0 0 34 10\" aria-hidden=\"true\"><path class=\"line " + std::string{style} +
         "\" d=\"M1 5L33 5\"/></svg>";
}

std::string svg_bar(double share, std::string_view style) {
  // A share above 0 is always wide enough to be visible.
  const auto width = at(share > 0 ? std::clamp(share * 100, 1.5, 100.0) : 0);
  return "<svg class=\"bar\" viewBox=\"0 0 100 8\" preserveAspectRatio=\"none\" aria-hidden=\"true\">"
         "<rect class=\"track\" width=\"100\" height=\"8\"/><rect class=\"" +
         std::string{style} + "\" width=\"" + width + "\" height=\"8\"/></svg>";
}

}  // namespace gateway::load
