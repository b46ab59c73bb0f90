// Headless Chromium, driven through chromedriver's WebDriver protocol.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "child_process.hpp"
#include "json.hpp"
#include "transport.hpp"

namespace gateway::e2e {

class browser {
 public:
  browser();
  ~browser();
  browser(const browser&) = delete;
  browser& operator=(const browser&) = delete;

  void open(const std::string& url);
  /// Clicks the first element that matches a CSS selector; throws if there is none. For a link or a button that
  /// sends a form: returns when the browser shows the page that it leads to, and throws if it leads to none.
  void click(const std::string& selector);
  /// Types into the first element that matches.
  void type(const std::string& selector, const std::string& text);
  /// Empties the first field that matches.
  void clear(const std::string& selector);
  /// Presses these keys, one after the other, wherever the keyboard's focus is. WebDriver assigns code points to keys
  /// without a character.
  void press(const std::string& keys);
  /// Sets the window's size, and whether the user prefers dark pages.
  void show_as(int width, int height, bool dark);
  std::string text_of(const std::string& selector);
  std::string url();
  /// Whether the address starts with this prefix within the time.
  bool arrives_at(std::string_view url_prefix, std::chrono::milliseconds within = hang_timeout);
  /// Saves a PNG of the visible part of the page.
  void screenshot(const std::filesystem::path& file);
  /// What axe-core finds wrong on the page: `rule: element`. `axe` is its source text. The page's policy does not apply
  /// to the driver's scripts.
  std::vector<std::string> accessibility_faults(const std::string& axe);

 private:
  bool start_driver(const std::filesystem::path& log);
  json command(const std::string& method, const std::string& path, const std::string& body = {});
  std::string element(const std::string& selector);

  std::filesystem::path profile_;
  child_process driver_;
  endpoint address_;
  std::string session_;
};

}  // namespace gateway::e2e
