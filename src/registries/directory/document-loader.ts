import { readFile } from 'node:fs/promises';
import type { KeyValueStore } from '../../shared/key-value-store.ts';
import { withTimeLimit, type Clock } from '../../clock.ts';
import type { Log } from '../../log.ts';
import type { HttpClient } from '../../outbound/client.ts';
import { assertPlausible, changesBetween, type Listing } from './entry-changes.ts';

export interface LoaderOptions {
  readonly url: string;
  readonly client: HttpClient;
  readonly store: KeyValueStore;
  readonly clock: Clock;
  readonly log: Log;
  /**
   * A stored copy that was loaded or confirmed within this time is not reloaded at startup. For
   * processes that run for seconds; by default, it is always reloaded.
   */
  readonly startupIntervalMs?: number | undefined;
  /** Called when another content is in use. */
  readonly onChange?: () => void;
}

/** What the loader must know about a type of document. */
interface DocumentType<T extends Listing> {
  /** Names the document in log messages, e.g. `bootstrap document`. */
  readonly name: string;
  readonly storeKey: string;
  readonly mediaType: string;
  /** Decodes a body to a document that JSON can represent. */
  readonly decode: (body: Uint8Array) => unknown;
  /** Returns the content of a document. Throws an Error with the reason if it is invalid. */
  readonly parse: (document: unknown) => T;
  /** Returns the content that is used until a document is loaded. */
  readonly builtIn: () => T;
  /** The built-in content is a copy of the document, so that the first one must be similar. */
  readonly isBuiltInCopy: boolean;
  /** A document that lacks this share of the previous entries is rejected; a tenth by default. */
  readonly maxLostShare?: number;
  /**
   * Whether the server may lack the document. That it was not received is then logged at `debug`
   * only; that it is invalid is still a warning.
   */
  readonly isOptional?: boolean;
}

/** The document was not received: the server failed or has none, or there is no such file. */
class NotReceivedError extends Error {
  override readonly name = 'NotReceivedError';
}

/** A received document, with the validators for a conditional request. */
interface DocumentCopy {
  readonly document: unknown;
  readonly etag?: string | undefined;
  readonly lastModified?: string | undefined;
  /** Time of `Expires`, in epoch ms. */
  readonly expiresAt?: number | undefined;
}

/** A document and its content. */
interface Loaded<T> {
  readonly copy: DocumentCopy;
  readonly value: T;
}

const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;
const loadTimeoutMs = 30_000;
const maxWaitMs = 2000;

/**
 * Loads a document: first the stored copy, then the current document, which is reloaded daily, or
 * earlier according to `Expires` (RFC 9224 section 8). If a load fails, or the document is
 * implausible, the last good copy stays in use. Until there is one, the built-in content is used.
 */
export class DocumentLoader<T extends Listing> {
  /** Settles after the first attempt to load the document, or after two seconds. Never rejects. */
  readonly settled: Promise<void>;
  readonly #type: DocumentType<T>;
  readonly #options: LoaderOptions;
  #lastGood: Loaded<T> | undefined;
  #confirmedAt: number | undefined;
  #unreachableSince: number | undefined;
  #isStopped = false;
  #cancelReload: (() => void) | undefined;

  /** Starts loading the document. */
  constructor(type: DocumentType<T>, options: LoaderOptions) {
    this.#type = type;
    this.#options = options;
    const loaded = this.#attempt(
      () => this.#readStored(),
      () => `Failed to read the cached ${type.name}. Loading it again.`,
    ).then(() => this.#reloadWhenDue());

    this.settled = withTimeLimit(loaded, { clock: options.clock, ms: maxWaitMs });
  }

  /** Returns the content in use. It remains the same object until an entry changes. */
  current(): T {
    return this.#lastGood?.value ?? this.#type.builtIn();
  }

  /** The last good document; undefined until one is loaded. */
  get document(): unknown {
    return this.#lastGood?.copy.document;
  }

  /** Time of the last successful load; epoch ms, undefined without one. */
  get confirmedAt(): number | undefined {
    return this.#confirmedAt;
  }

  /** When the server was first found to be unreachable, if it still is; epoch ms. */
  get unreachableSince(): number | undefined {
    return this.#unreachableSince;
  }

  /** Whether the last attempt to load the document failed without a response. */
  get isUnreachable(): boolean {
    return this.#unreachableSince !== undefined;
  }

  /** Stops loading. A response that arrives later is neither stored nor logged. */
  stop(): void {
    this.#isStopped = true;
    this.#cancelReload?.();
  }

  async #readStored(): Promise<void> {
    const { storeKey, parse } = this.#type;
    const stored = (await this.#options.store.read(storeKey)).get(storeKey);
    if (stored === undefined) return;
    const copy = JSON.parse(stored) as DocumentCopy;
    this.#use({ copy, value: parse(copy.document) });
  }

