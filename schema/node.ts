import type { Context } from '../src/execution/context.ts';
import { parseRegistrationId, parseTldId, type NodeType } from '../src/domain/node-id.ts';
import { registrarRegistrationOf, registrationOf } from './domain.ts';

/** Loaders by node type. Each returns null if no object has the ID. */
const loaders = {
  Domain: (id, { lookup }) => lookup.rowWithId(id),
  Registration: registrationWithId,
  Tld: (id, { catalogue }) => catalogue.find(parseTldId(id)) ?? null,
} as const satisfies Record<NodeType, (id: string, context: Context) => unknown>;

type LoadedNode = ReturnType<(typeof loaders)[NodeType]>;

/** Loads the object with an ID. Returns null if there is none. */
export function nodeWithId(
  { typename, id }: { readonly typename: string; readonly id: string },
  context: Context,
): LoadedNode {
  return loaders[typename as NodeType](id, context);
}

async function registrationWithId(id: string, { lookup }: Context) {
  const { source, domain } = parseRegistrationId(id) ?? {};
  const row = domain && lookup.rowWithId(domain);
  if (!row) return null;
  return source === 'rdap' ? registrationOf(row, lookup) : registrarRegistrationOf(row, lookup);
}
