#include "smtp_client.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <utility>

#include <curl/curl.h>

namespace gateway::http {
namespace {

constexpr long smtp_connect_timeout_s = 15;
constexpr long smtp_timeout_s = 60;
constexpr std::size_t most_waiting_mails = 64;
constexpr std::string_view stopped_words = "The gateway was stopped.";

struct curl_handle_end {
  void operator()(CURL* handle) const noexcept { curl_easy_cleanup(handle); }
  void operator()(CURLU* url) const noexcept { curl_url_cleanup(url); }
  void operator()(curl_slist* list) const noexcept { curl_slist_free_all(list); }
};
using curl_handle = std::unique_ptr<CURL, curl_handle_end>;
using curl_list = std::unique_ptr<curl_slist, curl_handle_end>;

/// Empty if the URL does not have this part.
std::string part_of(CURLU* url, CURLUPart which) {
  char* text = nullptr;
  if (curl_url_get(url, which, &text, 0) != CURLUE_OK) return {};
  std::string part{text};
  curl_free(text);
  return part;
}

bool is_loopback(std::string_view host) { return host == "localhost" || host == "[::1]" || host.starts_with("127."); }

/// The encryption that the connection must have: an unencrypted one would show the password to others.
long encryption_for(const std::string& url) {
  const std::unique_ptr<CURLU, curl_handle_end> parsed{curl_url()};
  if (!parsed || curl_url_set(parsed.get(), CURLUPART_URL, url.c_str(), 0) != CURLUE_OK)
    throw std::runtime_error{"mail-url: is not a URL of a mail server"};
  const bool has_password = !part_of(parsed.get(), CURLUPART_USER).empty();
  return has_password && !is_loopback(part_of(parsed.get(), CURLUPART_HOST)) ? CURLUSESSL_ALL : CURLUSESSL_TRY;
}

/// Runs curl_global_init once; later calls do nothing.
void begin_curl() {
  static const bool begun = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
  if (!begun) throw std::runtime_error{"libcurl cannot be used"};
}

/// Reads the next bytes of a message. `from`: what remains of it.
std::size_t read_message(char* to, std::size_t size, std::size_t count, void* from) {
  auto& rest = *static_cast<std::string_view*>(from);
  const auto bytes = std::min(rest.size(), size * count);
  std::memcpy(to, rest.data(), bytes);
  rest.remove_prefix(bytes);
  return bytes;
}

int ends_when_stopped(void* stopped, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return static_cast<const std::atomic<bool>*>(stopped)->load() ? 1 : 0;
}

/// For operators: printable ASCII only.
std::string words_of(CURLcode code, const char* details) {
  std::string text{details[0] ? details : curl_easy_strerror(code)};
  std::ranges::replace_if(text, [](char c) { return c < ' ' || c > '~'; }, ' ');
  return text;
}

/// Replies about this recipient or this mail. Others from 500 on are about the commands or the sign-in, which an
/// operator can correct.
bool is_final(long reply) { return reply >= 550 && reply <= 559; }

class smtp_client final : public mail_client {
 public:
  explicit smtp_client(smtp_options options)
      : options_{std::move(options)}, encryption_{encryption_for(options_.url)}, thread_{[this] { run(); }} {}
  ~smtp_client() override {
    stop();
    thread_.join();
  }

  void send(outgoing_mail mail, std::function<void(mail_attempt)> done) override {
    {
      const std::lock_guard hold{access_};
      if (!stopped_ && waiting_.size() < most_waiting_mails) {
        waiting_.push_back({std::move(mail), std::move(done)});
        changed_.notify_one();
        return;
      }
    }
    done({mail_attempt::outcome::failed, stopped_ ? std::string{stopped_words} : "Too many mails wait to be sent."});
  }

  void stop() override {
    stopped_ = true;
    const std::lock_guard hold{access_};
    changed_.notify_all();
  }

 private:
  struct waiting_mail {
    outgoing_mail mail;
    std::function<void(mail_attempt)> done;
  };

  void run() {
    for (;;) {
      waiting_mail next;
      {
        std::unique_lock hold{access_};
        changed_.wait(hold, [this] { return stopped_ || !waiting_.empty(); });
        if (waiting_.empty()) return;
        next = std::move(waiting_.front());
        waiting_.pop_front();
      }
      next.done(stopped_ ? mail_attempt{mail_attempt::outcome::failed, std::string{stopped_words}} : post(next.mail));
    }
  }

  mail_attempt post(const outgoing_mail& mail) {
    const curl_handle handle{curl_easy_init()};
    const auto from = '<' + mail.from + '>', to = '<' + mail.to + '>';
    const curl_list recipients{curl_slist_append(nullptr, to.c_str())};
    if (!handle || !recipients) return {mail_attempt::outcome::failed, "There is no memory to send it."};
    std::array<char, CURL_ERROR_SIZE> details{};
    std::string_view rest{mail.message};
    set_options(handle.get());
    curl_easy_setopt(handle.get(), CURLOPT_ERRORBUFFER, details.data());
    curl_easy_setopt(handle.get(), CURLOPT_MAIL_FROM, from.c_str());
    curl_easy_setopt(handle.get(), CURLOPT_MAIL_RCPT, recipients.get());
    curl_easy_setopt(handle.get(), CURLOPT_READDATA, &rest);
    const auto code = curl_easy_perform(handle.get());
    if (code == CURLE_OK) return {mail_attempt::outcome::sent, {}};
    if (stopped_) return {mail_attempt::outcome::failed, std::string{stopped_words}};
    long reply = 0;
    curl_easy_getinfo(handle.get(), CURLINFO_RESPONSE_CODE, &reply);
    const bool is_about_mail = code != CURLE_LOGIN_DENIED && code != CURLE_COULDNT_CONNECT && is_final(reply);
    auto words = words_of(code, details.data());
    if (reply / 100 >= 4) words += " (the server's last reply: " + std::to_string(reply) + ')';
    return {is_about_mail ? mail_attempt::outcome::refused : mail_attempt::outcome::failed, std::move(words)};
  }

  void set_options(CURL* handle) {
    curl_easy_setopt(handle, CURLOPT_URL, options_.url.c_str());
    curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "smtp,smtps");
    curl_easy_setopt(handle, CURLOPT_PROXY, "");  // no proxy of the environment
    curl_easy_setopt(handle, CURLOPT_USE_SSL, encryption_);
    // The system's folder of authorities is used besides this file.
    if (!options_.ca_file.empty()) curl_easy_setopt(handle, CURLOPT_CAINFO, options_.ca_file.c_str());
    curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT, smtp_connect_timeout_s);
    curl_easy_setopt(handle, CURLOPT_TIMEOUT, smtp_timeout_s);
    curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, ends_when_stopped);
    curl_easy_setopt(handle, CURLOPT_XFERINFODATA, &stopped_);
    curl_easy_setopt(handle, CURLOPT_UPLOAD, 1L);
    curl_easy_setopt(handle, CURLOPT_READFUNCTION, read_message);
  }

  const smtp_options options_;
  const long encryption_;
  std::atomic<bool> stopped_{false};
  std::mutex access_;
  std::condition_variable changed_;
  std::deque<waiting_mail> waiting_;
  std::thread thread_;  ///< the last member: it uses the others
};

}  // namespace

std::unique_ptr<mail_client> make_smtp_client(smtp_options options) {
  begin_curl();
  return std::make_unique<smtp_client>(std::move(options));
}

}  // namespace gateway::http
