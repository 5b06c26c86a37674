import { BootstrapLoader } from '../registries/directory/bootstrap-loader.ts';
import { readBootstrap, readOverrides } from '../registries/directory/bootstrap-parser.ts';
import { namedOrigins } from '../registries/directory/named-origins.ts';
import { ObjectBootstraps } from '../registries/directory/object-bootstraps.ts';
import { noSourceSettings, parseSourcesFile } from '../registries/directory/sources-file.ts';
import { knownSources, type KnownSources } from '../registries/directory/suffix-sources.ts';
import { TldListLoader, tldListUrl } from '../registries/directory/tld-list.ts';
import type { LookupStores } from '../storage/open.ts';
import { createClients, type Clients } from './clients.ts';
import type { Common } from './common.ts';
import { readSetting } from './settings.ts';

/** What is known about the sources of all suffixes, and the clients that may query them. */
export interface SourceKnowledge {
  readonly known: () => KnownSources;
  readonly clients: Clients;
  readonly bootstrap: BootstrapLoader;
  /**
   * Returns the bootstrap documents of objects besides domains. The first call starts to load them: a
   * process that looks up only domains does not need them.
   */
  readonly objectBootstraps: () => ObjectBootstraps;
  /** Settles after the first attempts to load both lists, or after two seconds. Never rejects. */
  readonly settled: Promise<unknown>;
}

/**
 * Reads the operator's files, and starts loading the bootstrap document and the list of TLDs.
 * Rejects with `ConfigError` if a file is invalid. `startupIntervalMs` is that of `LoaderOptions`.
 */
export async function buildKnownSources(
  common: Common,
  stores: LookupStores,
  startupIntervalMs?: number,
): Promise<SourceKnowledge> {
  const { config, clock, log, disposables } = common;
  await checkBootstrapFile(config.RDAP_BOOTSTRAP_URL);
  const configured = await readConfigured(common);
  const known = knownSources(
    () => bootstrap.current(),
    () => tldList.current(),
    configured,
  );
  const isNamed = namedOrigins(known);
  const clients = createClients(
    common,
    (origin) => isNamed(origin) || objects?.names(origin) === true,
  );
  const interval = startupIntervalMs === undefined ? {} : { startupIntervalMs };
  const loading = { client: clients.bootstrap, store: stores.answers, clock, log, ...interval };
  const bootstrap = disposables.adopt(
    new BootstrapLoader({ ...loading, url: config.RDAP_BOOTSTRAP_URL }),
    (loader) => loader.stop(),
  );
  const tldList = disposables.adopt(
    new TldListLoader({ ...loading, url: tldListUrl(config.RDAP_BOOTSTRAP_URL) }),
    (loader) => loader.stop(),
  );
  let objects: ObjectBootstraps | undefined;
  const objectBootstraps = () =>
    (objects ??= new ObjectBootstraps({ ...loading, url: config.RDAP_BOOTSTRAP_URL }));
  disposables.defer(() => objects?.stop());
  const settled = Promise.all([bootstrap.settled, tldList.settled]);
  return { known, clients, bootstrap, objectBootstraps, settled };
}

/**
 * Rejects with `ConfigError` if the bootstrap document is a file that cannot be used. A server may
 * be unavailable for a while, but a file that is missing at startup is a mistake.
 */
async function checkBootstrapFile(url: string): Promise<void> {
  if (url.startsWith('file:'))
    await readSetting('RDAP_BOOTSTRAP_URL', new URL(url), readBootstrap, undefined);
}

async function readConfigured({
  config,
}: Common): Promise<Omit<KnownSources, 'bootstrap' | 'tlds'>> {
  return {
    usesWhois: config.WHOIS,
    overrides: await readSetting('RDAP_OVERRIDES', config.RDAP_OVERRIDES, readOverrides, new Map()),
    settings: await readSetting(
      'SOURCES_FILE',
      config.SOURCES_FILE,
      (document) => parseSourcesFile(document, config.RDAP_ALLOW_PRIVATE),
      noSourceSettings,
    ),
  };
}
