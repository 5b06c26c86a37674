import { commandWords, type CommandWords } from './shell-words.ts';

/** Returns the completion script for fish. */
export function fishScript(): string {
  const commands = commandWords.map(
    ({ name, summary }) =>
      `complete -c rdap-gateway -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`,
  );
  return [
    '# fish completion for rdap-gateway',
    'complete -c rdap-gateway -f',
    ...commands,
    ...commandWords.flatMap(linesOf),
    '',
  ].join('\n');
}

function linesOf({ name, options, choices }: CommandWords): readonly string[] {
  const start = `complete -c rdap-gateway -n '__fish_seen_subcommand_from ${name}'`;
  return [
    ...options.map((option) => {
      const { placeholder, choices: values = [], text } = option;
      const value = placeholder === undefined ? '' : ` -x -a ${quoted(values.join(' '))}`;
      return `${start} -l ${option.name}${value} -d ${quoted(text)}`;
    }),
    ...(choices.length > 0 ? [`${start} -a ${quoted(choices.join(' '))}`] : []),
  ];
}

function quoted(word: string): string {
  return `'${word.replaceAll(/[\\']/g, '\\$&')}'`;
}
