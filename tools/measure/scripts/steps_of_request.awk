# Reads callgrind's counts, and prints the instructions of one request and of each of its steps as JSON.
#
#   awk -v requests=N -f steps_of_request.awk CALLGRIND_FILE
#
# An instruction belongs to the step of its object or source file. One in a template of the C++ library belongs to the function that it is
# inlined into, and one in the C library or the allocator to the caller. Functions of libcrypto that are called by name from outside of the
# TLS library count as HMACs and digests; the rest of both libraries is TLS.

# named KIND: the file's name compression: "(12) name" defines, "(12)" refers.
function named(kind, text,   id, at) {
  if (text !~ /^\(/) return text
  at = index(text, ")")
  id = kind substr(text, 1, at)
  if (at < length(text)) names[id] = substr(text, at + 2)
  return names[id]
}

function step_of_object(name) {
  if (name ~ /libssl|libcrypto/) return "tls"
  if (name ~ /libsqlite3|libmariadb|libmysqlcppconn/) return "database"
  if (name ~ /libcaf/) return "caf"
  if (name ~ /libsimdjson|libboost_json/) return "json"
  if (name ~ /libprometheus|libspdlog|libfmt/) return "metrics_and_log"
  if (name ~ /libmimalloc|libc\.so|libc-|libm\.so|libstdc|libgcc|libpthread|ld-linux|vgpreload/) return "other"
  return ""
}

function step_of_file(name) {
  if (name ~ /\/boost\/(beast|url)|(^|\/)http\//) return "http"
  if (name ~ /\/boost\/asio|\/boost\/system/) return "asio"
  if (name ~ /\/caf\//) return "caf"
  if (name ~ /simdjson|\/boost\/json/) return "json"
  if (name ~ /prometheus|spdlog|include\/gateway\/base\/(log|metrics)|include\/gateway\/tracing/) return "metrics_and_log"
  if (name ~ /(^|\/)persistence\//) return "store"
  if (name ~ /(^|\/)actors\//) return "actors"
  if (name ~ /include\/gateway\//) return "domain"
  return ""
}

# The step of a function in a header of the C++ library: by the namespaces of the types in its name.
function step_of_function(name) {
  if (name ~ /boost::beast|boost::urls/) return "http"
  if (name ~ /boost::asio/) return "asio"
  if (name ~ /gateway::persistence/) return "store"
  if (name ~ /gateway::http/) return "http"
  if (name ~ /gateway::actors/) return "actors"
  if (name ~ /caf::/) return "caf"
  if (name ~ /gateway::/) return "domain"
  return "other"
}

function current_step(   step) {
  if (object_step != "") return object_step
  step = step_of_file(inlined)
  if (step == "") step = step_of_file(file)
  if (step == "") step = step_of_function(fn)
  return step
}

/^ob=/ { object = named("ob", substr($0, 4)); object_step = step_of_object(object); step = current_step(); next }
/^fl=/ { file = inlined = named("fl", substr($0, 4)); step = current_step(); next }
/^f[ie]=/ { inlined = named("fl", substr($0, 4)); step = current_step(); next }
/^fn=/ { fn = named("fn", substr($0, 4)); inlined = file; step = current_step(); called_object = ""; next }
/^cob=/ { called_object = named("ob", substr($0, 5)); next }
/^cf[il]=/ { named("fl", substr($0, 5)); next }
/^cfn=/ { called = named("fn", substr($0, 5)); next }
/^calls=/ {
  getline line
  split(line, fields, " ")
  if (called_object ~ /libcrypto/ && object_step != "tls" && called ~ /^(EVP_|HMAC|SHA|CRYPTO_memcmp)/) hashes += fields[2]
  if (step != "other" && step_of_object(called_object) == "other") {
    cost[step] += fields[2]
    cost["other"] -= fields[2]
  }
  called_object = ""
  next
}
/^[+*0-9-]/ { all += $2; cost[step] += $2; next }

END {
  cost["hmac_and_digests"] = hashes
  cost["tls"] -= hashes
  printf "{\"instructions\": %d, \"steps\": {", all / requests
  for (name in cost) printf "%s\"%s\": %d", (n++ ? ", " : ""), name, cost[name] / requests
  printf "}}\n"
}
