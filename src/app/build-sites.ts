import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { ConfigError, type Config } from '../config.ts';
import { noSiteSettings, parseSiteSettings, type SiteSettings } from '../sites/site-settings.ts';
import { Problem } from '../domain/problems.ts';
import type { DisposableMailList } from '../sites/mail/disposable-mail.ts';
import type { SiteFact, SiteReader } from '../sites/site-facts.ts';
import { CachedSiteReader } from '../sites/cached-site-reader.ts';
import { loadDisposableMail } from '../sites/mail/site-disposable-mail.ts';
import type { Common } from './common.ts';
import { LazySandboxSites } from './lazy-sandbox-sites.ts';
import { readSetting } from './settings.ts';
import { siteReaders } from './site-readers.ts';
import { siteServers } from './site-servers.ts';

/** The reader of sites, and the list of disposable mail domains. */
export interface Sites {
  readonly reader: SiteReader;
  readonly disposableMail: DisposableMailList;
}

/**
 * Builds the reader of sites, and the list of disposable mail domains. Rejects with `ConfigError` if
 * a file is invalid.
 */
export async function buildSites(common: Common): Promise<Sites> {
  const { config, clock } = common;
  const settings = await readSiteSettings(config);
  const sandbox = config.SANDBOX ? new LazySandboxSites(common) : undefined;
  const serverOf = await siteServers(settings, sandbox);
  const readers = siteReaders({ common, settings, serverOf, sandbox }, (...read) =>
    reader.read(...read),
  );
  const reader = new CachedSiteReader({
    readers,
    clock,
    refusalOf: (fact, host) => refusalOf(config, fact, sandbox?.serves(host) === true),
    isSandbox: (host) => sandbox?.serves(host) === true,
  });
  return { reader, disposableMail: loadDisposableMail(await readMailFile(config)) };
}

function readSiteSettings(config: Config): Promise<SiteSettings> {
  return readSetting(
    'SOURCES_FILE',
    config.SOURCES_FILE,
    (document) => parseSiteSettings(document, config.RDAP_ALLOW_PRIVATE),
    noSiteSettings,
  );
}

async function readMailFile({ DISPOSABLE_MAIL_FILE: path }: Config) {
  if (path === undefined) return undefined;
  try {
    const { mtimeMs } = await stat(path);
    return { name: basename(path), text: await readFile(path, 'utf8'), updatedAt: mtimeMs };
  } catch (error) {
    throw new ConfigError(
      `DISPOSABLE_MAIL_FILE must name a readable file, got ${JSON.stringify(path)}. ${String(error)}`,
    );
  }
}

/** The facts that a site itself is contacted for. */
const ownFacts = new Set<SiteFact>(['robots', 'page', 'tls', 'agentSignals']);

function refusalOf(
  { SITE_LOOKUPS, CT_SEARCH_URL }: Config,
  fact: SiteFact,
  isSandbox: boolean,
): Problem | undefined {
  if (!SITE_LOOKUPS && ownFacts.has(fact))
    return new Problem(
      'not_implemented',
      'Site lookups are disabled on this gateway (SITE_LOOKUPS=off).',
    );
  return fact === 'certificates' && !isSandbox && CT_SEARCH_URL === undefined
    ? new Problem(
        'not_implemented',
        'This gateway has no certificate search. Its operator can set CT_SEARCH_URL to a service with the JSON API of crt.sh, such as https://crt.sh/.',
      )
    : undefined;
}