  #use(loaded: Loaded<T>): void {
    const previous = this.#lastGood?.value;
    this.#lastGood = loaded;
    if (loaded.value !== previous) this.#options.onChange?.();
  }

  async #reloadWhenDue(): Promise<void> {
    const delayMs = await this.#untilDueMs();
    if (delayMs === 0) return this.#reload();
    if (!this.#isStopped)
      this.#cancelReload = this.#options.clock.after(delayMs, () => void this.#reload());
  }

  /** Resolves to the time until the stored copy must be reloaded. */
  async #untilDueMs(): Promise<number> {
    const { startupIntervalMs = 0, url, store, clock } = this.#options;
    if (startupIntervalMs === 0 || !this.#lastGood || url.startsWith('file:')) return 0;
    const key = this.#confirmedKey;
    const ageMs = clock.now() - Number((await store.read(key)).get(key) ?? -Infinity);
    return ageMs >= 0 ? Math.max(0, startupIntervalMs - ageMs) : 0;
  }

  get #confirmedKey(): string {
    return `confirmed:${this.#type.storeKey}`;
  }

  async #reload(): Promise<void> {
    if (this.#isStopped) return;

    const { clock } = this.#options;
    const isLoaded = await this.#attempt(
      () => this.#load(),
      () =>
        `Failed to load the ${this.#type.name}. Using the ${this.#lastGood ? 'last good copy' : 'built-in one'}; retrying in an hour.`,
    );
    if (isLoaded) this.#confirmedAt = clock.now();
    if (this.#isStopped) return;

    const untilExpiryMs = (this.#lastGood?.copy.expiresAt ?? Infinity) - clock.now();
    const delayMs = isLoaded ? Math.min(Math.max(untilExpiryMs, hourMs), dayMs) : hourMs;
    this.#cancelReload = clock.after(delayMs, () => void this.#reload());
  }

  /** Runs a step, and logs a failure. Resolves to whether it succeeded. */
  async #attempt(step: () => Promise<void>, failure: () => string): Promise<boolean> {
    try {
      await step();
      return true;
    } catch (error) {
      if (!this.#isStopped) this.#logFailure(error, failure());
      return false;
    }
  }

  /** Logs the stack trace only at `debug`: a network that is unavailable is no defect. */
  #logFailure(error: unknown, failure: string): void {
    const { log } = this.#options;
    const level = this.#type.isOptional && error instanceof NotReceivedError ? 'debug' : 'warn';
    log[level]({ reason: reasonOf(error), serving: this.current().size }, failure);
    log.debug({ err: error }, failure);
  }

  async #load(): Promise<void> {
    const { storeKey, parse } = this.#type;
    const previous = this.#lastGood;
    const copy = await this.#fetch(previous?.copy);

    if (this.#isStopped) return;

    if (this.#options.startupIntervalMs !== undefined)
      await this.#options.store.put(this.#confirmedKey, String(this.#options.clock.now()));

    if (previous && copy.document === previous.copy.document) {
      this.#lastGood = { ...previous, copy };
      return;
    }

    this.#use({ copy, value: this.#accept(parse(copy.document)) });
    await this.#options.store.put(storeKey, JSON.stringify(copy));
  }

  /**
   * Returns the content to use for a new document. Throws an Error with the reason if it is
   * implausible.
   */
  #accept(value: T): T {
    const { name, builtIn, isBuiltInCopy, maxLostShare } = this.#type;
    const { url, log } = this.#options;
    const previous = this.#lastGood?.value ?? (isBuiltInCopy ? builtIn() : undefined);

    // A file is under the operator's control; a response may be truncated.
    if (previous && !url.startsWith('file:')) assertPlausible(value, previous, maxLostShare);
    const changes = previous && changesBetween(previous, value);
    if (previous && !changes) return previous;

    log.info({ entries: value.size, ...changes }, `Loaded the ${name}.`);
    return value;
  }

  /** Resolves to the current copy, with the previous document object if it is unchanged. */
  async #fetch(previous: DocumentCopy | undefined): Promise<DocumentCopy> {
    const { mediaType, decode } = this.#type;
    const { url, client, clock } = this.#options;
    if (url.startsWith('file:')) return { document: decode(await readLocal(new URL(url))) };

    const conditions = {
      ...(previous?.etag !== undefined && { 'if-none-match': previous.etag }),
      ...(previous?.lastModified !== undefined && { 'if-modified-since': previous.lastModified }),
    };
    const outcome = await client.get(url, { accept: mediaType, ...conditions }, loadTimeoutMs);
    const hasFailed = 'problem' in outcome;
    const isReachable = !hasFailed || outcome.failure === 'refused';
    this.#unreachableSince = isReachable ? undefined : (this.#unreachableSince ?? clock.now());
    if (hasFailed) throw notReceived(outcome.problem);

    const { status, body, header } = outcome;
    const expiresAt = Date.parse(header('expires') ?? '') || undefined;
    if (status === 304 && previous) return { ...previous, expiresAt };
    if (status !== 200) throw new NotReceivedError(`the server returned ${status}`);

    return {
      document: decode(body),
      etag: header('etag'),
      lastModified: header('last-modified'),
      expiresAt,
    };
  }
}

async function readLocal(url: URL): Promise<Uint8Array> {
  try {
    return await readFile(url);
  } catch (error) {
    throw notReceived(error);
  }
}

function notReceived(error: unknown): NotReceivedError {
  return new NotReceivedError(reasonOf(error), { cause: error });
}

/** Returns the message of an error, followed by the message of its cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof NotReceivedError) return error.message; // contains the cause
  return error.cause instanceof Error ? `${error.message} ${error.cause.message}` : error.message;
}
