-- Sends pre-signed requests from files, one file for each thread, as fast as wrk can. The files are read beforehand, so that a
-- request costs one table look-up during the measurement.
--
--   wrk -t2 -s replay.lua URL -- FILES once|again [RATE]
--
-- once: each request is sent once. When they run out, requests of /healthz are sent and the run is marked as exhausted.
-- again: after the last request the first one is sent again, and the run is marked as exhausted, too.
-- RATE: each thread sends this many a second, by a schedule. A late request is sent as soon as a connection is free.

local threads = {}

function setup(thread)
  thread:set("number", #threads)
  table.insert(threads, thread)
end

local requests, last, at = {}, 0, 0
local filler = "GET /healthz HTTP/1.1\r\nHost: gateway\r\n\r\n"
exhausted = 0

-- Defines the function that wrk calls for the delay of a request in milliseconds. If it is undefined, wrk does not delay.
local function keep_to(rate)
  local ffi = require("ffi")
  ffi.cdef("struct moment { long s, ns; }; int clock_gettime(int clock, struct moment *now);")
  local monotonic, interval = 1, 1000 / rate
  local now, due = ffi.new("struct moment"), nil
  function delay()
    ffi.C.clock_gettime(monotonic, now)
    local now_ms = tonumber(now.s) * 1000 + tonumber(now.ns) / 1e6
    -- A request that could not be sent within a second is dropped.
    due = math.max((due or now_ms) + interval, now_ms - 1000)
    return math.max(math.floor(due - now_ms), 0)
  end
end

function init(args)
  local file = assert(io.open(args[1] .. "." .. number, "rb"))
  local text = file:read("*a")
  file:close()
  local from = 1
  while true do
    local to = text:find("\0", from, true)
    if not to then break end
    last = last + 1
    requests[last] = text:sub(from, to - 1)
    from = to + 1
  end
  text = nil
  collectgarbage()
  repeats = args[2] == "again"
  if args[3] then keep_to(tonumber(args[3])) end
end

function request()
  at = at + 1
  if at > last then
    exhausted = 1
    if not repeats then return filler end
    at = 1
  end
  return requests[at]
end

-- One line for tools/bench: requests, microseconds, p50 and p99 in microseconds, bad statuses, broken connections, exhausted.
function done(summary, latency)
  local spent = 0
  for _, thread in ipairs(threads) do spent = spent + thread:get("exhausted") end
  local errors = summary.errors
  print(string.format("measured %d %d %d %d %d %d %d", summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
                      errors.status, errors.connect + errors.read + errors.write + errors.timeout, spent))
end
