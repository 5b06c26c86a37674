import { usageError } from './command-error.ts';
import type { CommandOptions } from './command-line.ts';
import type { Lookups } from './lookups.ts';
import type { Surroundings } from './surroundings.ts';

/** Opens lookups in this process, or through the gateway of `--server`. Rejects with `CommandError`. */
export async function openLookups(
  { server, key }: CommandOptions,
  surroundings: Surroundings,
): Promise<Lookups> {
  if (server !== undefined) {
    const { ServerLookups } = await import('./server-lookups.ts');
    return new ServerLookups({ url: readServer(server), key: readKey(key) });
  }
  if (key !== undefined) throw usageError('--key requires --server.');
  const [{ LocalLookups }, { openLocally }] = await Promise.all([
    import('./local-lookups.ts'),
    import('./local-settings.ts'),
  ]);
  return openLocally(surroundings, LocalLookups.open);
}

function readServer(text: string): URL {
  const url = URL.parse(text.replace(/\/*$/, '/'));
  if (url && /^https?:$/.test(url.protocol) && !/[?#]/.test(text)) return url;
  throw usageError(
    `--server must be an http: or https: URL without a query, such as http://127.0.0.1:4000; got ${JSON.stringify(text)}.`,
  );
}

function readKey(key: string | undefined): string | undefined {
  if (key === undefined || /^[\x21-\x7e]+$/.test(key)) return key;
  throw usageError('--key must be an API key, which consists of ASCII characters without spaces.');
}
