/** What the arguments of the process request. */
export type Invocation = 'start' | 'check-config' | 'help' | 'version';

const invocations: ReadonlyMap<string | undefined, Invocation> = new Map([
  [undefined, 'start'],
  ['--check-config', 'check-config'],
  ['-h', 'help'],
  ['--help', 'help'],
  ['-v', 'version'],
  ['--version', 'version'],
]);

/** Returns what the arguments of the process request; undefined if the first one is unknown. */
export function readArguments([first]: readonly string[]): Invocation | undefined {
  return invocations.get(first);
}

export const helpText = `Usage: npm start [-- OPTIONS]

Serves a GraphQL and REST API, and a search page, that tell whether a domain name is available.

Options:
  --check-config  Check the settings, the store and the network, and exit with 0 if all works, 1 if
                  some lookups would fail, or 2 if the gateway would not start
  -h, --help      Show this help
  -v, --version   Show the version

Settings are environment variables, also in a file .env in the working directory:
  PORT           Port to listen on (default 4000)
  HOST           Address to listen on (default 127.0.0.1)
  STORE_URL      sqlite:PATH, postgres://… or memory: (default sqlite:./data/gateway.db)
  AUTH           When a key is required: auto, required or open (default auto)
  LOG_LEVEL      debug, info, warn, error or silent, for example (default info)
  LOG_FORMAT     json or pretty (default pretty in a terminal, json elsewhere)

docs/configuration.md describes all settings. Manage API keys with \`npm run -s keys -- --help\`.`;
