// The unit in which tools/bench build reports the cost of a build: the time to compile this source on the same machine.
#include <boost/asio/ssl.hpp>
#include <boost/beast.hpp>
#include <boost/beast/ssl.hpp>
#include <caf/all.hpp>
