#include "browser.hpp"

#include <stdexcept>

#include "paths.hpp"
#include "text.hpp"

namespace gateway::e2e {

using namespace std::chrono_literals;

namespace {

/// No sandbox, because tests also run as root, and no features that access the network. Finding an element waits for
/// it, because a click returns before the page that it leads to is loaded.
std::string capabilities(const std::filesystem::path& profile) {
  std::string flags;
  for (const auto* flag : {"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
                           "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update",
                           "--disable-sync", "--ignore-certificate-errors", "--window-size=900,900"})
    flags += json_text(flag) + ',';
  flags += json_text("--user-data-dir=" + profile.string());
  object chromium, always, whole;
  chromium.set("binary", "/usr/bin/chromium").raw("args", '[' + flags + ']');
  always.set("browserName", "chrome").set("acceptInsecureCerts", true).set("goog:chromeOptions", chromium);
  // The driver gives up before its callers do, so that its error says what it waited for.
  const std::int64_t patience = std::chrono::milliseconds{hang_timeout - std::chrono::seconds{10}}.count();
  always.set("timeouts", object{}.set("implicit", patience).set("script", patience));
  whole.set("capabilities", object{}.set("alwaysMatch", always));
  return whole.text();
}

}  // namespace

browser::browser() : profile_{new_folder("chromium")} {
  // The driver listens on the same port of IPv4 and of IPv6, and exits when one of the two is taken. Its log has the
  // reason.
  const auto log = profile_ / "chromedriver.log";
  for (int tries = 1; !start_driver(log); ++tries)
    if (tries == 5) throw std::runtime_error("chromedriver does not start: " + read_file(log));
  session_ = command("POST", "/session", capabilities(profile_))["sessionId"].text();
}

bool browser::start_driver(const std::filesystem::path& log) {
  address_ = {"127.0.0.1", free_port()};
  driver_ = child_process{{"chromedriver", "--port=" + std::to_string(address_.port)}, {log, {}, {}}};
  while (const auto line = driver_.read_line())
    if (line->find("started successfully") != std::string::npos) return true;
  return false;
}

browser::~browser() {
  try {
    if (!session_.empty()) command("DELETE", "/session/" + session_);
    driver_.send_signal(15);
    driver_.wait();
    if (!keeps_data()) std::filesystem::remove_all(profile_);
  } catch (const std::exception&) {
    // The driver is killed with this object; its profile stays for the next clean build.
  }
}

json browser::command(const std::string& method, const std::string& path, const std::string& body) {
  const auto answer = plain_http(address_, {method, path, {{"Content-Type", "application/json"}}, body});
  const auto value = json::parse(answer.body)["value"];
  if (answer.status >= 400) throw std::runtime_error("WebDriver " + path + ": " + value["message"].text());
  return value;
}

std::string browser::element(const std::string& selector) {
  const auto found = command("POST", "/session/" + session_ + "/element",
                             object{}.set("using", "css selector").set("value", selector).text());
  // The only field is the element reference, whose name the protocol fixes.
  return found[found.names().at(0)].text();
}

void browser::open(const std::string& url) {
  command("POST", "/session/" + session_ + "/url", object{}.set("url", url).text());
}

/// The driver may answer before the next page has replaced this one.
void browser::click(const std::string& selector) {
  const auto of_element = [&](const std::string& which) { return "/session/" + session_ + "/element/" + which; };
  const auto page = element("html"), clicked = element(selector);
  const auto kind = command("GET", of_element(clicked) + "/name").text();
  const auto stays = kind == "button" && command("GET", of_element(clicked) + "/property/type").text() == "button";
  command("POST", of_element(clicked) + "/click", "{}");
  if ((kind != "a" && kind != "button") || stays) return;
  const auto left = [&] {
    try {
      command("GET", of_element(page) + "/name");
      return false;
    } catch (const std::runtime_error&) {
      return true;
    }
  };
  if (!eventually(left)) throw std::runtime_error("a click on " + selector + " leads nowhere");
}

void browser::type(const std::string& selector, const std::string& text) {
  command("POST", "/session/" + session_ + "/element/" + element(selector) + "/value",
          object{}.set("text", text).text());
}

void browser::clear(const std::string& selector) {
  command("POST", "/session/" + session_ + "/element/" + element(selector) + "/clear", "{}");
}

void browser::press(const std::string& keys) {
  const auto active = command("GET", "/session/" + session_ + "/element/active");
  command("POST", "/session/" + session_ + "/element/" + active[active.names().at(0)].text() + "/value",
          object{}.set("text", keys).text());
}

void browser::show_as(int width, int height, bool dark) {
  const auto perform = [&](const std::string& what, const object& parameters) {
    command("POST", "/session/" + session_ + "/goog/cdp/execute",
            object{}.set("cmd", "Emulation." + what).set("params", parameters).text());
  };
  perform("setDeviceMetricsOverride", object{}
                                          .set("width", std::int64_t{width})
                                          .set("height", std::int64_t{height})
                                          .set("deviceScaleFactor", std::int64_t{1})
                                          .set("mobile", true));
  const auto feature = object{}.set("name", "prefers-color-scheme").set("value", dark ? "dark" : "light").text();
  perform("setEmulatedMedia", object{}.raw("features", '[' + feature + ']'));
}

std::string browser::text_of(const std::string& selector) {
  return command("GET", "/session/" + session_ + "/element/" + element(selector) + "/text").text();
}

std::string browser::url() { return command("GET", "/session/" + session_ + "/url").text(); }

bool browser::arrives_at(std::string_view url_prefix, std::chrono::milliseconds within) {
  return eventually([&] { return url().starts_with(url_prefix); }, within);
}

void browser::screenshot(const std::filesystem::path& file) {
  write_file(file, from_base64(command("GET", "/session/" + session_ + "/screenshot").text()));
}

std::vector<std::string> browser::accessibility_faults(const std::string& axe) {
  const auto run = [&](const std::string& how, const std::string& script) {
    return command("POST", "/session/" + session_ + "/execute/" + how,
                   object{}.set("script", script).raw("args", "[]").text());
  };
  run("sync", axe);
  const auto found = run("async", R"js(
    const done = arguments[arguments.length - 1];
    axe.run({resultTypes: ["violations"]}).then(
      all => done({passed: all.passes.length,
                   faults: all.violations.flatMap(rule => rule.nodes.map(node => rule.id + ": " + node.html))}),
      error => done({passed: 0, faults: ["axe: " + error]}));)js");
  if (found["passed"].number() == 0) throw std::runtime_error("axe has checked nothing: " + found.dump());
  std::vector<std::string> faults;
  for (const auto& each : found["faults"].items()) faults.push_back(each.text());
  return faults;
}

}  // namespace gateway::e2e
