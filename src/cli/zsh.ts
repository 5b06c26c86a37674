import { commandWords, type CommandWords } from './shell-words.ts';

/** Returns the completion script for Zsh. */
export function zshScript(): string {
  return `#compdef rdap-gateway
compdef _rdap-gateway rdap-gateway

_rdap-gateway() {
  local -a commands=(
${commandWords.map(({ name, summary }) => `    ${quoted(`${name}:${summary}`)}`).join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  (( CURRENT-- ))
  shift words
  case $words[1] in
${commandWords.map(caseOf).join('\n')}
  esac
}

# In a folder of $fpath, Zsh runs the file as the function.
if [[ $funcstack[1] == _rdap-gateway ]]; then _rdap-gateway "$@"; fi
`;
}

function caseOf({ name, options, choices }: CommandWords): string {
  const specs = options.map((option) => {
    const { placeholder, choices: values = [] } = option;
    const value = placeholder === undefined ? '' : `:${placeholder}:(${values.join(' ')})`;
    return `--${option.name}[${escaped(option.text)}]${value}`;
  });
  const words = [...specs, '--help[Show the help]', `*:argument:(${choices.join(' ')})`];
  return `    ${name}) _arguments ${words.map(quoted).join(' ')} ;;`;
}

/** Escapes the characters that end a description for \`_arguments\`. */
function escaped(text: string): string {
  return text.replaceAll(/[[\]:\\]/g, '\\$&');
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
