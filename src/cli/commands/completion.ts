import { usageError } from '../command-error.ts';
import { mainProgram } from '../command-table.ts';
import type { Surroundings } from '../surroundings.ts';
import keys from '../keys/commands.json' with { type: 'json' };
import { similarName } from '../../shared/similar-name.ts';

/** The scripts ask the program itself what may follow, so that they need no update with it. */
const scripts: Readonly<Record<string, string>> = {
  bash: String.raw`# Bash completion for rdap-gateway
_rdap_gateway() {
  local words
  words=$(rdap-gateway completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" | cut -f 1)
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
# Sets of TLDs begin with @, at which Bash would split words.
COMP_WORDBREAKS=\${COMP_WORDBREAKS//@/}
complete -o default -F _rdap_gateway rdap-gateway
`.replaceAll('\\$', '$'),
  zsh: String.raw`#compdef rdap-gateway
compdef _rdap-gateway rdap-gateway

_rdap-gateway() {
  local -a lines=("\${(@f)$(rdap-gateway completion words -- "\${(@)words[2,CURRENT]}")}")
  lines=("\${(@)lines//$'\t'/:}")
  _describe word lines
}

# In a folder of $fpath, Zsh runs the file as the function.
if [[ $funcstack[1] == _rdap-gateway ]]; then _rdap-gateway "$@"; fi
`.replaceAll('\\$', '$'),
  fish: `# fish completion for rdap-gateway
complete -c rdap-gateway -f -a '(rdap-gateway completion words -- (commandline -opc)[2..] (commandline -ct))'
`,
};

/**
 * Prints the completion script of a shell. For `words`, prints what may stand in place of the last
 * of the words after the name of the program, with its description. Throws `CommandError`.
 */
export function completion(
  [shell = '', ...words]: readonly string[],
  { streams }: Surroundings,
): 0 {
  const shells = Object.keys(scripts);
  const suggested = shell === 'words' ? suggestionsFor(words) : undefined;
  const output =
    suggested?.map((suggestion) => `${suggestion.join('\t')}\n`).join('') ??
    (shells.includes(shell) ? scripts[shell] : undefined);
  if (output === undefined) {
    const similar = similarName(shell, shells);
    throw usageError(
      `Unknown shell ${JSON.stringify(shell)}. ${similar ? `Did you mean ${similar}?` : `Use one of ${shells.join(', ')}.`}`,
    );
  }

  streams.stdout.write(output);
  return 0;
}

type Suggestion = readonly [word: string, description: string];

function suggestionsFor([command = '', ...words]: readonly string[]): readonly Suggestion[] {
  if (words.length === 0)
    return [
      ...summariesOf(mainProgram.commands),
      ['--help', 'Show the help'],
      ['--version', 'Show the version'],
    ];

  const spec = new Map(Object.entries(mainProgram.commands)).get(command);
  const previous = words.at(-2)?.replace(/^--/, '') ?? '';
  const option = spec?.options.includes(previous) ? mainProgram.options[previous] : undefined;
  if (option?.placeholder !== undefined)
    return option.choices?.map((choice): Suggestion => [choice, '']) ?? [];

  const options = spec?.options ?? [];
  return [
    ...(command === 'keys' ? summariesOf(keys.commands) : []),
    ...(command === 'completion' ? Object.keys(scripts).map((shell) => [shell, ''] as const) : []),
    ...options.map((name): Suggestion => [`--${name}`, mainProgram.options[name]?.text ?? '']),
    ['--help', 'Show the help'],
  ];
}

function summariesOf(
  commands: Readonly<Record<string, { readonly summary: string }>>,
): readonly Suggestion[] {
  return Object.entries(commands).map(([name, { summary }]) => [name, summary]);
}
