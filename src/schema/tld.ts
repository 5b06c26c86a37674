import {
  provesAvailable,
  type ObservedFields,
  type Publishes,
  type Tld,
} from '../domain/catalogue.ts';
import type { Accuracy } from '../domain/accuracy.ts';
import type { HostStatus } from '../domain/host-status.ts';
import { byField } from '../domain/registration.ts';
import { toUnicodeName } from '../domain/names/domain-name.ts';
import { tldIdOf } from '../domain/node-id.ts';
import { policyDetail, policyKinds } from '../domain/policy.ts';
import { launchPhases, type Launch } from '../domain/launch.ts';
import { scriptsOf } from '../domain/names/letters.ts';
import type { SourceInfo } from '../domain/source.ts';
import { builder, objectType } from './builder.ts';

const HostStatusType = objectType<HostStatus>('RegistryHealth', (t) => ({
  queued: t.exposeInt('queued'),
  retryAt: t.expose('retryAt', { type: 'DateTime', nullable: true }),
  p50Ms: t.exposeFloat('p50Ms', { nullable: true }),
  errorRate: t.exposeFloat('errorRate', { nullable: true }),
}));

const TldSourceType = objectType<SourceInfo>('TldSource', (t) => ({
  source: t.exposeString('kind'),
  endpoint: t.exposeString('endpoint', { nullable: true }),
}));

export const TldPolicy = builder.enumType('TldPolicy', { values: policyKinds });

const ObservedFieldsType = objectType<ObservedFields>('ObservedFields', (t) => ({
  registrations: t.exposeInt('registrations'),
  ...byField((field) => t.float({ nullable: true, resolve: ({ shares }) => shares[field] })),
}));

const TldPublishesType = objectType<Publishes>('TldPublishes', (t) => ({
  ...byField((field) =>
    t.boolean({ nullable: true, resolve: ({ documented }) => documented[field] }),
  ),
  observed: t.field({ type: ObservedFieldsType, resolve: ({ observed }) => observed() }),
}));

const TldLaunchType = objectType<Launch>('TldLaunch', (t) => ({
  phase: t.field({
    type: builder.enumType('LaunchPhase', { values: launchPhases }),
    resolve: ({ phase }) => phase,
  }),
  opensAt: t.exposeString('opensAt', { nullable: true }),
  source: t.exposeString('source'),
}));

const AccuracyType = objectType<Accuracy>('Accuracy', (t) => ({
  sampled: t.exposeInt('sampled'),
  contradicted: t.exposeInt('contradicted'),
  upperBound: t.exposeFloat('upper'),
  since: t.expose('since', { type: 'DateTime' }),
}));

export const TldType = builder.objectRef<Tld>('Tld').implement({
  interfaces: [builder.nodeInterfaceRef()],
  fields: (t) => ({
    id: t.id({ resolve: ({ label }) => tldIdOf(label) }),
    label: t.exposeString('label'),
    unicodeLabel: t.string({ resolve: ({ label }) => toUnicodeName(label) }),
    sources: t.field({ type: [TldSourceType], resolve: ({ sources }) => [...sources] }),
    provesAvailable: t.boolean({ resolve: provesAvailable }),
    policy: t.field({ type: TldPolicy, resolve: ({ policy }) => policy.kind }),
    policyDetail: t.string({
      nullable: true,
      resolve: ({ label, policy }) => policyDetail(label, policy),
    }),
    policyDate: t.string({ nullable: true, resolve: ({ policy }) => policy.date ?? null }),
    scripts: t.stringList({
      nullable: true,
      resolve: ({ policy }) => scriptsOf(policy.letters)?.slice() ?? null,
    }),
    launch: t.field({
      type: TldLaunchType,
      nullable: true,
      resolve: ({ launch }) => launch(),
    }),
    publishes: t.expose('publishes', { type: TldPublishesType }),
    accuracy: t.field({
      type: AccuracyType,
      nullable: true,
      resolve: ({ label }, _args, { catalogue }) =>
        catalogue.accuracy().find(({ tld }) => tld === label),
    }),
    rdap: t.boolean({ resolve: ({ registryHost }) => registryHost !== null }),
    registryHost: t.exposeString('registryHost', { nullable: true }),
    health: t.field({ type: HostStatusType, nullable: true, resolve: ({ health }) => health() }),
  }),
});

export const TldConnectionType = builder.connectionObject(
  {
    type: TldType,
    name: 'TldConnection',
    fields: (t) => ({
      totalCount: t.int({ resolve: ({ totalCount = 0 }) => totalCount }),
      networkReachable: t.boolean({
        resolve: (_page, _args, { catalogue }) => catalogue.isNetworkReachable(),
      }),
    }),
  },
  { name: 'TldEdge' },
);
