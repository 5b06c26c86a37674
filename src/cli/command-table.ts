import { confirmNames } from '../domain/source.ts';
import { tldSets } from '../domain/tld-sets.ts';

/** The sets that `--tlds` accepts. */
export const tldSetNames = Object.keys(tldSets).map((name) => `@${name}`);

/** The options of all commands, with their placeholders and descriptions. */
const optionSpecs = {
  tlds: {
    placeholder: 'LIST',
    choices: tldSetNames,
    text: 'Check each NAME under these TLDs: labels, suffixes or sets such as @popular, separated by commas; repeatable.',
  },
  'max-age': {
    placeholder: 'N',
    text: 'Accept a cached answer that is at most N seconds old; 0 queries the registry.',
  },
  confirm: {
    placeholder: 'NAMES',
    choices: confirmNames,
    text: 'Which verdicts the registry must confirm: all (the default), or available for a faster search, in which the DNS shows that a name is registered.',
  },
  json: { text: 'Print JSON.' },
  csv: { text: 'Print CSV, with the columns of the REST API.' },
  server: {
    placeholder: 'URL',
    text: 'Use the gateway at this address instead of querying registries from here.',
  },
  key: { placeholder: 'KEY', text: 'The API key for --server.' },
} as const satisfies Readonly<Record<string, OptionSpec>>;

export interface OptionSpec {
  /** The placeholder of the value; an option without one takes no value. */
  readonly placeholder?: string;
  /** Values that a shell suggests. */
  readonly choices?: readonly string[];
  readonly text: string;
}

export type OptionName = keyof typeof optionSpecs;

/** Returns the syntax of an option. */
export function optionOf(name: OptionName): OptionSpec {
  return optionSpecs[name];
}

/** The syntax of a command. */
export interface CommandSpec {
  readonly summary: string;
  /** The arguments, as in the first line of the help. */
  readonly usage: string;
  readonly argumentCount: readonly [min: number, max: number];
  /** Sentences that the help adds to the summary. */
  readonly details: string;
  readonly options: readonly OptionName[];
  /** Command lines without the name of the program, each with its purpose. */
  readonly examples: readonly (readonly [line: string, purpose: string])[];
  /** Set if the command parses its own arguments, `--help` included. */
  readonly parsesArguments?: true;
}

const exitCodeText =
  'The exit code is 0 for an available name, 1 for a taken one, 2 if there is no verdict, and 64 for invalid usage or settings.';

const commandSpecs = {
  check: {
    summary: 'Check whether names are available',
    usage: 'NAME… [OPTIONS]',
    argumentCount: [1, Infinity],
    details: `On a terminal, each name is shown as soon as its registry has responded. Elsewhere, the output is one JSON object per line. ${exitCodeText} For several names, it is 0 unless one has no verdict.`,
    options: ['tlds', 'max-age', 'confirm', 'json', 'csv', 'server', 'key'],
    examples: [
      ['check example.com', 'one name'],
      ['check my-idea --tlds @popular,co.uk', 'one label under many TLDs'],
      ['check example.com example.net --csv > names.csv', 'a table'],
      ['check example.com && echo available', 'in a script'],
    ],
  },
  whois: {
    summary: 'Show the record of a name: registrar, dates, nameservers and status',
    usage: 'NAME [OPTIONS]',
    argumentCount: [1, 1],
    details: exitCodeText,
    options: ['max-age', 'json', 'server', 'key'],
    examples: [
      ['whois example.com', 'as text'],
      ['whois example.com --json', 'as in the REST API'],
    ],
  },
  serve: {
    summary: 'Start the gateway',
    usage: '',
    argumentCount: [0, 0],
    details: 'Settings are environment variables, also in a file .env in the working directory.',
    options: [],
    examples: [['serve', 'with the default settings, at http://127.0.0.1:4000']],
  },
  keys: {
    summary: 'Manage the API keys of a gateway',
    usage: 'COMMAND [OPTIONS]',
    argumentCount: [0, Infinity],
    details: '',
    options: [],
    examples: [],
    parsesArguments: true,
  },
  mcp: {
    summary: 'Serve the Model Context Protocol (MCP) over stdin and stdout, for AI agents',
    usage: '',
    argumentCount: [0, 0],
    details:
      'The tools are those of POST /mcp of the gateway. They look names up in this process, so they need no server and no API key.',
    options: [],
    examples: [['mcp', 'as the command of an MCP server, in the settings of an agent']],
  },
  completion: {
    summary: 'Print a script that completes commands and options in a shell',
    usage: 'bash|zsh|fish',
    argumentCount: [1, 1],
    details: '',
    options: [],
    examples: [
      ['completion bash > ~/.local/share/bash-completion/completions/rdap-gateway', 'for Bash'],
      ['completion zsh > "${fpath[1]}/_rdap-gateway"', 'for Zsh'],
      ['completion fish > ~/.config/fish/completions/rdap-gateway.fish', 'for fish'],
    ],
  },
} as const satisfies Readonly<Record<string, CommandSpec>>;

export type CommandName = keyof typeof commandSpecs;

/** Returns the syntax of a command. */
export function specOf(name: CommandName): CommandSpec {
  return commandSpecs[name];
}

export function isCommandName(name: string): name is CommandName {
  return Object.hasOwn(commandSpecs, name);
}

export const commandNames = Object.keys(commandSpecs).filter(isCommandName);
