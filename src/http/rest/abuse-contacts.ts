import { networkSelection } from './objects.ts';
import * as shape from './shape.ts';
import type { JsonSchema } from './shape.ts';

/** Selects to whom abuse of a name is reported, with the keys of REST bodies. */
export const abuseSelection = `abuse_contacts: abuseContacts(maxAge: $maxAge) {
  source name email phone addresses
  network { handle ${networkSelection} }
  problem { code detail }
}`;

/** The selected fields of a contact. */
export interface AbuseContactFields {
  readonly source: string;
}

/** Returns contacts with the values of REST bodies. */
export function abuseBody(contacts: readonly AbuseContactFields[]): readonly object[] {
  return contacts.map(({ source, ...contact }) => ({ source: source.toLowerCase(), ...contact }));
}

/** Returns the schema of contacts, whose selection has the schema `selected`. */
export function abuseSchema(types: shape.Source['types'], selected: JsonSchema = {}): JsonSchema {
  const problem = shape.objectOf({
    code: shape.text('Machine-readable problem code.'),
    detail: shape.text('What could not be looked up, and why.'),
  });
  shape.changeType(types, 'AbuseContact', { problem: [shape.orNull(problem), () => null] });
  return {
    ...selected,
    description: 'To whom abuse of the name is reported. Only with `abuse=true`.',
  };
}
