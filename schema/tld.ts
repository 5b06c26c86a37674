import type { HostStatus, Tld } from '../src/domain/catalogue.ts';
import { toUnicodeName } from '../src/domain/domain-name.ts';
import { tldIdOf } from '../src/domain/node-id.ts';
import { builder } from './builder.ts';

const HostStatusType = builder.objectRef<HostStatus>('RegistryHealth').implement({
  description: 'How a registry host is doing, as far as this gateway has asked it.',
  fields: (t) => ({
    queued: t.exposeInt('queued', { description: 'Questions that wait for their turn.' }),
    retryAt: t.expose('retryAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Until when the host is left alone.',
    }),
    p50Ms: t.exposeFloat('p50Ms', {
      nullable: true,
      description: 'Median time of the last exchanges, in milliseconds.',
    }),
    errorRate: t.exposeFloat('errorRate', {
      nullable: true,
      description: 'Share of the last exchanges that failed, from 0 to 1.',
    }),
  }),
});

export const TldType = builder.objectRef<Tld>('Tld').implement({
  interfaces: [builder.nodeInterfaceRef()],
  description: 'A TLD, or a longer suffix with a registry of its own.',
  fields: (t) => ({
    id: t.id({
      description: '`tld:` and the label, such as `tld:com`.',
      resolve: ({ label }) => tldIdOf(label),
    }),
    label: t.exposeString('label', { description: 'The A-label, such as `com` or `xn--p1ai`.' }),
    unicodeLabel: t.string({
      description: 'The label for people, such as `рф`.',
      resolve: ({ label }) => toUnicodeName(label),
    }),
    rdap: t.boolean({
      description: 'An RDAP server is known.',
      resolve: ({ registryHost }) => registryHost !== null,
    }),
    registryHost: t.exposeString('registryHost', {
      nullable: true,
      description: 'Host of its RDAP server.',
    }),
    health: t.field({
      type: HostStatusType,
      nullable: true,
      description: 'How that host is doing; null where none is known.',
      resolve: ({ health }) => health(),
    }),
  }),
});

export const TldConnectionType = builder.connectionObject(
  {
    type: TldType,
    name: 'TldConnection',
    description: 'A page of TLDs (Relay cursor connections).',
    fields: (t) => ({ totalCount: t.exposeInt('totalCount', { description: 'All that match.' }) }),
  },
  { name: 'TldEdge', description: 'A TLD with its cursor.' },
);
