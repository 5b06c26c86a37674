import { readFile } from 'node:fs/promises';
import type { KeyValueStore } from '../cache/key-value-store.ts';
import type { Clock } from '../clock.ts';
import type { BootstrapInfo } from '../domain/catalogue.ts';
import type { Log } from '../log.ts';
import type { HttpClient } from '../sources/rdap/http/client.ts';
import { readJson } from '../sources/rdap/parser/json.ts';
import { publicationOf, readBootstrap, type Services } from './bootstrap-parser.ts';
import table from './bootstrap-table.json' with { type: 'json' };

export interface BootstrapOptions {
  readonly url: string;
  readonly client: HttpClient;
  readonly store: KeyValueStore;
  readonly clock: Clock;
  readonly log: Log;
}

/** A received document, with the validators for a conditional request. */
interface DocumentCopy {
  readonly document: unknown;
  readonly etag?: string | undefined;
  readonly lastModified?: string | undefined;
  /** From `Expires`; epoch ms. */
  readonly expiresAt?: number | undefined;
}

interface LoadedBootstrap {
  readonly copy: DocumentCopy;
  readonly services: Services;
}

const ianaUrl = 'https://data.iana.org/rdap/dns.json';
const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;
const loadTimeoutMs = 30_000;
const maxWaitMs = 2000;
/** A document that lacks this share of the previous entries is rejected. */
const maxLostShare = 0.1;
const maxLoggedEntries = 20;

/**
 * Loads the bootstrap document (RFC 9224): first the stored copy, then the current document, which
 * is reloaded daily, or earlier according to `Expires` (section 8). Until one is loaded, the
 * built-in table is used. An implausible document is rejected, and the last good copy stays in use.
 */
export class BootstrapLoader {
  /** Settles after the first attempt to load the document, or after two seconds. Never rejects. */
  readonly settled: Promise<void>;
  readonly #options: BootstrapOptions;
  readonly #storeKey: string;
  #lastGood: LoadedBootstrap | undefined;
  /** The built-in table. Parsed on first use, because it is rarely needed if a copy is stored. */
  #table: Services | undefined;
  #confirmedAt: number | undefined;
  #isStopped = false;
  #cancelReload: (() => void) | undefined;

  /** Starts loading the document. */
  constructor(options: BootstrapOptions) {
    this.#options = options;
    this.#storeKey = `bootstrap:${options.url}`;
    const loaded = this.#attempt(
      () => this.#readStored(),
      'Failed to read the cached bootstrap document. Loading it again.',
    ).then(() => this.#reload());
    const { promise: timedOut, resolve } = Promise.withResolvers<void>();
    void loaded.then(options.clock.after(maxWaitMs, resolve));
    this.settled = Promise.race([loaded, timedOut]);
  }

  /** Returns the services of the last good document. */
  current(): Services {
    return this.#lastGood?.services ?? (this.#table ??= readBootstrap(table));
  }

