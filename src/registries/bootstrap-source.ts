import { readFile } from 'node:fs/promises';
import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import type { Client } from '../rdap/client.ts';
import { readJson } from '../rdap/json.ts';
import { readBootstrap, type Services } from './bootstrap.ts';
import table from './bootstrap-table.json' with { type: 'json' };

export interface BootstrapSource {
  /** The newest list that could be had. */
  current(): Services;
  /** Settles when the first attempt to load it has ended, either way, or after two seconds. Never rejects. */
  readonly settled: Promise<void>;
  stop(): void;
}

const reloadEveryMs = 24 * 60 * 60 * 1000;
const loadTimeoutMs = 30_000;
const longestWaitMs = 2000;

/** Loads IANA's list (RFC 9224), now and daily. Until it is there, and when it cannot be had, the table in the repository serves. */
export function loadBootstrap(url: string, client: Client, clock: Clock, log: Log): BootstrapSource {
  let services = readBootstrap(table);
  let cancelReload = () => {};

  async function load(): Promise<void> {
    try {
      services = readBootstrap(await read(url, client));
      log.info({ entries: services.size }, 'bootstrap loaded');
    } catch (error) {
      log.warn({ err: error, serving: services.size }, 'bootstrap could not be loaded: the last good one serves on');
    }
    cancelReload = clock.after(reloadEveryMs, () => void load());
  }

  const loaded = load();
  return {
    current: () => services,
    settled: Promise.race([loaded, new Promise<void>((resolve) => clock.after(longestWaitMs, resolve))]),
    stop: () => cancelReload(),
  };
}

async function read(url: string, client: Client): Promise<unknown> {
  if (url.startsWith('file:')) return readJson(await readFile(new URL(url)));
  const outcome = await client.get(url, { accept: 'application/json' }, loadTimeoutMs);
  if ('problem' in outcome) throw outcome.problem;
  if (outcome.status !== 200) throw new Error(`the server answered ${outcome.status}`);
  return readJson(outcome.body);
}
