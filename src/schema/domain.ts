import { recordCost } from '../execution/charging/prices.ts';
import { fieldFacts } from '../execution/field-facts.ts';
import { registrationIdOf } from '../domain/node-id.ts';
import type { Lookup } from '../lookup/lookup.ts';
import { cautionCodes, type Caution } from '../domain/policy.ts';
import { certainties, timelineEvents, type TimelineEntry } from '../domain/timeline.ts';
import type { DomainName } from '../domain/names/domain-name.ts';
import type { Offer, Price } from '../domain/offers.ts';
import type { Registration } from '../domain/registration.ts';
import type { DomainRow } from '../lookup/row.ts';
import { conclusionOf } from '../lookup/conclusion.ts';
import { availableOf, statusOf, type LookupOutcome } from '../lookup/lookup-outcome.ts';
import { builder, type InterfaceOf, objectType, withLookup } from './builder.ts';
import { EvidenceType } from './evidence.ts';
import { lookupProblem, LookupProblemType, problemField } from './problem.ts';
import {
  Confidence,
  RegistrationType,
  VariantType,
  type IdentifiedRegistration,
} from './registration.ts';

export const DomainStatus = builder.enumType('DomainStatus', {
  values: [
    'AVAILABLE',
    'REGISTERED',
    'RESERVED',
    'REDEMPTION',
    'PENDING_DELETE',
    'UNKNOWN',
    'UNSUPPORTED_TLD',
    'PENDING',
    'INVALID',
  ] as const,
});

const CautionType = objectType<Caution>('Caution', (t) => ({
  code: t.field({
    type: builder.enumType('CautionCode', { values: cautionCodes }),
    resolve: ({ code }) => code,
  }),
  detail: t.exposeString('detail'),
}));

const PriceType = objectType<Price>('Price', (t) => ({
  amount: t.exposeString('amount'),
  currency: t.exposeString('currency'),
}));
const OfferType = objectType<Offer>('Offer', (t) => ({
  seller: t.exposeString('seller'),
  register: t.expose('register', { type: PriceType }),
  renew: t.expose('renew', { type: PriceType }),
  url: t.exposeString('url'),
}));

export const DomainType = builder.objectRef<DomainRow>('Domain');

/** The interfaces of `Domain`. Extensions add theirs. */
export const domainInterfaces: InterfaceOf<unknown>[] = [builder.nodeInterfaceRef()];

export const PhaseType = builder.enumType('Phase', {
  values: ['ACTIVE', 'ON_HOLD', 'EXPIRING', 'EXPIRED', 'REDEMPTION', 'PENDING_DELETE'] as const,
});

const TimelineEntryType = objectType<TimelineEntry>('TimelineEntry', (t) => ({
  event: t.expose('event', {
    type: builder.enumType('TimelineEvent', { values: timelineEvents }),
  }),
  from: t.expose('from', { type: 'DateTime', nullable: true }),
  to: t.expose('to', { type: 'DateTime', nullable: true }),
  source: t.exposeString('source'),
  certainty: t.expose('certainty', {
    type: builder.enumType('Certainty', { values: certainties }),
  }),
}));

/** Reads the outcome of a row. The first field that does so starts the lookup. */
function withOutcome<T>(row: DomainRow, read: (outcome: LookupOutcome) => T): T | Promise<T> {
  const outcome = row.outcome.value ?? row.outcome();
  return outcome instanceof Promise ? outcome.then(read) : read(outcome);
}

const outcomeField =
  <T>(read: (outcome: LookupOutcome) => T) =>
  (row: DomainRow): T | Promise<T> =>
    withOutcome(row, read);

const member = <Key extends keyof LookupOutcome>(key: Key) =>
  outcomeField((outcome) => outcome[key]);

const ofName = { extensions: fieldFacts({ reads: 'name' }) };
const ofRegistration = { extensions: fieldFacts({ reads: 'registration' }) };
const ofRecord = { extensions: fieldFacts({ reads: 'record', cost: recordCost }) };
const ofRdap = { extensions: fieldFacts({ reads: 'rdap', cost: recordCost }) };
const ofRegistrar = { extensions: fieldFacts({ reads: 'registrar', cost: recordCost }) };

