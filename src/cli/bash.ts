import { commandWords, type CommandWords } from './shell-words.ts';

/** Returns the completion script for Bash. */
export function bashScript(): string {
  return `# Bash completion for rdap-gateway
_rdap_gateway() {
  local words=''
  if ((COMP_CWORD == 1)); then
    words='${[...commandWords.map(({ name }) => name), '--help', '--version'].join(' ')}'
  else
    case \${COMP_WORDS[1]}:\${COMP_WORDS[COMP_CWORD - 1]} in
${commandWords.flatMap(casesOf).join('\n')}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
# Sets of TLDs begin with @, at which Bash would split words.
COMP_WORDBREAKS=\${COMP_WORDBREAKS//@/}
complete -F _rdap_gateway rdap-gateway
`;
}

/** Returns the cases of a command: after an option with a value, and after any other word. */
function casesOf({ name, options, choices }: CommandWords): readonly string[] {
  const values = options
    .filter(({ placeholder }) => placeholder !== undefined)
    .map((option) => [`${name}:--${option.name}`, option.choices ?? []] as const);
  const words = [...choices, ...options.map((option) => `--${option.name}`), '--help'];
  return [...values, [`${name}:*`, words] as const].map(
    ([pattern, list]) => `      ${pattern}) words='${list.join(' ')}' ;;`,
  );
}
