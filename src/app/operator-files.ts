import type { Config } from '../config.ts';
import { parseExpiryFile } from '../domain/expiry-file.ts';
import { parseOffersFile, type OffersOf } from '../domain/offers.ts';
import { timelineOf, type Timelines } from '../domain/timeline.ts';
import {
  readBootstrap,
  readOverrides,
  type Services,
} from '../registries/directory/bootstrap-parser.ts';
import { isSuffixOfNames } from '../registries/directory/directory.ts';
import { lifeCycleOf } from '../registries/directory/life-cycles.ts';
import { noSourceSettings, parseSourcesFile } from '../registries/directory/sources-file.ts';
import { entrySuffixes, type KnownSources } from '../registries/directory/suffix-sources.ts';
import type { Common } from './common.ts';
import { isReachable, reachableSources, readSetting } from './settings.ts';

/**
 * Reads the bootstrap document if it is a file. Rejects with `ConfigError` if it cannot be used: a
 * server may be unavailable for a while, but a file that is missing at startup is a mistake.
 */
export async function readBootstrapFile(url: string): Promise<Services> {
  const path = url.startsWith('file:') ? new URL(url) : undefined;
  return readSetting('RDAP_BOOTSTRAP_URL', path, readBootstrap, new Map());
}

/** Reads the operator's price list. Rejects with `ConfigError`. */
export async function readOffers(path: string | undefined, known: KnownSources): Promise<OffersOf> {
  const entries = new Map(Array.from([...entrySuffixes(known), 'test'], (entry) => [entry, null]));
  const read = (text: unknown) =>
    parseOffersFile(String(text), (suffix) => isSuffixOfNames(suffix, entries));
  return readSetting('OFFERS_FILE', path, read, () => [], 'price list');
}

/** Reads what the operator states about sources of names. Rejects with `ConfigError`. */
export async function readConfigured({ config }: Common) {
  const settings = await readSetting(
    'SOURCES_FILE',
    config.SOURCES_FILE,
    (document) => parseSourcesFile(document, config.RDAP_ALLOW_PRIVATE),
    noSourceSettings,
  );
  return {
    usesWhois: config.WHOIS && isReachable(config, 'whois'),
    overrides: await readSetting('RDAP_OVERRIDES', config.RDAP_OVERRIDES, readOverrides, new Map()),
    settings: config.OUTBOUND_PROXY ? reachableSources(settings, config) : settings,
  };
}

/** Reads the expiry dates that the operator knows. Rejects with `ConfigError`. */
export async function buildTimelines({ EXPIRY_FILE: path }: Config): Promise<Timelines> {
  const expiries = await readSetting(
    'EXPIRY_FILE',
    path,
    parseExpiryFile,
    new Map(),
    'list of dates',
  );
  return {
    of: (name, suffix, found) => timelineOf(found, lifeCycleOf(suffix), expiries.get(name)),
  };
}
