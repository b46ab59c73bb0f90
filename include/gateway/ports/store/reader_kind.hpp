// Which of the store's readers serves a question.
#pragma once

namespace gateway {

/// Each question names the reader that answers pages and operators (store_handles in gateway/messages/actors.hpp). An
/// actor that has a reader of its own asks that one instead.
enum class store_reader_kind : unsigned char {
  quick,  ///< one of those that entities use: a request waits for a look-up of few rows
  archive,  ///< for lists, which may take long
  entries,  ///< the directory's own
  outbox,  ///< the dispatcher's own
};

}  // namespace gateway
