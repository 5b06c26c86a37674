import packageJson from '../../package.json' with { type: 'json' };
import { readConfig } from '../config.ts';
import { usageError } from './command-error.ts';
import type { CommandOptions } from './command-table.ts';
import { Lookups, type RestApi } from './lookups.ts';
import type { Surroundings } from './surroundings.ts';

/** Opens lookups in this process, or through the gateway of `--server`. Rejects with `CommandError`. */
export async function openLookups(
  options: CommandOptions,
  surroundings: Surroundings,
): Promise<Lookups> {
  if (options.server !== undefined) return openGateway(options);
  if (options.key !== undefined) throw usageError('--key requires --server.');

  const [{ openLocalApi }, { openLocally }] = await Promise.all([
    import('./local-api.ts'),
    import('./local-settings.ts'),
  ]);

  return new Lookups(await openLocally(surroundings, openLocalApi));
}

/** Opens the gateway of `--server`, which has the watches. Rejects with `CommandError`. */
export function openGateway({ server, key }: CommandOptions): Lookups {
  if (server !== undefined) return new Lookups(serverApi(readServer(server), readKey(key)));
  throw usageError(
    'A gateway keeps watches: --server must be its address. Without one, use watch --once.',
  );
}

function serverApi(url: URL, key: string | undefined): RestApi {
  const common = {
    'user-agent': `${packageJson.name}/${packageJson.version}`,
    // Unlike `X-API-Key`, `fetch` does not send it to another origin after a redirect.
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
  };
  return {
    name: url.href,
    online: Promise.resolve(),
    maxNames: readConfig({}).MAX_LOOKUPS,
    fetch: (path, { headers, ...init }) =>
      fetch(new URL(path, url), { ...init, headers: { ...headers, ...common } }),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

function readServer(text: string): URL {
  const url = URL.parse(text.replace(/\/*$/, '/'));
  const isPlain = url && !/[?#]/.test(text) && url.username === '' && url.password === '';
  if (isPlain && /^https?:$/.test(url.protocol)) return url;
  throw usageError(
    `--server must be an http: or https: URL without a query or a user name, such as http://127.0.0.1:4000; got ${JSON.stringify(text)}.`,
  );
}

function readKey(key: string | undefined): string | undefined {
  if (key === undefined || /^[\x21-\x7e]+$/.test(key)) return key;
  throw usageError('--key must be an API key, which consists of ASCII characters without spaces.');
}
