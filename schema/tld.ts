import { provesAvailable, type HostStatus, type Tld } from '../src/domain/catalogue.ts';
import { toUnicodeName } from '../src/domain/domain-name.ts';
import { tldIdOf } from '../src/domain/node-id.ts';
import type { SourceInfo } from '../src/domain/source.ts';
import { builder } from './builder.ts';

const HostStatusType = builder.objectRef<HostStatus>('RegistryHealth').implement({
  description: 'Health of a registry host, as measured by this gateway.',
  fields: (t) => ({
    queued: t.exposeInt('queued', { description: 'Queued requests.' }),
    retryAt: t.expose('retryAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When requests to the host resume; null if they are not paused.',
    }),
    p50Ms: t.exposeFloat('p50Ms', {
      nullable: true,
      description: 'Median latency of the most recent requests, in milliseconds.',
    }),
    errorRate: t.exposeFloat('errorRate', {
      nullable: true,
      description: 'Share of the most recent requests that failed, from 0 to 1.',
    }),
  }),
});

const TldSourceType = builder.objectRef<SourceInfo>('TldSource').implement({
  description: 'A source in which the names of a TLD are looked up.',
  fields: (t) => ({
    source: t.exposeString('kind', {
      description:
        "`rdap`, `das` (the registry's availability service), `whois` or `dns` (the delegations in the zone of the TLD).",
    }),
    endpoint: t.exposeString('endpoint', {
      nullable: true,
      description: 'URL of the server. Null for the DNS, whose servers depend on the zone.',
    }),
  }),
});

export const TldType = builder.objectRef<Tld>('Tld').implement({
  interfaces: [builder.nodeInterfaceRef()],
  description: 'A TLD, or a longer suffix with its own registry.',
  fields: (t) => ({
    id: t.id({
      description: '`tld:` followed by the label, such as `tld:com`.',
      resolve: ({ label }) => tldIdOf(label),
    }),
    label: t.exposeString('label', { description: 'The A-label, such as `com` or `xn--p1ai`.' }),
    unicodeLabel: t.string({
      description: 'The label for display, such as `рф`.',
      resolve: ({ label }) => toUnicodeName(label),
    }),
    sources: t.field({
      type: [TldSourceType],
      description: 'The sources of its names, in order of preference. Empty if there are none.',
      resolve: ({ sources }) => [...sources],
    }),
    provesAvailable: t.boolean({
      description:
        'Whether one of the sources can prove that a name is available. Otherwise, names under the TLD are never ' +
        'AVAILABLE: a name that is not delegated in the DNS may still be registered.',
      resolve: provesAvailable,
    }),
    rdap: t.boolean({
      description: 'Whether RDAP is one of the sources, so that registered names have a record.',
      resolve: ({ registryHost }) => registryHost !== null,
    }),
    registryHost: t.exposeString('registryHost', {
      nullable: true,
      description: 'Host of the RDAP server. Null without one.',
    }),
    health: t.field({
      type: HostStatusType,
      nullable: true,
      description: 'Health of that host; null if no RDAP server is known.',
      resolve: ({ health }) => health(),
    }),
  }),
});

export const TldConnectionType = builder.connectionObject(
  {
    type: TldType,
    name: 'TldConnection',
    description: 'A page of TLDs (a Relay connection).',
    fields: (t) => ({
      totalCount: t.exposeInt('totalCount', { description: 'Total number of matching TLDs.' }),
      networkReachable: t.boolean({
        description:
          'Whether this gateway can reach registries, as far as it has observed. If not, only cached answers and ' +
          'names under `.test` are available.',
        resolve: (_page, _args, { catalogue }) => catalogue.isNetworkReachable(),
      }),
    }),
  },
  { name: 'TldEdge', description: 'An edge in a TldConnection: a TLD and its cursor.' },
);
