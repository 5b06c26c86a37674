import { registrationIdOf } from '../src/domain/node-id.ts';
import type { Lookup } from '../src/lookup/lookup.ts';
import type { DomainRow } from '../src/lookup/row.ts';
import { availableOf, statusOf, type LookupOutcome } from '../src/lookup/lookup-outcome.ts';
import { builder } from './builder.ts';
import { EvidenceType } from './evidence.ts';
import { lookupProblem, LookupProblemType } from './problem.ts';
import { RegistrationType, type IdentifiedRegistration } from './registration.ts';
import { SiteType } from './sites/site.ts';

const DomainStatus = builder.enumType('DomainStatus', {
  description: 'The status of a name. Values may be added; clients must tolerate unknown ones.',
  values: {
    AVAILABLE: {
      description:
        'The registry has no registration for this name, according to its RDAP server or availability service. This does ' +
        'not guarantee that it can be bought.',
    },
    REGISTERED: {
      description: 'The registry has a registration for the name, or its parent zone delegates it.',
    },
    RESERVED: { description: 'The registry has reserved the name, so it cannot be registered.' },
    REDEMPTION: { description: 'Deleted, but the registrant can still restore it (RFC 3915).' },
    PENDING_DELETE: { description: 'The registry will delete the name soon.' },
    UNKNOWN: {
      description:
        'No source proved anything, or two sources contradict each other; see `reason`. The name may be registered or ' +
        'available.',
    },
    UNSUPPORTED_TLD: { description: 'Not a TLD, or the operator has disabled its sources.' },
    PENDING: { description: 'No answer was available within `budgetMs`; the lookup continues.' },
    INVALID: {
      description:
        'Not a registrable name: not a valid host name, or not exactly one label under its suffix.',
    },
  } as const,
});

const Confidence = builder.enumType('Confidence', {
  description:
    'The reliability of a verdict. Values may be added; clients must tolerate unknown ones.',
  values: {
    AUTHORITATIVE: {
      description: 'Returned by the registry of the TLD, or proved by its name servers.',
    },
    HEURISTIC: {
      description: 'Read from a text without a defined format, so it may be misread.',
    },
  } as const,
});

export const DomainType = builder.objectRef<DomainRow>('Domain');

const PhaseType = builder.enumType('Phase', {
  description:
    'The lifecycle phase of a registration. Values may be added; clients must tolerate unknown ones.',
  values: {
    ACTIVE: { description: 'Registered, and not about to expire.' },
    ON_HOLD: { description: 'Registered, but not published in the DNS.' },
    EXPIRING: { description: 'Expires within 30 days unless it is renewed.' },
    EXPIRED: {
      description:
        'Past its expiry date, or in the auto-renew grace period, in which the registrar may still delete it.',
    },
    REDEMPTION: { description: 'Deleted, but the registrant can still restore it (RFC 3915).' },
    PENDING_DELETE: { description: 'The registry will delete the name soon.' },
  } as const,
});

/** Reads the outcome of a row. The first field that does so starts the lookup. */
function withOutcome<T>(row: DomainRow, read: (outcome: LookupOutcome) => T): T | Promise<T> {
  const outcome = row.outcome();
  return outcome instanceof Promise ? outcome.then(read) : read(outcome);
}

const outcomeField =
  <T>(read: (outcome: LookupOutcome) => T) =>
  (row: DomainRow): T | Promise<T> =>
    withOutcome(row, read);

DomainType.implement({
  interfaces: [builder.nodeInterfaceRef(), SiteType],
  description:
    'A domain name and its registry data. `id`, `domain`, `unicodeName`, `name` and `tld` are computed locally, and the ' +
    'fields of `Site` are read from the site; selecting any other field triggers a lookup at the registry.',
  fields: (t) => ({
    id: t.exposeID('id', {
      description: 'The `domain`; on an INVALID row, `invalid:` followed by the entry as sent.',
    }),
    domain: t.exposeString('domain', {
      description:
        'The A-label name in lower case, such as `xn--bcher-kva.test`. On an INVALID row, the entry as sent.',
    }),
    unicodeName: t.exposeString('unicodeName', {
      description: 'The name for display, such as `bücher.test`.',
    }),
    name: t.exposeString('name', {
      description:
        'The label under the suffix. On an INVALID row, the part of the entry before its first dot, or the full ' +
        'entry if it has no dot.',
    }),
    tld: t.exposeString('tld', {
      description:
        'The suffix, such as `com` or `co.uk`. On an INVALID row, the part of the entry after its first dot, or the ' +
        'empty string if it has no dot.',
    }),
  }),
});

