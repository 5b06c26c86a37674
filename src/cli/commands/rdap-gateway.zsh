#compdef rdap-gateway
compdef _rdap-gateway rdap-gateway

_rdap-gateway() {
  local -a lines=("${(@f)$(rdap-gateway completion words -- "${(@)words[2,CURRENT]}")}")
  lines=("${(@)lines//$'\t'/:}")
  _describe word lines
}

# In a folder of $fpath, Zsh runs the file as the function.
if [[ $funcstack[1] == _rdap-gateway ]]; then _rdap-gateway "$@"; fi
