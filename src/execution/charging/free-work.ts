import { workMs } from '../../accounts/work-limit.ts';
import { Problem } from '../../domain/problems.ts';
import type { LookupPlan } from '../../lookup/lookup-plan.ts';
import type { Lookup } from '../../lookup/lookup.ts';
import { isIntrospectionField } from '../document-limits.ts';
import type { Operation, RootField } from '../operation.ts';
import { countRepetitions } from '../selections.ts';

/** The largest page of disposable mail domains, or 2,000 TLDs: 50 ms of processor time. */
const maxFields = 10_000;

/**
 * Returns the work of the root fields that cost no credits, in milliseconds: the schema, and lists
 * with their repetitions. Throws `query_too_large` if the lists have too many rows for one turn of
 * the event loop.
 */
export function freeWorkOf({ rootFields, ...scope }: Operation): number {
  const lists = rootFields.filter(({ facts }) => facts.freeList);
  const fields = lists.reduce(
    (sum, list) => sum + fieldsIn(list) * countRepetitions([list.node], scope),
    0,
  );
  if (fields > maxFields)
    throw new Problem(
      'query_too_large',
      `${lists[0]?.name} has too many rows, repetitions included. Request fewer of them, and select each field once.`,
    );

  const isIntrospection = rootFields.some(({ node }) => isIntrospectionField(node));
  return workMs.lists(lists.length, fields) + (isIntrospection ? workMs.introspection : 0);
}

/** Returns the approximate number of fields in a page. The resolver rejects a size out of range. */
function fieldsIn(field: RootField): number {
  const { fieldsPerRow = 0 } = field.facts.freeList ?? {};
  return Math.min(pageRowsOf(field) * fieldsPerRow, maxFields);
}

/** Returns the number of rows that a page of a free list has at most, as requested. */
export function pageRowsOf({ args, facts: { freeList } }: RootField): number {
  const rows = args?.['first'] ?? args?.['last'] ?? freeList?.defaultRows ?? 0;
  return Math.max(Number(rows), 0);
}

/** Returns the work of the names that are looked up in the sandbox, in milliseconds. */
export function sandboxWorkOf(plan: LookupPlan, { progress }: Lookup): number {
  let ms = 0;

  for (const { target } of plan.rows) {
    if (!('query' in target)) continue;
    const { ascii } = target.query.name;
    if (!plan.isFree(ascii) || progress.stored.has(ascii)) continue;
    ms += target.query.detail === 'verdict' ? workMs.sandboxVerdict : workMs.sandboxRecord;
  }

  return ms;
}

/** Returns the work of the values and the stored records of a response, in milliseconds. */
export function valueWorkOf({ objectValues }: Lookup): number {
  const { values, recordCharacters } = objectValues.spent;
  return workMs.values(values) + workMs.characters(recordCharacters);
}