builder.objectFields(DomainType, (t) => ({
  available: t.boolean({
    nullable: true,
    description:
      'True only if the registry proves that the name is unregistered, and the DNS does not contradict it. This does not ' +
      'mean that you can buy it: the registry may reserve it, charge a premium or restrict who can buy it. False if the ' +
      'name is registered, reserved or being deleted. Null if no source proves either; see `reason`.',
    resolve: outcomeField(availableOf),
  }),
  status: t.field({
    type: DomainStatus,
    description: 'The verdict.',
    resolve: outcomeField(statusOf),
  }),
  confidence: t.field({
    type: Confidence,
    nullable: true,
    description: 'The reliability of the verdict. Null if `available` is null.',
    resolve: outcomeField(({ confidence }) => confidence),
  }),
  reason: t.string({
    nullable: true,
    description:
      'A problem code, such as `registry_timeout`, if `available` is null and the row is not PENDING.',
    resolve: outcomeField(({ data, problem }) => (data ? null : problem?.code)),
  }),
  problem: t.field({
    type: LookupProblemType,
    nullable: true,
    description:
      'Why there is no verdict, on INVALID, UNSUPPORTED_TLD and UNKNOWN rows: its `code` is the `reason`. With a verdict, ' +
      'why the requested record is missing (`no_rdap`). Null otherwise.',
    resolve: outcomeField(({ problem }) => lookupProblem(problem)),
  }),
}));

builder.objectFields(DomainType, (t) => ({
  source: t.string({
    nullable: true,
    description:
      "Where the answer came from: `rdap`, `das` (the registry's availability service), `whois` or `dns` (a delegation in " +
      'the zone of the TLD). Null if nothing was queried.',
    resolve: outcomeField(({ source }) => source),
  }),
  rdapEndpoint: t.string({
    nullable: true,
    description:
      'Base URL of the RDAP server that gave the verdict or the record. Null if none did.',
    resolve: outcomeField(({ endpoint }) => endpoint),
  }),
  cached: t.boolean({
    description: 'Whether the answer came from the cache; see `checkedAt` for its time.',
    resolve: outcomeField(({ cached }) => cached),
  }),
  stale: t.boolean({
    description:
      'Whether the registry failed and this is an older cached answer. Never true for a name that was available or ' +
      'pending deletion.',
    resolve: outcomeField(({ stale }) => stale),
  }),
}));

builder.objectFields(DomainType, (t) => ({
  checkedAt: t.field({
    type: 'DateTime',
    nullable: true,
    description: 'When the source returned the answer.',
    resolve: outcomeField(({ checkedAt }) => checkedAt),
  }),
  freshUntil: t.field({
    type: 'DateTime',
    nullable: true,
    description:
      'When this answer stops being fresh by default. Until then, a query without `maxAge` returns the same cached ' +
      'answer. This time is in the past if `maxAge` allowed an older answer. Null without a verdict, or if RDAP failed and ' +
      'the record is therefore missing.',
    resolve: outcomeField(({ freshUntil }) => freshUntil),
  }),
  latencyMs: t.float({
    description: 'How long this answer took, in milliseconds, including the time in the queue.',
    resolve: outcomeField(({ latencyMs }) => latencyMs),
  }),
}));

builder.objectFields(DomainType, (t) => ({
  phase: t.field({
    type: PhaseType,
    nullable: true,
    description:
      'The lifecycle phase of the registration, if `status` is REGISTERED, REDEMPTION or PENDING_DELETE. Null for ' +
      'every other status.',
    resolve: outcomeField(({ phase }) => phase()),
  }),
  evidence: t.field({
    type: EvidenceType,
    nullable: true,
    description: 'The evidence for the verdict. Null if nothing was queried.',
    resolve: outcomeField(({ evidence }) => evidence),
  }),
}));

builder.objectFields(DomainType, (t) => ({
  rdap: t.field({
    type: RegistrationType,
    nullable: true,
    description:
      'The registration. Null if the name is not registered, is still PENDING, or has a `problem`; see `status`. A ' +
      'failed lookup is not a GraphQL error.',
    resolve: (row, _args, { lookup }) => registrationOf(row, lookup),
  }),
  registrarRdap: t.field({
    type: RegistrationType,
    nullable: true,
    description:
      "The registrar's own record, which may contain contacts that the registry omits. Its dates and statuses may " +
      "differ; the registry's are authoritative. Null if the registrar has no RDAP server or no record of the name, or " +
      'if the lookup failed (see `registrarProblem`). This is a second lookup, at another server: consider `@defer`.',
    resolve: (row, _args, { lookup }) => registrarRegistrationOf(row, lookup),
  }),
  registrarProblem: t.field({
    type: LookupProblemType,
    nullable: true,
    description:
      'Why the lookup of `registrarRdap` failed, or the `problem` of the row if the registry lookup failed. Selecting ' +
      'it triggers the same lookup as `registrarRdap`, at the same price.',
    resolve: async (row, _args, { lookup }) =>
      lookupProblem((await lookup.registrarRecord(row)).problem),
  }),
}));

/** Returns the registry's record of a name; null if there is none or the lookup failed. */
export function registrationOf(
  row: DomainRow,
  lookup: Lookup,
): IdentifiedRegistration | null | Promise<IdentifiedRegistration | null> {
  return withOutcome(
    row,
    ({ registration, endpoint }) =>
      registration && {
        ...registration(),
        id: registrationIdOf('rdap', row.domain),
        baseUrl: endpoint,
        maxAge: lookup.maxAgeOf(row),
      },
  );
}

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
      // Its link names a record, and not the base URL of the server.
      baseUrl: null,
      maxAge: lookup.maxAgeOf(row),
    }
  );
}
