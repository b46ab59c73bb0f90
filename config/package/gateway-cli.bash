# bash completion for gateway-cli. Commands, options and types of events are taken from its help, so that they match the program.

_gateway_cli_words() {
  "$@" --help 2>/dev/null | awk '
    /^[A-Z].*:$/ { commands = /^Subcommands:/ }
    commands && /^  [a-z]/ { print $1 }
    # The types of events are the description of trigger'"'"'s argument.
    /^  TYPE / { types = 1 }
    types { line = $0; while (match(line, /[a-z]+\.[a-z_]+/)) { print substr(line, RSTART, RLENGTH); line = substr(line, RSTART + RLENGTH) } }
    /^Options:/ { types = 0 }
    /^  (-h,)?--/ { split($1, names, ","); for (i in names) if (names[i] ~ /^--/) print names[i] }'
}

_gateway_cli() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} word
  local -a command=("${COMP_WORDS[0]}")
  COMPREPLY=()
  case $previous in
    --body | --idempotency-key | --profile | --merchant) mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    --environment) mapfile -t COMPREPLY < <(compgen -W "test live" -- "$current"); return ;;
  esac
  # The command is the first words that are not options: at most a noun and a verb.
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case $word in
      call | payments | events | disputes | listen | trigger | verify) [ ${#command[@]} -gt 1 ] || command+=("$word") ;;
      list | show | create | capture | refund | void | cancel | tail)
        case ${command[1]-} in payments | events | disputes) [ ${#command[@]} -gt 2 ] || command+=("$word") ;; esac
        ;;
    esac
  done
  mapfile -t COMPREPLY < <(compgen -W "$(_gateway_cli_words "${command[@]}"; [ ${#command[@]} -eq 1 ] || _gateway_cli_words "${command[0]}" | grep ^--)" -- "$current")
}

complete -F _gateway_cli gateway-cli
