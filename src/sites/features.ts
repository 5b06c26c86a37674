import { agentSignals } from './agent-signals/agent-signals-feature.ts';
import { certificates } from './certificates/certificates-feature.ts';
import { subdomains } from './certificates/subdomains-feature.ts';
import { dns } from './dns/dns-feature.ts';
import { forSale } from './for-sale/for-sale.ts';
import { disposableMail } from './mail/disposable-mail-feature.ts';
import { categories } from './page/categories-feature.ts';
import { identity } from './page/identity-feature.ts';
import { page } from './page/page-feature.ts';
import { robots } from './robots/robots-feature.ts';
import type { Feature } from './site-field.ts';
import type { SiteLookup } from './site-lookup.ts';
import { technologies } from './tech/tech-feature.ts';
import { tls } from './tls/tls-feature.ts';

/** All that can be read about sites, by the field of `Site` in GraphQL. */
export const features = {
  robots,
  tls,
  dns,
  forSale,
  disposableMail,
  page,
  identity,
  agentSignals,
  technologies,
  categories,
  certificates,
  subdomains,
} satisfies Record<string, Feature>;

const all: readonly Feature[] = Object.values(features);

export const siteEndpoints = all.flatMap(({ endpoints = [] }) => endpoints);

/** What callers select and pay for: what is read of the site first, then of the DNS and the search. */
export const siteLookups: readonly SiteLookup[] = (['site', 'dns', 'search'] as const).flatMap(
  (from) => all.flatMap(({ lookup }) => (lookup?.fact.from === from ? lookup : [])),
);
