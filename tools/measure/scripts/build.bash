# tools/bench build: the cost of building gatewayd and gatewayctl without ccache, in processor seconds (work) and in seconds until it is
# done (waiting), both also in units of tools/measure/reference.cpp, which is compiled before and after each build. Builds the work tree,
# alternating with a commit if one is given.

fail() {
  echo "tools/bench: $*" >&2
  exit 1
}

here=$root/build/bench/build
options=()
[ "$quick" = no ] || options=(-DGATEWAY_QUICK=ON)
rm -rf "$here"
mkdir -p "$here"
tools/build --packages

# A tree to build, separate from the work tree's own build folder.
lay_tree() {
  local name=$1 commit=$2
  mkdir -p "$here/$name/build"
  if [ -n "$commit" ]; then
    git archive "$commit" | tar -x -C "$here/$name"
  else
    git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents --target-directory="$here/$name"
  fi
  cp -r build/deps "$here/$name/build/"
}

# Processor seconds of the reference source: the median of three.
reference_seconds() {
  local TIMEFORMAT='%U %S'
  for _ in 1 2 3; do
    { time g++ -std=c++20 -O2 -g1 -c tools/measure/reference.cpp -o "$here/reference.o" 2>/dev/null; } 2>&1
  done | awk '{ print $1 + $2 }' | sort -n | sed -n 2p
}

# Configures and builds, and appends a line of figures: tree, unit, work, waiting, longest job, its name, warnings.
measure() {
  local name=$1 tree=$here/$1 before after began ended
  rm -rf "$tree/build/build.ninja" "$tree/build/CMakeCache.txt" "$tree/build/CMakeFiles" "$tree/build/.ninja_log"
  (cd "$tree" && cmake --preset release ${options:+"${options[@]}"} "-DCCACHE=$root/tools/measure/scripts/timed_job" >/dev/null) ||
    fail "cmake failed in $tree"
  ninja -C "$tree/build" -t clean >/dev/null
  export JOB_TIMES=$tree/jobs
  : >"$JOB_TIMES"
  before=$(reference_seconds)
  began=$(date +%s.%N)
  ninja -C "$tree/build" -j "$(nproc)" gatewayd gatewayctl >"$tree/log" || { tail -n 40 "$tree/log" >&2; fail "the build failed in $tree"; }
  ended=$(date +%s.%N)
  after=$(reference_seconds)
  sort -rn "$JOB_TIMES" | awk -v name="$name" -v unit="$(awk "BEGIN { print ($before + $after) / 2 }")" \
    -v waiting="$(awk "BEGIN { print $ended - $began }")" -v warnings="$(grep -c 'warning:' "$tree/log")" '
    NR == 1 { longest = $1; job = $2; sub(/.*\//, "", job) }
    { work += $1 }
    END { print name, unit, work, waiting, longest, job, warnings }' >>"$here/figures"
}

lay_tree here ''
trees=(here)
if [ -n "$against" ]; then
  git rev-parse --quiet --verify "$against^{commit}" >/dev/null || fail "there is no commit $against"
  lay_tree "$against" "$against"
  trees+=("$against")
fi
for ((round = 0; round < rounds; round++)); do
  for tree in "${trees[@]}"; do measure "$tree"; done
done

# The round whose work is the median one.
for tree in "${trees[@]}"; do
  grep "^$tree " "$here/figures" | sort -n -k3 | sed -n "$(((rounds + 1) / 2))p"
done | awk '
  BEGIN { printf "%-10s %7s %16s %16s %16s %9s\n", "tree", "unit s", "work s, units", "waiting s, units", "longest s, units", "warnings" }
  {
    printf "%-10s %7.2f %8.0f %7.1f %8.0f %7.1f %8.1f %7.1f %9d  %s\n", $1, $2, $3, $3 / $2, $4, $4 / $2, $5, $5 / $2, $7, $6
    work[NR] = $3 / $2; waiting[NR] = $4 / $2
  }
  END { if (NR == 2) printf "\nof %s: work %.2f, waiting %.2f\n", $1, work[1] / work[2], waiting[1] / waiting[2] }'
rm -rf "$here"/*/
