import { networkSelection } from './objects.ts';
import * as shape from './shape.ts';
import type { JsonSchema } from './shape.ts';

/** Selects to whom abuse of a name is reported, with the keys of REST bodies. */
export const abuseSelection = `abuse_contacts: abuseContacts(maxAge: $maxAge) {
  source name email phone addresses
  network { handle ${networkSelection} }
  problem { code detail }
}`;

/** Returns a contact with the values of REST bodies. */
export function abuseBody<T extends { readonly source: string }>(contact: T): T {
  return { ...contact, source: contact.source.toLowerCase() };
}

/** Returns the schema of contacts, whose selection has the schema `selected`. */
export function abuseSchema(types: shape.Source['types'], selected: JsonSchema = {}): JsonSchema {
  const problem = shape.objectOf({
    code: shape.text('Machine-readable problem code.'),
    detail: shape.text('What could not be looked up, and why.'),
  });
  shape.changeType(types, 'AbuseContact', { problem: [shape.orNull(problem), () => null] });
  const description = 'To whom abuse of the name is reported. Only with `abuse=true`.';
  return { ...selected, description };
}
