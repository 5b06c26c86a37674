import { readFile } from 'node:fs/promises';
import type { Notes } from '../cache/notes.ts';
import type { Clock } from '../clock.ts';
import type { BootstrapInfo } from '../domain/catalogue.ts';
import type { Log } from '../log.ts';
import type { Client } from '../rdap/client.ts';
import { readJson } from '../rdap/json.ts';
import { changesBetween, refusalOf } from './bootstrap-changes.ts';
import { publicationOf, readBootstrap, type Services } from './bootstrap.ts';
import table from './bootstrap-table.json' with { type: 'json' };

export interface BootstrapSource {
  /** The newest list that could be had. */
  current(): Services;
  /** Returns where that list comes from. */
  info(): BootstrapInfo;
  /** Settles when the first attempt to load it has ended, either way, or after two seconds. Never rejects. */
  readonly settled: Promise<void>;
  /** When it was last seen that this is the newest, in milliseconds since the epoch; undefined while it never was. */
  readonly confirmedAt: number | undefined;
  /** Ends it for good: what is still on its way is neither kept nor spoken of. */
  stop(): void;
}

export interface BootstrapOptions {
  readonly url: string;
  readonly client: Client;
  readonly notes: Notes;
  readonly clock: Clock;
  readonly log: Log;
}

/** A list as it came, with what is needed to ask whether there is a newer one. */
interface Copy {
  readonly document: unknown;
  readonly etag?: string | undefined;
  readonly lastModified?: string | undefined;
  /** When the server's word for it ends; epoch ms. */
  readonly expiresAt?: number | undefined;
}

const iana = 'https://data.iana.org/rdap/dns.json';
const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;
const loadTimeoutMs = 30_000;
const longestWaitMs = 2000;

/**
 * Loads IANA's list (RFC 9224): the last good copy, then at once and daily, or sooner where `Expires` says so (section 8), the newest. Until
 * there is one the table in the repository serves. A copy that looks broken is refused and the last good one serves on.
 */
export function loadBootstrap({ url, client, notes, clock, log }: BootstrapOptions): BootstrapSource {
  const noteKey = `bootstrap:${url}`;
  let services: Services | undefined;
  // What a new copy is held against.
  let good: Services | undefined;
  let copy: Copy | undefined;
  let confirmedAt: number | undefined;
  let stopped = false;
  let cancelReload: (() => void) | undefined;

  // The table takes a while to read, and mostly there is a copy.
  const current = () => (services ??= readBootstrap(table));

  async function recall(): Promise<void> {
    const kept = (await notes.read(noteKey)).get(noteKey);
    if (kept === undefined) return;
    const lastGood = JSON.parse(kept) as Copy;
    good = services = readBootstrap(lastGood.document);
    copy = lastGood;
  }

  async function load(): Promise<void> {
    const next = await fetchCopy(url, client, copy);
    if (!next || stopped) return;
    if (next.document === copy?.document) return void (copy = next);
    const fresh = readBootstrap(next.document);
    // The table stands for IANA's list alone.
    const known = good ?? (url === iana ? current() : undefined);
    // A file is what the operator wrote; what comes over the net may be half of something.
    const refusal = url.startsWith('file:') ? undefined : refusalOf(fresh, known);
    if (refusal !== undefined) throw new Error(refusal);
    // What nobody was served from needs not be read for this.
    log.info({ entries: fresh.size, ...(services && changesBetween(services, fresh)) }, 'bootstrap loaded');
    good = services = fresh;
    copy = next;
    await notes.write(noteKey, JSON.stringify(next));
  }

  /** Whether the step was done. */
  async function attempt(step: () => Promise<void>, failure: string): Promise<boolean> {
    try {
      await step();
      return true;
    } catch (error) {
      if (!stopped) log.warn({ err: error, serving: current().size }, failure);
      return false;
    }
  }

  async function reload(): Promise<void> {
    if (stopped) return;
    const loaded = await attempt(load, 'bootstrap could not be loaded: the last good one serves on');
    if (loaded) confirmedAt = clock.now();
    if (stopped) return;
    const untilExpiry = (copy?.expiresAt ?? Infinity) - clock.now();
    cancelReload = clock.after(loaded ? Math.min(Math.max(untilExpiry, hourMs), dayMs) : hourMs, () => void reload());
  }

  const loaded = attempt(recall, 'the kept bootstrap could not be read').then(reload);
  const waitedLongEnough = Promise.withResolvers<void>();
  const cancelWait = clock.after(longestWaitMs, waitedLongEnough.resolve);
  void loaded.then(cancelWait);
  return {
    current,
    info: () => ({
      source: good ? publicSource(url) : 'built-in',
      publishedAt: publicationOf(good ? copy?.document : table),
    }),
    get confirmedAt() {
      return confirmedAt;
    },
    settled: Promise.race([loaded, waitedLongEnough.promise]),
    stop() {
      stopped = true;
      cancelReload?.();
    },
  };
}

/** Returns a URL as clients may see it: the path of a file tells about the machine, and a query may be a secret. */
function publicSource(url: string): string {
  const { protocol, origin, pathname } = new URL(url);
  return protocol === 'file:' ? 'file' : `${origin}${pathname}`;
}

/** The newest copy; undefined when the one that is known is still it. */
async function fetchCopy(url: string, client: Client, known: Copy | undefined): Promise<Copy | undefined> {
  if (url.startsWith('file:')) return { document: readJson(await readFile(new URL(url))) };
  const conditions = {
    ...(known?.etag !== undefined && { 'if-none-match': known.etag }),
    ...(known?.lastModified !== undefined && { 'if-modified-since': known.lastModified }),
  };
  const outcome = await client.get(url, { accept: 'application/json', ...conditions }, loadTimeoutMs);
  if ('problem' in outcome) throw outcome.problem;
  const { status, body, header } = outcome;
  const expiresAt = Date.parse(header('expires') ?? '') || undefined;
  if (status === 304 && known) return { ...known, expiresAt };
  if (status !== 200) throw new Error(`the server answered ${status}`);
  return { document: readJson(body), etag: header('etag'), lastModified: header('last-modified'), expiresAt };
}
