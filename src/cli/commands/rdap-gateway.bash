# Bash completion for rdap-gateway
_rdap_gateway() {
  local words
  words=$(rdap-gateway completion words -- "${COMP_WORDS[@]:1:COMP_CWORD}" | cut -f 1)
  COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}"))
}
# Sets of TLDs begin with @, at which Bash would split words.
COMP_WORDBREAKS=${COMP_WORDBREAKS//@/}
complete -o default -F _rdap_gateway rdap-gateway
