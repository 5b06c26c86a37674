import type { LaneHealth, Tld } from '../src/domain/catalogue.ts';
import { toUnicodeName } from '../src/domain/domain-name.ts';
import type { TldPage } from '../src/domain/tld-page.ts';
import { builder } from './builder.ts';

const LaneHealthType = builder.objectRef<LaneHealth>('RegistryHealth').implement({
  description: 'How a registry host is doing, as far as this gateway has asked it.',
  fields: (t) => ({
    queued: t.exposeInt('queued', { description: 'Questions that wait for their turn.' }),
    retryAt: t.expose('retryAt', { type: 'DateTime', nullable: true, description: 'Until when the host is left alone.' }),
    p50Ms: t.exposeFloat('p50Ms', { nullable: true, description: 'Median time of the last exchanges, in milliseconds.' }),
    errorRate: t.exposeFloat('errorRate', { nullable: true, description: 'Share of the last exchanges that failed, from 0 to 1.' }),
  }),
});

const TldType = builder.objectRef<Tld>('Tld').implement({
  description: 'A TLD, or a longer suffix with a registry of its own.',
  fields: (t) => ({
    id: t.id({ description: 'The same as `label`.', resolve: ({ label }) => label }),
    label: t.exposeString('label', { description: 'The A-label, such as `com` or `xn--p1ai`.' }),
    unicodeLabel: t.string({ description: 'The label for people, such as `рф`.', resolve: ({ label }) => toUnicodeName(label) }),
    rdap: t.boolean({ description: 'An RDAP server is known.', resolve: ({ registryHost }) => registryHost !== null }),
    registryHost: t.exposeString('registryHost', { nullable: true, description: 'Host of its RDAP server.' }),
    health: t.field({
      type: LaneHealthType,
      nullable: true,
      description: 'How that host is doing; null where none is known.',
      resolve: ({ health }) => health(),
    }),
  }),
});

const TldEdgeType = builder.objectRef<Tld>('TldEdge').implement({
  description: 'A TLD in its place.',
  fields: (t) => ({
    cursor: t.string({ description: 'What `after` takes.', resolve: ({ label }) => label }),
    node: t.field({ type: TldType, description: 'The TLD.', resolve: (tld) => tld }),
  }),
});

const PageInfoType = builder.objectRef<TldPage>('PageInfo').implement({
  description: 'Where a page stands (Relay cursor connections).',
  fields: (t) => ({
    hasNextPage: t.exposeBoolean('hasNextPage', { description: 'There are more behind it.' }),
    hasPreviousPage: t.exposeBoolean('hasPreviousPage', { description: 'There are others before it.' }),
    startCursor: t.string({ nullable: true, description: 'Cursor of the first.', resolve: ({ tlds }) => tlds[0]?.label }),
    endCursor: t.string({ nullable: true, description: 'Cursor of the last.', resolve: ({ tlds }) => tlds.at(-1)?.label }),
  }),
});

export const TldConnectionType = builder.objectRef<TldPage>('TldConnection').implement({
  description: 'A page of TLDs (Relay cursor connections).',
  fields: (t) => ({
    edges: t.field({ type: [TldEdgeType], description: 'The TLDs in their places.', resolve: ({ tlds }) => [...tlds] }),
    nodes: t.field({ type: [TldType], description: 'The TLDs themselves.', resolve: ({ tlds }) => [...tlds] }),
    pageInfo: t.field({ type: PageInfoType, description: 'Where the page stands.', resolve: (page) => page }),
    totalCount: t.exposeInt('totalCount', { description: 'All that match.' }),
  }),
});