  /** Returns the source of the current services. */
  info(): BootstrapInfo {
    return {
      source: this.#lastGood ? publicSource(this.#options.url) : 'built-in',
      publishedAt: publicationOf(this.#lastGood ? this.#lastGood.copy.document : table),
    };
  }

  /** Time of the last successful load; epoch ms, undefined without one. */
  get confirmedAt(): number | undefined {
    return this.#confirmedAt;
  }

  /** Stops loading. A response that arrives later is neither stored nor logged. */
  stop(): void {
    this.#isStopped = true;
    this.#cancelReload?.();
  }

  async #readStored(): Promise<void> {
    const stored = (await this.#options.store.read(this.#storeKey)).get(this.#storeKey);
    if (stored === undefined) return;
    const copy = JSON.parse(stored) as DocumentCopy;
    this.#lastGood = { copy, services: readBootstrap(copy.document) };
  }

  async #reload(): Promise<void> {
    if (this.#isStopped) return;
    const { clock } = this.#options;
    const isLoaded = await this.#attempt(
      () => this.#load(),
      'Failed to load the bootstrap document. Using the last good copy; retrying in an hour.',
    );
    if (isLoaded) this.#confirmedAt = clock.now();
    if (this.#isStopped) return;
    const untilExpiryMs = (this.#lastGood?.copy.expiresAt ?? Infinity) - clock.now();
    const delayMs = isLoaded ? Math.min(Math.max(untilExpiryMs, hourMs), dayMs) : hourMs;
    this.#cancelReload = clock.after(delayMs, () => void this.#reload());
  }

  /** Runs a step, and logs a failure. Resolves to whether it succeeded. */
  async #attempt(step: () => Promise<void>, failure: string): Promise<boolean> {
    try {
      await step();
      return true;
    } catch (error) {
      if (!this.#isStopped)
        this.#options.log.warn({ err: error, serving: this.current().size }, failure);
      return false;
    }
  }

  async #load(): Promise<void> {
    const { url, client, store, log } = this.#options;
    const previous = this.#lastGood;
    const copy = await fetchCopy(url, client, previous?.copy);
    if (this.#isStopped) return;
    if (previous && copy.document === previous.copy.document) {
      this.#lastGood = { ...previous, copy };
      return;
    }
    const services = readBootstrap(copy.document);
    this.#assertPlausible(services);
    // The built-in table is compared only if it has already been parsed.
    const previousServices = previous?.services ?? this.#table;
    log.info(
      {
        entries: services.size,
        ...(previousServices && changesBetween(previousServices, services)),
      },
      'Bootstrap document loaded.',
    );
    this.#lastGood = { copy, services };
    await store.put(this.#storeKey, JSON.stringify(copy));
  }

  /** Throws if a new document is implausible compared to the last good one. */
  #assertPlausible(services: Services): void {
    const { url } = this.#options;
    // A file is under the operator's control; a response may be truncated.
    if (url.startsWith('file:')) return;
    // The built-in table is a copy of IANA's document.
    const reference = this.#lastGood?.services ?? (url === ianaUrl ? this.current() : undefined);
    if (!reference) return;
    if (reference.has('com') && !services.has('com'))
      throw new Error('the document has no entry for com');
    const lost = Array.from(reference.keys()).filter((entry) => !services.has(entry)).length;
    if (lost >= reference.size * maxLostShare)
      throw new Error(`the document lacks ${lost} of ${reference.size} previous entries`);
  }
}

/** Returns the entries added, removed or moved, for the log: their number and the first of them. */
function changesBetween(before: Services, after: Services): Record<string, unknown> {
  const added = Array.from(after.keys()).filter((entry) => !before.has(entry));
  const removed = Array.from(before.keys()).filter((entry) => !after.has(entry));
  const moved = Array.from(after.keys()).filter(
    (entry) => before.has(entry) && urlsOf(before, entry) !== urlsOf(after, entry),
  );
  return Object.fromEntries(
    Object.entries({ added, removed, moved })
      .filter(([, entries]) => entries.length > 0)
      .map(([change, entries]) => [
        change,
        { count: entries.length, first: entries.slice(0, maxLoggedEntries) },
      ]),
  );
}

function urlsOf(services: Services, entry: string): string | undefined {
  return services.get(entry)?.baseUrls.join(' ');
}

/**
 * Returns a URL without the parts that clients must not see: the path of a file, or a query string,
 * which may contain a secret.
 */
function publicSource(url: string): string {
  const { protocol, origin, pathname } = new URL(url);
  return protocol === 'file:' ? 'file' : `${origin}${pathname}`;
}

/** Resolves to the current copy, with the previous document object if it is unchanged. */
async function fetchCopy(
  url: string,
  client: HttpClient,
  previous: DocumentCopy | undefined,
): Promise<DocumentCopy> {
  if (url.startsWith('file:')) return { document: readJson(await readFile(new URL(url))) };
  const conditions = {
    ...(previous?.etag !== undefined && { 'if-none-match': previous.etag }),
    ...(previous?.lastModified !== undefined && { 'if-modified-since': previous.lastModified }),
  };
  const outcome = await client.get(
    url,
    { accept: 'application/json', ...conditions },
    loadTimeoutMs,
  );
  if ('problem' in outcome) throw outcome.problem;
  const { status, body, header } = outcome;
  const expiresAt = Date.parse(header('expires') ?? '') || undefined;
  if (status === 304 && previous) return { ...previous, expiresAt };
  if (status !== 200) throw new Error(`the server returned ${status}`);
  return {
    document: readJson(body),
    etag: header('etag'),
    lastModified: header('last-modified'),
    expiresAt,
  };
}
