import type { SandboxServices } from './faults.ts';
import { holderMembers } from './known-entities.ts';
import { link, response, type ObjectBehaviour, type SandboxObject } from './sandbox-object.ts';

/** A block of autonomous system numbers. */
export interface AutnumRow {
  readonly start: number;
  readonly end: number;
  /** The handle of the entity that has the role `registrant`. */
  readonly holder: string;
  readonly behaviour?: ObjectBehaviour;
}

/** The autonomous systems of the sandbox. AS64500 is not allocated. */
export const autnums: readonly AutnumRow[] = [
  { start: 64_496, end: 64_496, holder: 'NETWORKS-SANDBOX' },
  { start: 64_497, end: 64_497, holder: 'EXAMPLE-DNS-SANDBOX' },
  { start: 64_498, end: 64_499, holder: 'NETWORKS-SANDBOX' },
  single(64_501, 'redirect'),
  single(64_502, 'slow'),
  single(64_503, 'busy'),
  single(64_504, 'down'),
  single(64_505, 'html'),
  single(64_506, 'hang'),
  { start: 64_507, end: 64_507, holder: 'R-7-SANDBOX' },
  { start: 64_508, end: 64_511, holder: 'NETWORKS-SANDBOX' },
];

/** Returns whether a number is reserved for documentation (RFC 5398), of those with 16 bits. */
export function isDocumentationAutnum(number: number): boolean {
  return number >= 64_496 && number <= 64_511;
}

/** Returns the block that contains a number; undefined if none does. */
export function findAutnum(number: number): SandboxObject | undefined {
  const row = autnums.find(({ start, end }) => start <= number && number <= end);
  return row && { behaviour: row.behaviour, body: (services) => autnumBody(row, services) };
}

/** Returns an autonomous system without the members of a response, as in the list of an entity. */
export function autnumSummary({ start, end }: AutnumRow, services: SandboxServices) {
  return {
    objectClassName: 'autnum',
    handle: `AS${start}`,
    startAutnum: start,
    endAutnum: end,
    name: `DOCUMENTATION-AS${start}`,
    type: 'ASSIGNED',
    country: 'GB',
    status: ['active'],
    links: [link(services, `autnum/${start}`)],
  };
}

function autnumBody(row: AutnumRow, services: SandboxServices) {
  const reserved = 'These numbers are reserved for documentation (RFC 5398).';
  return response(
    {
      ...autnumSummary(row, services),
      ...holderMembers(row.holder),
      remarks: [{ title: 'Documentation range', description: [reserved] }],
    },
    services,
  );
}

function single(number: number, behaviour: ObjectBehaviour): AutnumRow {
  return { start: number, end: number, holder: 'NETWORKS-SANDBOX', behaviour };
}
