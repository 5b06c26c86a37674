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

/** A document as it was received, with what a conditional request needs. */
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
/** A document that has lost this share of the entries is rejected. */
const maxLostShare = 0.1;
const maxLoggedEntries = 20;

/**
 * Loads the bootstrap document (RFC 9224): the last good copy, then at once and daily the newest, or sooner if `Expires` says so (section 8).
 * Until there is one, the table in the repository is used. A document that looks broken is rejected, and the last good copy stays in use.
 */
export class BootstrapLoader {
  /** Settles when the first attempt to load the document has ended, either way, or after two seconds. Never rejects. */
  readonly settled: Promise<void>;
  readonly #options: BootstrapOptions;
  readonly #storeKey: string;
  #lastGood: LoadedBootstrap | undefined;
  /** Parsed when it is needed, which is rare: mostly there is a copy. */
  #table: Services | undefined;
  #confirmedAt: number | undefined;
  #isStopped = false;
  #cancelReload: (() => void) | undefined;

  /** Starts loading. */
  constructor(options: BootstrapOptions) {
    this.#options = options;
    this.#storeKey = `bootstrap:${options.url}`;
    const loaded = this.#attempt(
      () => this.#readStored(),
      'The stored bootstrap document could not be read.',
    ).then(() => this.#reload());
    const { promise: timedOut, resolve } = Promise.withResolvers<void>();
    void loaded.then(options.clock.after(maxWaitMs, resolve));
    this.settled = Promise.race([loaded, timedOut]);
  }

  /** Returns the newest services that could be loaded. */
  current(): Services {
    return this.#lastGood?.services ?? (this.#table ??= readBootstrap(table));
  }

  /** Returns where the current services come from. */
  info(): BootstrapInfo {
    return {
      source: this.#lastGood ? publicSource(this.#options.url) : 'built-in',
      publishedAt: publicationOf(this.#lastGood ? this.#lastGood.copy.document : table),
    };
  }

  /** When the current document was last found to be the newest; epoch ms, undefined for never. */
  get confirmedAt(): number | undefined {
    return this.#confirmedAt;
  }

  /** Stops loading for good: a response that is still received is neither stored nor logged. */
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
      'The bootstrap document could not be loaded. Using the last good copy.',
    );
    if (isLoaded) this.#confirmedAt = clock.now();
    if (this.#isStopped) return;
    const untilExpiryMs = (this.#lastGood?.copy.expiresAt ?? Infinity) - clock.now();
    const delayMs = isLoaded ? Math.min(Math.max(untilExpiryMs, hourMs), dayMs) : hourMs;
    this.#cancelReload = clock.after(delayMs, () => void this.#reload());
  }

  /** Resolves to whether the step succeeded. */
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
    // The table is not parsed for this if it was never used.
    const previousServices = previous?.services ?? this.#table;
    log.info(
      {
        entries: services.size,
        ...(previousServices && changesBetween(previousServices, services)),
      },
      'bootstrap loaded',
    );
    this.#lastGood = { copy, services };
    await store.put(this.#storeKey, JSON.stringify(copy));
  }

  /** Throws if a new document must not replace the last good one. */
  #assertPlausible(services: Services): void {
    const { url } = this.#options;
    // A file is what the operator wrote; a response may be truncated.
    if (url.startsWith('file:')) return;
    // The table is a copy of IANA's document only.
    const reference = this.#lastGood?.services ?? (url === ianaUrl ? this.current() : undefined);
    if (!reference) return;
    if (reference.has('com') && !services.has('com')) throw new Error('it has no com');
    const lost = Array.from(reference.keys()).filter((entry) => !services.has(entry)).length;
    if (lost >= reference.size * maxLostShare)
      throw new Error(`it lost ${lost} of ${reference.size} entries`);
  }
}

/** Returns how many entries were added, removed or moved, and the first of them, for the log. */
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

/** Returns a URL as clients may see it: the path of a file reveals something about the machine, and a query may be a secret. */
function publicSource(url: string): string {
  const { protocol, origin, pathname } = new URL(url);
  return protocol === 'file:' ? 'file' : `${origin}${pathname}`;
}

/** Resolves to the newest copy, with the same document if that has not changed. */
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
  if (status !== 200) throw new Error(`the server answered ${status}`);
  return {
    document: readJson(body),
    etag: header('etag'),
    lastModified: header('last-modified'),
    expiresAt,
  };
}
