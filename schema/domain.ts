import { registrationIdOf, type RegistrationSource } from '../src/domain/node-id.ts';
import type { Lookup } from '../src/lookup/lookup.ts';
import type { DomainRow } from '../src/lookup/row.ts';
import type { Registration } from '../src/domain/registration.ts';
import type { LookupOutcome } from '../src/lookup/lookup-outcome.ts';
import { builder } from './builder.ts';
import { EvidenceType } from './evidence.ts';
import { lookupProblem, LookupProblemType } from './problem.ts';
import { RegistrationType, type IdentifiedRegistration } from './registration.ts';

const DomainStatus = builder.enumType('DomainStatus', {
  description:
    'What is known of a name. Values may be added: a client must expect one that it does not know.',
  values: {
    AVAILABLE: {
      description:
        'The registry holds no registration of this name. That is no promise that it can be bought.',
    },
    REGISTERED: { description: 'Somebody holds the name.' },
    RESERVED: { description: 'The registry keeps the name from being registered.' },
    REDEMPTION: { description: 'Deleted, and its holder may still have it back (RFC 3915).' },
    PENDING_DELETE: { description: 'About to be removed by the registry.' },
    UNKNOWN: { description: 'There is no trustworthy answer; `reason` says why.' },
    UNSUPPORTED_TLD: { description: 'No RDAP server is known for this TLD.' },
    PENDING: { description: 'Not known within `budgetMs`; it is still being looked up.' },
    INVALID: {
      description:
        'Not a name that can be registered: no host name, or not exactly one label under its suffix.',
    },
  } as const,
});

const Confidence = builder.enumType('Confidence', {
  description:
    'How reliable a verdict is. Values may be added: a client must expect one that it does not know.',
  values: {
    AUTHORITATIVE: { description: 'The registry of the TLD returned it.' },
  } as const,
});

export const DomainType = builder.objectRef<DomainRow>('Domain');

const PhaseType = builder.enumType('Phase', {
  description:
    'Where in its life a registration stands. Values may be added: a client must expect one that it does not know.',
  values: {
    ACTIVE: { description: 'Registered, and for a while yet.' },
    ON_HOLD: { description: 'Registered, and kept out of the DNS.' },
    EXPIRING: { description: 'Ends within 30 days unless it is renewed.' },
    EXPIRED: {
      description:
        'Past the end of its term, or in the grace in which its registrar settles whether its holder keeps it.',
    },
    REDEMPTION: { description: 'Deleted, and its holder may still have it back (RFC 3915).' },
    PENDING_DELETE: { description: 'About to be removed by the registry.' },
  } as const,
});

/** The first field that wants the outcome makes the lookup run. */
function withOutcome<T>(row: DomainRow, read: (outcome: LookupOutcome) => T): T | Promise<T> {
  const outcome = row.outcome();
  return outcome instanceof Promise ? outcome.then(read) : read(outcome);
}

const outcomeField =
  <T>(read: (outcome: LookupOutcome) => T) =>
  (row: DomainRow): T | Promise<T> =>
    withOutcome(row, read);

DomainType.implement({
  interfaces: [builder.nodeInterfaceRef()],
  description:
    'One name and what its registry says of it. `id`, `domain`, `unicodeName`, `name` and `tld` are told without asking; every other field ' +
    'makes the gateway ask.',
  fields: (t) => ({
    id: t.exposeID('id', {
      description: 'The `domain`; on an INVALID row, `invalid:` and the entry as it was typed.',
    }),
    domain: t.exposeString('domain', {
      description:
        'The A-label name in lower case, such as `xn--bcher-kva.test`. On an INVALID row, the entry as it was typed.',
    }),
    unicodeName: t.exposeString('unicodeName', {
      description: 'The name for people, such as `bücher.test`.',
    }),
    name: t.exposeString('name', {
      description:
        'The label that would be registered. On an INVALID row, what stands in front of the first dot of the entry; without a dot, all of it.',
    }),
    tld: t.exposeString('tld', {
      description:
        'The suffix under which it would be registered, such as `com` or `co.uk`. On an INVALID row, what stands behind the first dot of the ' +
        'entry; without a dot, the empty string.',
    }),
  }),
});

/** The verdict. */
builder.objectFields(DomainType, (t) => ({
  available: t.boolean({
    nullable: true,
    description:
      'True only on proof from the registry that no registration exists, which does not say that you can buy the name: it may be withheld, ' +
      'priced apart or kept for certain buyers. Null when nobody trustworthy said.',
    resolve: outcomeField(({ available }) => available),
  }),
  status: t.field({
    type: DomainStatus,
    description: 'The verdict in one word.',
    resolve: outcomeField(({ status }) => status),
  }),
  confidence: t.field({
    type: Confidence,
    nullable: true,
    description: 'How reliable the verdict is. Null when `available` is null.',
    resolve: outcomeField(({ available }) => (available === null ? null : 'AUTHORITATIVE')),
  }),
  reason: t.string({
    nullable: true,
    description:
      'A problem code, such as `registry_timeout`, when `available` is null and the row not PENDING.',
    resolve: outcomeField(({ problem }) => problem?.code),
  }),
  problem: t.field({
    type: LookupProblemType,
    nullable: true,
    description:
      'Why there is no verdict, on INVALID, UNSUPPORTED_TLD and UNKNOWN rows; null on all others. Its `code` is the `reason`.',
    resolve: outcomeField(({ problem }) => lookupProblem(problem)),
  }),
}));