DomainType.implement({
  interfaces: () => domainInterfaces,
  fields: (t) => ({
    id: t.exposeID('id', ofName),
    domain: t.exposeString('domain', ofName),
    inputs: t.stringList({ ...ofName, resolve: ({ inputs }) => [...inputs] }),
    unicodeName: t.exposeString('unicodeName', ofName),
    registrableName: t.string({
      ...ofName,
      nullable: true,
      resolve: ({ registrableName }) => registrableName?.() ?? null,
    }),
    didYouMean: t.stringList({ ...ofName, resolve: ({ didYouMean = [] }) => [...didYouMean] }),
    name: t.exposeString('name', ofName),
    tld: t.exposeString('tld', ofName),
    available: t.boolean({ nullable: true, resolve: outcomeField(availableOf) }),
    status: t.field({ type: DomainStatus, resolve: outcomeField(statusOf) }),
    confidence: t.field({ type: Confidence, nullable: true, resolve: member('confidence') }),
    reason: t.string({
      nullable: true,
      resolve: outcomeField(({ data, problem }) => (data ? null : problem?.code)),
    }),
    problem: t.field({ ...problemField, resolve: outcomeField(problemField.resolve) }),
    cautions: t.field({
      type: [CautionType],
      resolve: outcomeField(({ cautions }) => [...cautions]),
    }),
    offers: t.field({
      type: [OfferType],
      nullable: true,
      resolve: (row, _args, { catalogue }) =>
        withOutcome(row, ({ data }) =>
          data === 'AVAILABLE' ? [...catalogue.offersOf(row.domain as DomainName, row.tld)] : null,
        ),
    }),
    source: t.string({ nullable: true, resolve: member('source') }),
    rdapEndpoint: t.string({ nullable: true, resolve: member('endpoint') }),
    cached: t.boolean({ resolve: member('cached') }),
    stale: t.boolean({ resolve: member('stale') }),
    checkedAt: t.field({ type: 'DateTime', nullable: true, resolve: member('checkedAt') }),
    freshUntil: t.field({ type: 'DateTime', nullable: true, resolve: member('freshUntil') }),
    latencyMs: t.float({ resolve: member('latencyMs') }),
    phase: t.field({
      ...ofRegistration,
      type: PhaseType,
      nullable: true,
      resolve: outcomeField(({ phase }) => phase()),
    }),
    timeline: t.field({
      ...ofRecord,
      type: [TimelineEntryType],
      nullable: true,
      resolve: (row, _args, { timelines }) =>
        withOutcome(row, (outcome) => {
          const { data: verdict, registration, registrationSource: source, checkedAt } = outcome;
          const found = { verdict, registration: registration?.() ?? null, source, checkedAt };
          return timelines.of(row.domain, row.tld, found)?.slice() ?? null;
        }),
    }),
    evidence: t.field({
      ...ofRegistration,
      type: EvidenceType,
      nullable: true,
      resolve: outcomeField((outcome) => {
        const conclusion = conclusionOf(outcome);
        return outcome.evidence && { ...outcome.evidence, ...(conclusion && { conclusion }) };
      }),
    }),
    variants: t.field({
      ...ofRecord,
      type: [VariantType],
      nullable: true,
      resolve: outcomeField(
        ({ registration }) => registration && [...(registration().variants ?? [])],
      ),
    }),
    registration: t.field({
      ...ofRecord,
      type: RegistrationType,
      nullable: true,
      resolve: withLookup(registrationOf),
    }),
    rdap: t.field({
      ...ofRdap,
      type: RegistrationType,
      nullable: true,
      resolve: (row, _args, { lookup }) => registrationOf(row, lookup, 'rdap'),
    }),
    registrarRdap: t.field({
      ...ofRegistrar,
      type: RegistrationType,
      nullable: true,
      resolve: withLookup(registrarRegistrationOf),
    }),
    registrarProblem: t.field({
      ...ofRegistrar,
      type: LookupProblemType,
      nullable: true,
      resolve: async (row, _args, { lookup }) =>
        lookupProblem((await lookup.registrarRecord(row)).problem),
    }),
  }),
});

/**
 * Returns the registry's record of a name, of one source or of any; null if there is none or the
 * lookup failed.
 */
export function registrationOf(
  row: DomainRow,
  lookup: Lookup,
  wanted?: 'rdap' | 'whois',
): IdentifiedRegistration | null | Promise<IdentifiedRegistration | null> {
  return withOutcome(row, ({ registration, registrationSource: source, endpoint }) =>
    registration && source && (wanted ?? source) === source
      ? identified(registration(), {
          id: registrationIdOf(source, row.domain),
          source,
          baseUrl: source === 'rdap' ? endpoint : null,
          maxAge: lookup.maxAgeOf(row),
        })
      : null,
  );
}

/**
 * Returns a registration with what identifies it: the same object as long as both are the same, so
 * that its JSON can be kept.
 */
function identified(registration: Registration, identity: Identity): IdentifiedRegistration {
  const { id, source, baseUrl, maxAge } = identity;
  const last = lastIdentified.get(registration);
  if (
    last?.id === id &&
    last.source === source &&
    last.baseUrl === baseUrl &&
    last.maxAge === maxAge
  )
    return last;

  const object = { ...registration, ...identity };
  lastIdentified.set(registration, object);
  return object;
}

type Identity = Pick<IdentifiedRegistration, 'id' | 'source' | 'baseUrl' | 'maxAge'>;
const lastIdentified = new WeakMap<Registration, IdentifiedRegistration>();

/** Returns the registrar's record of a name; null if there is none or the lookup failed. */
export async function registrarRegistrationOf(
  row: DomainRow,
  lookup: Lookup,
): Promise<IdentifiedRegistration | null> {
  const { registration } = await lookup.registrarRecord(row);
  return (
    registration && {
      ...registration,
      id: registrationIdOf('registrar', row.domain),
      source: 'rdap',
      // Its link names a record, and not the base URL of the server.
      baseUrl: null,
      maxAge: lookup.maxAgeOf(row),
    }
  );
}
