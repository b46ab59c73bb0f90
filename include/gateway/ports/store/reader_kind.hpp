// Which of the store's readers serves a question.
#pragma once

namespace gateway {

/// Each question names the reader that answers pages and operators (store_handles in gateway/messages/actors.hpp). An
/// actor with its own reader uses that one instead.
enum class store_reader_kind : unsigned char {
  quick,  ///< a reader that entities use: for look-ups of few rows, for which a request waits
  archive,  ///< for lists, which may take long
  entries,  ///< the directory's own
  outbox,  ///< the dispatcher's own
};

}  // namespace gateway