/** Where the answer comes from. */
builder.objectFields(DomainType, (t) => ({
  source: t.string({
    nullable: true,
    description: 'How the answer was had: `rdap`. Null when nobody was asked.',
    resolve: outcomeField(({ endpoint }) => endpoint && 'rdap'),
  }),
  rdapEndpoint: t.string({
    nullable: true,
    description: 'Base URL of the registry that was asked.',
    resolve: outcomeField(({ endpoint }) => endpoint),
  }),
  cached: t.boolean({
    description: 'The answer was stored earlier; `checkedAt` says when.',
    resolve: outcomeField(({ cached }) => cached),
  }),
  stale: t.boolean({
    description:
      'The registry failed, and an older stored answer stands in. Never for a free name, nor for one that was pending delete.',
    resolve: outcomeField(({ stale }) => stale),
  }),
}));

/** How old the answer is, and how long it took. */
builder.objectFields(DomainType, (t) => ({
  checkedAt: t.field({
    type: 'DateTime',
    nullable: true,
    description: 'When the registry said so.',
    resolve: outcomeField(({ checkedAt }) => checkedAt),
  }),
  freshUntil: t.field({
    type: 'DateTime',
    nullable: true,
    description:
      'Until when this answer is given to callers who set no `maxAge`: asking again before then brings nothing new. In the past when the ' +
      'answer is older than they would get, null when nobody trustworthy said.',
    resolve: outcomeField(({ freshUntil }) => freshUntil),
  }),
  latencyMs: t.float({
    description: 'Milliseconds that this answer took, waiting included.',
    resolve: outcomeField(({ latencyMs }) => latencyMs),
  }),
}));

/** What follows from the answer. */
builder.objectFields(DomainType, (t) => ({
  phase: t.field({
    type: PhaseType,
    nullable: true,
    description:
      'Where in its life the registration stands, of a name whose `status` is REGISTERED, REDEMPTION or PENDING_DELETE. Null with every other: ' +
      'AVAILABLE, RESERVED, and those that say that nothing is known (UNKNOWN, UNSUPPORTED_TLD, PENDING, INVALID).',
    resolve: outcomeField(({ phase }) => phase()),
  }),
  evidence: t.field({
    type: EvidenceType,
    nullable: true,
    description: 'What the verdict rests on. Null when nobody was asked.',
    resolve: outcomeField(({ evidence }) => evidence),
  }),
}));

/** The registration. */
builder.objectFields(DomainType, (t) => ({
  rdap: t.field({
    type: RegistrationType,
    nullable: true,
    description:
      'The registration. Null if the name is not registered, is still PENDING, or has a `problem`: `status` tells which. A lookup that fails ' +
      'is not an error of the operation.',
    resolve: registrationOf,
  }),
  registrarRdap: t.field({
    type: RegistrationType,
    nullable: true,
    description:
      "The registrar's own record, which may hold contacts that the registry leaves out; its dates and statuses may differ, and the " +
      "registry's count. Null if the registrar has no RDAP server or does not know the name, or if the lookup failed: then " +
      '`registrarProblem` says why. This is a second lookup, at another server: defer it.',
    resolve: (row, _args, { lookup }) => registrarRegistrationOf(row, lookup),
  }),
  registrarProblem: t.field({
    type: LookupProblemType,
    nullable: true,
    description:
      "Why `registrarRdap` is null if its lookup failed; the `problem` of the row if the registry's own lookup did. Selecting it makes and " +
      'costs the same lookup as `registrarRdap`.',
    resolve: async (row, _args, { lookup }) =>
      lookupProblem((await lookup.registrarRecord(row)).problem),
  }),
}));

/** Returns what the registry has on a name; null where it has nothing, or the lookup failed. */
export function registrationOf(
  row: DomainRow,
): IdentifiedRegistration | null | Promise<IdentifiedRegistration | null> {
  return withOutcome(
    row,
    ({ registration }) => registration && withId(registration(), 'rdap', row),
  );
}

/** Returns what the registrar has on a name; null where it has nothing, or the lookup failed. */
export async function registrarRegistrationOf(
  row: DomainRow,
  lookup: Lookup,
): Promise<IdentifiedRegistration | null> {
  const { registration } = await lookup.registrarRecord(row);
  return registration && withId(registration, 'registrar', row);
}

function withId(
  registration: Registration,
  source: RegistrationSource,
  { domain }: DomainRow,
): IdentifiedRegistration {
  return { ...registration, id: registrationIdOf(source, domain) };
}
