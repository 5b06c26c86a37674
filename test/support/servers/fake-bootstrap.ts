import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { status, type FakeRequest, type Reply, type Script } from '../bodies/replies.ts';
import { startScriptedServer, type ScriptedServer, type ServerOptions } from './scripted-server.ts';
import { systemClock } from '../../../src/clock.ts';

/** An RFC 9224 document. */
export interface BootstrapDocument {
  readonly version: string;
  readonly publication: string;
  readonly services: readonly (readonly [entries: readonly string[], urls: readonly string[]])[];
}

/**
 * Returns a document with the base URLs of each entry: `bootstrapOf({ com: registry.baseUrl })`.
 */
export function bootstrapOf(
  urlsByEntry: Readonly<Record<string, string | readonly string[]>>,
): BootstrapDocument {
  const services = Object.entries(urlsByEntry).map(
    ([entry, urls]) => [[entry], [urls].flat()] as const,
  );
  return { version: '1.0', publication: '2026-07-14T22:00:03Z', services };
}

/** A server for the bootstrap document. */
export interface FakeBootstrap extends ScriptedServer {
  /** URL of the document: `{baseUrl}dns.json`. */
  readonly documentUrl: string;
  /** Serves another document, and ends a scripted failure. */
  publish(document: BootstrapDocument): void;
  /** Sends these responses until the next `publish`. */
  answer(script: Script): void;
}

export interface BootstrapOptions extends ServerOptions {
  /** Time from the server's clock to `Expires`. */
  readonly freshForMs?: number;
}

/** Serves a document like IANA, with `ETag`, `Expires` and 304. */
export async function startBootstrap(
  document: BootstrapDocument,
  options: BootstrapOptions = {},
): Promise<FakeBootstrap> {
  const { freshForMs = 86_400_000, clock = systemClock } = options;
  let script: Script = documentScript(document);
  const server = await startScriptedServer(
    (request) => (request.url === '/dns.json' ? script : status(404)),
    options,
  );
  return Object.assign(server, {
    documentUrl: server.url('dns.json'),
    publish: (next: BootstrapDocument) => void (script = documentScript(next)),
    answer: (next: Script) => void (script = next),
  });

  function documentScript(served: BootstrapDocument): Script {
    const body = JSON.stringify(served);
    const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 16)}"`;
    return ({ headers }: FakeRequest): Reply => {
      const caching = { etag, expires: new Date(clock.now() + freshForMs).toUTCString() };
      if (headers['if-none-match'] === etag) return status(304, caching);
      return status(200, { 'content-type': 'application/json', ...caching }, body);
    };
  }
}

/** A bootstrap document in a temporary file. */
export interface BootstrapFile extends AsyncDisposable {
  /** A `file:` URL. */
  readonly url: string;
  readonly path: string;
}

/** The base URLs of objects other than domains, by the entry of their bootstrap document. */
export interface ObjectServers {
  readonly ipv4?: Readonly<Record<string, string>>;
  readonly ipv6?: Readonly<Record<string, string>>;
  readonly asn?: Readonly<Record<string, string>>;
  /** By tag (RFC 8521). */
  readonly tags?: Readonly<Record<string, string>>;
}

/**
 * Writes a document, or overrides in the same format, to a temporary file that is deleted on
 * disposal. The documents of other objects are in the same folder.
 */
export async function writeBootstrap(
  document: object,
  { ipv4 = {}, ipv6 = {}, asn = {}, tags = {} }: ObjectServers = {},
): Promise<BootstrapFile> {
  const directory = await mkdtemp(join(tmpdir(), 'bootstrap-'));
  const path = join(directory, 'dns.json');
  const tagServices = Object.entries(tags).map(([tag, url]) => [
    ['registry@example'],
    [tag],
    [url],
  ]);
  const documents = {
    dns: document,
    ...(Object.keys(ipv4).length > 0 && { ipv4: bootstrapOf(ipv4) }),
    ...(Object.keys(ipv6).length > 0 && { ipv6: bootstrapOf(ipv6) }),
    ...(Object.keys(asn).length > 0 && { asn: bootstrapOf(asn) }),
    ...(tagServices.length > 0 && { 'object-tags': { ...bootstrapOf({}), services: tagServices } }),
  };
  for (const [name, content] of Object.entries(documents))
    await writeFile(join(directory, `${name}.json`), JSON.stringify(content));
  return {
    url: pathToFileURL(path).href,
    path,
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
}
