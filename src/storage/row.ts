import type { StoredAnswer } from '../cache/store.ts';
import type { Evidence } from '../domain/registry.ts';
import type { Registration } from '../domain/registration.ts';

/** An answer as the stores keep it: its registration is JSON in two parts, so that one can be forgotten before the other. */
export type Row = Pick<StoredAnswer, 'name' | 'verdict' | 'endpoint' | 'checkedAt'> & {
  /** What is known of the registration; null for a name that nobody holds. */
  readonly summary: string | null;
  /** Its contacts and the registry's own object; null once they are forgotten. */
  readonly record: string | null;
  readonly evidence: string | null;
};

export function toRow({ registration, whole, name, verdict, endpoint, checkedAt, evidence }: StoredAnswer): Row {
  const row = { name, verdict, endpoint, checkedAt, evidence: evidence ? fromEvidence(evidence) : null };
  if (!registration) return { ...row, summary: null, record: null };
  const { contacts, registrant, raw, ...rest } = registration;
  const summary: Registration = { ...rest, contacts: [] };
  return { ...row, summary: JSON.stringify(summary), record: whole ? JSON.stringify({ contacts, registrant, raw }) : null };
}

/** Throws `SyntaxError` when a part is no longer JSON. */
export function fromRow({ summary, record, evidence, ...rest }: Row): StoredAnswer {
  const row = { ...rest, ...(evidence !== null && { evidence: toEvidence(evidence) }) };
  if (summary === null) return { ...row, whole: true };
  const registration: Registration = { ...JSON.parse(summary), ...(record !== null && JSON.parse(record)) };
  return { ...row, registration, whole: record !== null };
}

// A word or two in place of JSON: every row has it.
function fromEvidence({ httpStatus, mediaType, unproven }: Evidence): string {
  return `${httpStatus} ${mediaType}${unproven ? ' unproven' : ''}`;
}

function toEvidence(text: string): Evidence {
  const [httpStatus, mediaType = '', unproven] = text.split(' ');
  return { httpStatus: Number(httpStatus), mediaType, unproven: unproven !== undefined };
}
