import { similarName } from './similar-name.ts';
import { usageError } from './command-error.ts';
import { commandSpecs as keysCommands } from './keys/command-specs.ts';
import {
  commandNames,
  optionOf,
  specOf,
  type CommandName,
  type OptionSpec,
} from './command-table.ts';

/** What a shell suggests after the name of a command. */
export interface CommandWords {
  readonly name: CommandName;
  readonly summary: string;
  readonly options: readonly (OptionSpec & { readonly name: string })[];
  /** The values of its first argument, if they are fixed. */
  readonly choices: readonly string[];
}

const shells = ['bash', 'zsh', 'fish'] as const;

/** The commands of the help, with the words that may follow each. */
export const commandWords: readonly CommandWords[] = commandNames.map((name) => ({
  name,
  summary: specOf(name).summary,
  options: specOf(name).options.map((option) => ({ name: option, ...optionOf(option) })),
  choices: choicesOf(name),
}));

function choicesOf(name: CommandName): readonly string[] {
  if (name === 'keys') return Object.keys(keysCommands);
  return name === 'completion' ? shells : [];
}

const scripts: ReadonlyMap<string, () => string> = new Map(
  Object.entries({
    bash: bashScript,
    zsh: zshScript,
    fish: fishScript,
  } satisfies Record<(typeof shells)[number], () => string>),
);

/** Prints the completion script of a shell. Throws `CommandError`. */
export function completion([shell = '']: readonly string[]): 0 {
  const script = scripts.get(shell);
  if (!script) {
    const similar = similarName(shell, shells);
    throw usageError(
      `Unknown shell ${JSON.stringify(shell)}. ${similar ? `Did you mean ${similar}?` : `Use one of ${shells.join(', ')}.`}`,
    );
  }
  process.stdout.write(script());
  return 0;
}

/** Returns the completion script for Bash. */
export function bashScript(): string {
  return `# Bash completion for rdap-gateway
_rdap_gateway() {
  local words=''
  if ((COMP_CWORD == 1)); then
    words='${[...commandWords.map(({ name }) => name), '--help', '--version'].join(' ')}'
  else
    case \${COMP_WORDS[1]}:\${COMP_WORDS[COMP_CWORD - 1]} in
${commandWords.flatMap(bashCasesOf).join('\n')}
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
function bashCasesOf({ name, options, choices }: CommandWords): readonly string[] {
  const values = options
    .filter(({ placeholder }) => placeholder !== undefined)
    .map((option) => [`${name}:--${option.name}`, option.choices ?? []] as const);
  const words = [...choices, ...options.map((option) => `--${option.name}`), '--help'];
  return [...values, [`${name}:*`, words] as const].map(
    ([pattern, list]) => `      ${pattern}) words='${list.join(' ')}' ;;`,
  );
}

/** Returns the completion script for Zsh. */
export function zshScript(): string {
  return `#compdef rdap-gateway
compdef _rdap-gateway rdap-gateway

_rdap-gateway() {
  local -a commands=(
${commandWords.map(({ name, summary }) => `    ${zshQuoted(`${name}:${summary}`)}`).join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  (( CURRENT-- ))
  shift words
  case $words[1] in
${commandWords.map(zshCaseOf).join('\n')}
  esac
}

# In a folder of $fpath, Zsh runs the file as the function.
if [[ $funcstack[1] == _rdap-gateway ]]; then _rdap-gateway "$@"; fi
`;
}

function zshCaseOf({ name, options, choices }: CommandWords): string {
  const specs = options.map((option) => {
    const { placeholder, choices: values = [] } = option;
    const value = placeholder === undefined ? '' : `:${placeholder}:(${values.join(' ')})`;
    return `--${option.name}[${escaped(option.text)}]${value}`;
  });
  const words = [...specs, '--help[Show the help]', `*:argument:(${choices.join(' ')})`];
  return `    ${name}) _arguments ${words.map(zshQuoted).join(' ')} ;;`;
}

/** Escapes the characters that end a description for \`_arguments\`. */
function escaped(text: string): string {
  return text.replaceAll(/[[\]:\\]/g, '\\$&');
}

function zshQuoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/** Returns the completion script for fish. */
export function fishScript(): string {
  const commands = commandWords.map(
    ({ name, summary }) =>
      `complete -c rdap-gateway -n __fish_use_subcommand -a ${name} -d ${fishQuoted(summary)}`,
  );
  return [
    '# fish completion for rdap-gateway',
    'complete -c rdap-gateway -f',
    ...commands,
    ...commandWords.flatMap(fishLinesOf),
    '',
  ].join('\n');
}

function fishLinesOf({ name, options, choices }: CommandWords): readonly string[] {
  const start = `complete -c rdap-gateway -n '__fish_seen_subcommand_from ${name}'`;
  return [
    ...options.map((option) => {
      const { placeholder, choices: values = [], text } = option;
      const value = placeholder === undefined ? '' : ` -x -a ${fishQuoted(values.join(' '))}`;
      return `${start} -l ${option.name}${value} -d ${fishQuoted(text)}`;
    }),
    ...(choices.length > 0 ? [`${start} -a ${fishQuoted(choices.join(' '))}`] : []),
  ];
}

function fishQuoted(word: string): string {
  return `'${word.replaceAll(/[\\']/g, '\\$&')}'`;
}
