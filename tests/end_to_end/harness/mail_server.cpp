#include "mail_server.hpp"

#include <algorithm>
#include <cctype>
#include <mutex>
#include <optional>
#include <regex>
#include <stdexcept>
#include <thread>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include "text.hpp"

namespace gateway::e2e {

namespace asio = boost::asio;
using tcp = asio::ip::tcp;

namespace {

constexpr std::size_t most_mail_bytes = 1 << 20;

/// RFC 2045, 6.7.
std::string from_quoted_printable(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '=') {
      out += text[i];
    } else if (i + 1 < text.size() && text[i + 1] == '\n') {
      ++i;
    } else if (i + 2 < text.size()) {
      out += static_cast<char>(std::stoi(std::string{text.substr(i + 1, 2)}, nullptr, 16));
      i += 2;
    }
  }
  return out;
}

std::string header_of(std::string_view part, std::string_view name) {
  const std::string head{part.substr(0, part.find("\n\n"))};
  std::smatch found;
  const std::regex wanted{"(^|\n)" + std::string{name} + ": ((.|\n[ \t])*)", std::regex::icase};
  if (!std::regex_search(head, found, wanted)) return {};
  return std::regex_replace(found[2].str(), std::regex{"\n[ \t]+"}, " ");
}

/// The decoded content of the part with this type; empty if there is none.
std::string part_of_type(const std::string& raw, std::string_view type) {
  std::smatch found;
  const auto content = header_of(raw, "Content-Type");
  if (!std::regex_search(content, found, std::regex{"multipart/alternative; boundary=\"([^\"]+)\""})) return {};
  const auto boundary = "--" + found[1].str();
  for (auto at = raw.find(boundary); at != raw.npos;) {
    const auto begin = raw.find('\n', at) + 1;
    const auto end = raw.find(boundary, begin);
    if (end == raw.npos) return {};
    const auto part = raw.substr(begin, end - begin);
    at = end;
    if (!header_of(part, "Content-Type").starts_with(type)) continue;
    const auto body = part.substr(part.find("\n\n") + 2);
    return header_of(part, "Content-Transfer-Encoding") == "quoted-printable" ? from_quoted_printable(body) : body;
  }
  return {};
}

/// The address in `FROM:<…>` or `TO:<…>`.
std::string path_in(const std::string& command) {
  const auto open = command.find('<'), close = command.find('>');
  return open == command.npos || close == command.npos ? std::string{} : command.substr(open + 1, close - open - 1);
}

}  // namespace

std::string received_mail::header(std::string_view name) const { return header_of(raw, name); }

std::string received_mail::link(std::string_view beginning) const {
  const auto at = text.find(beginning);
  if (at == text.npos) throw std::runtime_error("no link " + std::string{beginning} + " in: " + text);
  return text.substr(at, text.find_first_of(" \r\n", at) - at);
}

struct mail_server::memory {
  mutable std::mutex guard;
  std::function<std::string(const std::string&)> reply_to_recipient;
  std::vector<received_mail> mails;
  std::size_t offered = 0;

  std::string answer_to(const std::string& recipient) {
    const std::lock_guard lock{guard};
    ++offered;
    const auto scripted = reply_to_recipient ? reply_to_recipient(recipient) : std::string{};
    return scripted.empty() ? "250 2.1.5 ok" : scripted;
  }
  void keep(received_mail mail) {
    mail.text = part_of_type(mail.raw, "text/plain");
    mail.html = part_of_type(mail.raw, "text/html");
    const std::lock_guard lock{guard};
    mails.push_back(std::move(mail));
  }
};

struct mail_server::server {
  asio::io_context context;
  tcp::acceptor acceptor{context, {asio::ip::address_v4::loopback(), 0}};
  std::shared_ptr<memory> kept;
  std::string secret;  ///< what AUTH PLAIN must bring; empty: no client signs in
  std::thread worker;

  server(std::shared_ptr<memory> keep, std::string expected)
      : kept{std::move(keep)}, secret{std::move(expected)}, worker{[this] {
          asio::co_spawn(context, accept(), asio::detached);
          context.run();
        }} {}
  ~server() {
    context.stop();
    worker.join();
  }

  asio::awaitable<void> accept() {
    for (;;) {
      auto socket = co_await acceptor.async_accept(asio::use_awaitable);
      asio::co_spawn(context, serve(std::move(socket)), asio::detached);
    }
  }

  /// A client's session: what it has said so far decides the reply to its next line.
  struct session {
    memory& kept;
    const std::string& secret;
    received_mail mail{};
    bool signed_in = false;
    bool awaits_secret = false;
    bool awaits_data = false;
    bool over = false;

