import type { Publishes } from '../../domain/catalogue.ts';
import { byField } from '../../domain/registration.ts';
import table from './published-fields.json' with { type: 'json' };

const documented: ReadonlyMap<string, Partial<Publishes>> = new Map(
  table.flatMap(({ tlds, ...fields }) => tlds.split(' ').map((tld) => [tld, fields] as const)),
);

/** Returns which facts of registrations the registry of a TLD publishes. */
export function publishedBy(tld: string): Publishes {
  return byField((field) => documented.get(tld)?.[field] ?? null);
}
