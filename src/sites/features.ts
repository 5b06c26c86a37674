// The printed schema has the types in the order of these imports.
import { agentSignalsField } from './agent-signals/agent-signals-schema.ts';
import { categoriesField } from './page/categories-schema.ts';
import { certificatesField } from './certificates/certificates-schema.ts';
import { disposableMailField } from './mail/disposable-mail-schema.ts';
import { dnsField } from './dns/dns-schema.ts';
import { forSale } from './for-sale/for-sale.ts';
import { identityField } from './page/identity-schema.ts';
import { pageField } from './page/page-schema.ts';
import { robotsField } from './robots/robots-schema.ts';
import { subdomainsField } from './certificates/subdomains-schema.ts';
import { technologiesField } from './tech/tech-schema.ts';
import { tlsField } from './tls/tls-schema.ts';
import { agentReadiness } from './agent-signals/agent-readiness-endpoint.ts';
import { agentSignalsLookup } from './agent-signals/agent-signals-lookup.ts';
import { certificates, subdomains } from './certificates/certificates-endpoint.ts';
import { certificatesLookup, subdomainsLookup } from './certificates/certificates-lookups.ts';
import { dnsLookup } from './dns/dns-lookup.ts';
import type { Feature } from './feature.ts';
import { emailBlacklist } from './mail/email-blacklist-endpoint.ts';
import { categorize } from './page/categorize-endpoint.ts';
import { identityAssets, identityResolution } from './page/identity-endpoint.ts';
import { categoriesLookup, identityLookup, pageLookup } from './page/page-lookups.ts';
import { urlIntelligence } from './page/url-intelligence-endpoint.ts';
import { robots } from './robots/robots-endpoint.ts';
import { robotsLookup } from './robots/robots-lookup.ts';
import type { SiteLookup } from './site-lookup.ts';
import { tech } from './tech/tech-endpoint.ts';
import { technologiesLookup } from './tech/technologies-lookup.ts';
import { tls } from './tls/tls-endpoint.ts';
import { tlsLookup } from './tls/tls-lookup.ts';

/** All that can be read about sites, by the field of `Site` in GraphQL. */
export const features = {
  robots: { lookup: robotsLookup, field: robotsField, endpoints: [robots] },
  tls: { lookup: tlsLookup, field: tlsField, endpoints: [tls] },
  dns: { lookup: dnsLookup, field: dnsField },
  forSale,
  disposableMail: { field: disposableMailField, endpoints: [emailBlacklist] },
  page: { lookup: pageLookup, field: pageField, endpoints: [urlIntelligence] },
  identity: {
    lookup: identityLookup,
    field: identityField,
    endpoints: [identityAssets, identityResolution],
  },
  agentSignals: {
    lookup: agentSignalsLookup,
    field: agentSignalsField,
    endpoints: [agentReadiness],
  },
  technologies: { lookup: technologiesLookup, field: technologiesField, endpoints: [tech] },
  categories: { lookup: categoriesLookup, field: categoriesField, endpoints: [categorize] },
  certificates: {
    lookup: certificatesLookup,
    field: certificatesField,
    endpoints: [certificates],
  },
  subdomains: { lookup: subdomainsLookup, field: subdomainsField, endpoints: [subdomains] },
} satisfies Record<string, Feature>;

const all: readonly Feature[] = Object.values(features);

/** The endpoints about sites. */
export const siteEndpoints = all.flatMap(({ endpoints = [] }) => endpoints);

/** What callers select and pay for: what is read of the site first, then of the DNS and the search. */
export const siteLookups: readonly SiteLookup[] = (['site', 'dns', 'search'] as const).flatMap(
  (from) => all.flatMap(({ lookup }) => (lookup?.fact.from === from ? lookup : [])),
);