    std::string reply_to(const std::string& input) {
      if (std::exchange(awaits_secret, false)) return sign_in(input);
      if (std::exchange(awaits_data, false)) return take(input);
      auto verb = input.substr(0, 4);
      std::ranges::transform(verb, verb.begin(), [](char c) { return static_cast<char>(std::toupper(c)); });
      if (verb == "EHLO") return secret.empty() ? "250 stand-in" : "250-stand-in\r\n250 AUTH PLAIN";
      if (verb == "AUTH") return begin_sign_in(input);
      if (verb == "MAIL") return begin_mail(input);
      if (verb == "RCPT") return kept.answer_to(mail.to = path_in(input));
      if (verb == "DATA") {
        awaits_data = true;
        return "354 go on";
      }
      over = verb == "QUIT";
      if (over) return "221 2.0.0 bye";
      return verb == "NOOP" || verb == "RSET" ? "250 ok" : "502 5.5.1 not here";
    }
    std::string end_of_input() const { return awaits_data ? "\r\n.\r\n" : "\r\n"; }

   private:
    std::string begin_sign_in(const std::string& input) {
      constexpr std::size_t before_initial = sizeof("AUTH PLAIN ") - 1;
      if (input.size() > before_initial) return sign_in(input.substr(before_initial));
      awaits_secret = true;
      return "334 ";
    }
    std::string sign_in(const std::string& given) {
      signed_in = from_base64(given) == secret;
      return signed_in ? "235 2.7.0 welcome" : "535 5.7.8 wrong user or password";
    }
    std::string begin_mail(const std::string& input) {
      if (!secret.empty() && !signed_in) return "530 5.7.0 sign in first";
      mail = {};
      mail.from = path_in(input);
      return "250 2.1.0 ok";
    }
    std::string take(const std::string& data) {
      mail.raw = std::regex_replace(data + "\r\n", std::regex{"\r\n"}, "\n");
      mail.raw = std::regex_replace(mail.raw, std::regex{"\n\\.\\."}, "\n.");
      kept.keep(mail);
      return "250 2.0.0 taken";
    }
  };

  /// One client. An exception, such as its closed connection, ends it.
  asio::awaitable<void> serve(tcp::socket socket) {
    session with{*kept, secret};
    std::string input, output{"220 stand-in ESMTP"};
    while (true) {
      output += "\r\n";
      co_await asio::async_write(socket, asio::buffer(output), asio::use_awaitable);
      if (with.over) co_return;
      const auto end = with.end_of_input();
      const auto size = co_await asio::async_read_until(socket, asio::dynamic_buffer(input, most_mail_bytes), end,
                                                        asio::use_awaitable);
      output = with.reply_to(input.substr(0, size - end.size()));
      input.erase(0, size);
    }
  }
};

mail_server::mail_server(std::string user, std::string password)
    : user_{std::move(user)}, password_{std::move(password)}, memory_{std::make_shared<memory>()} {
  const auto secret = user_.empty() ? std::string{} : '\0' + user_ + '\0' + password_;
  server_ = std::make_unique<server>(memory_, secret);
}
mail_server::~mail_server() = default;

std::string mail_server::url() const {
  const auto who = user_.empty() ? std::string{} : user_ + ':' + password_ + '@';
  return "smtp://" + who + "127.0.0.1:" + std::to_string(server_->acceptor.local_endpoint().port());
}

void mail_server::answers(std::function<std::string(const std::string& to)> reply_to_recipient) {
  const std::lock_guard lock{memory_->guard};
  memory_->reply_to_recipient = std::move(reply_to_recipient);
}

std::vector<received_mail> mail_server::mails() const {
  const std::lock_guard lock{memory_->guard};
  return memory_->mails;
}

std::vector<received_mail> mail_server::mails(std::string_view to, std::string_view subject) const {
  auto all = mails();
  std::erase_if(all, [&](const received_mail& mail) {
    return mail.to != to || mail.header("Subject").find(subject) == std::string::npos;
  });
  return all;
}

received_mail mail_server::wait_for(std::string_view to, std::string_view subject, std::size_t number,
                                    std::chrono::milliseconds within) const {
  std::vector<received_mail> found;
  const bool arrived = eventually(
      [&] {
        found = mails(to, subject);
        return found.size() >= number;
      },
      within);
  if (!arrived)
    throw std::runtime_error("no mail to " + std::string{to} + " about " + std::string{subject} + " arrived; " +
                             std::to_string(mails().size()) + " others did");
  return found[number - 1];
}

std::size_t mail_server::offered() const {
  const std::lock_guard lock{memory_->guard};
  return memory_->offered;
}

}  // namespace gateway::e2e
