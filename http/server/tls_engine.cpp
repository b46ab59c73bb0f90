#include "tls_engine.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

namespace gateway::http {

namespace {
/// An honest peer changes its keys after millions of records. A change costs the sender 27 bytes and the receiver two
/// key derivations, and OpenSSL accepts any number.
constexpr unsigned most_key_updates = 64;
}  // namespace

/// The BIO between OpenSSL and an engine's buffers.
struct tls_engine_bio {
  static tls_engine& engine_of(BIO* bio) { return *static_cast<tls_engine*>(BIO_get_data(bio)); }

  static int write(BIO* bio, const char* data, std::size_t size, std::size_t* written) {
    engine_of(bio).out_->append(data, size);
    *written = size;
    return 1;
  }

  static int read(BIO* bio, char* into, std::size_t most, std::size_t* count) {
    auto& unread = engine_of(bio).unread_;
    BIO_clear_retry_flags(bio);
    if (unread.empty()) {
      BIO_set_retry_read(bio);
      return 0;
    }
    *count = std::min(most, unread.size());
    std::memcpy(into, unread.data(), *count);
    unread.remove_prefix(*count);
    return 1;
  }

  /// OpenSSL calls this for each message that it sends or receives.
  static void note_message(int sent, int, int kind, const void* bytes, std::size_t size, SSL*, void* engine) {
    const bool handshake = sent == 0 && kind == SSL3_RT_HANDSHAKE && size > 0;
    if (handshake && *static_cast<const unsigned char*>(bytes) == SSL3_MT_KEY_UPDATE)
      ++static_cast<tls_engine*>(engine)->key_updates_;
  }

  static long control(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

  static const BIO_METHOD* method() {
    static const BIO_METHOD* const made = [] {
      auto* const m = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "gateway connection");
      if (m == nullptr) throw std::bad_alloc{};
      BIO_meth_set_write_ex(m, write);
      BIO_meth_set_read_ex(m, read);
      BIO_meth_set_ctrl(m, control);
      return m;
    }();
    return made;
  }
};

tls_engine::tls_engine(tls_context context) : ssl_(SSL_new(context.get()), SSL_free) {
  auto* const bio = ssl_ ? BIO_new(tls_engine_bio::method()) : nullptr;
  if (bio == nullptr) throw std::bad_alloc{};
  BIO_set_data(bio, this);
  BIO_set_init(bio, 1);
  SSL_set_bio(ssl_.get(), bio, bio);  // also keeps its context alive
  SSL_set_accept_state(ssl_.get());
  SSL_set_msg_callback(ssl_.get(), tls_engine_bio::note_message);
  SSL_set_msg_callback_arg(ssl_.get(), this);
}

tls_engine::~tls_engine() = default;

bool tls_engine::may_have_data() const noexcept { return !unread_.empty() || SSL_has_pending(ssl_.get()) == 1; }

tls_engine::result tls_engine::outcome_of(int returned) {
  switch (SSL_get_error(ssl_.get(), returned)) {
    case SSL_ERROR_NONE: return result::done;
    case SSL_ERROR_WANT_READ: return result::wants_input;
    case SSL_ERROR_ZERO_RETURN: return result::closed;
    default: return result::failed;
  }
}

// OpenSSL's error queue belongs to the thread: each call clears it first, so as not to read other connections' errors.

tls_engine::result tls_engine::handshake(std::string& out) {
  out_ = &out;
  ERR_clear_error();
  return outcome_of(SSL_do_handshake(ssl_.get()));
}

tls_engine::result tls_engine::read(std::span<char> into, std::size_t& count, std::string& out) {
  out_ = &out;
  ERR_clear_error();
  count = 0;
  const auto outcome = outcome_of(SSL_read_ex(ssl_.get(), into.data(), into.size(), &count));
  return key_updates_ > most_key_updates ? result::failed : outcome;
}

bool tls_engine::write(std::string_view bytes, std::string& out) {
  out_ = &out;
  while (!bytes.empty()) {
    std::size_t written = 0;
    ERR_clear_error();
    if (SSL_write_ex(ssl_.get(), bytes.data(), bytes.size(), &written) != 1) return false;
    bytes.remove_prefix(written);
  }
  return true;
}

void tls_engine::send_close_notify(std::string& out) {
  out_ = &out;
  ERR_clear_error();
  SSL_shutdown(ssl_.get());
}

}  // namespace gateway::http
