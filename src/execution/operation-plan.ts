import type { ExtensionLookups, ExtensionOperation } from '../domain/extension.ts';
import { Problem } from '../domain/problems.ts';
import { LookupPlan, type FieldLookup } from '../lookup/lookup-plan.ts';
import type { Directory } from '../domain/directory.ts';
import { extensionSelections, readFieldLookups, type ReaderOptions } from './field-lookups.ts';
import type { Operation } from './operation.ts';

/** The parts of the gateway that plans depend on. */
export interface PlanParts extends ReaderOptions {
  readonly directory: Directory;
  /** The maximum number of distinct names of an operation. */
  readonly maxLookups: number;
  /** If false, the registry must confirm all verdicts. */
  readonly dnsFirst: boolean;
}

/** The lookups that the root fields of an operation contain. */
interface ReadLookups {
  readonly fields: readonly FieldLookup[];
  /** The number of distinct names. */
  readonly names: number;
}

/**
 * Reads the lookups of an operation. `budgetMs`: the time budget of each list, if it is not an
 * argument. Rejects with `query_too_large`.
 */
export async function readLookups(
  operation: Operation,
  budgetMs: number | undefined,
  parts: PlanParts,
): Promise<ReadLookups> {
  const read = await readFieldLookups(operation, parts);
  const names = countNames(read);
  if (budgetMs === undefined && parts.dnsFirst) return { fields: read, names };

  const fields = read.map((field): FieldLookup => ({
    ...field,
    ...(budgetMs !== undefined && { budgetMs }),
    ...(!parts.dnsFirst && { confirm: 'ALL' }),
  }));

  return { fields, names };
}

function countNames(fields: readonly FieldLookup[]): number {
  const distinct = new Set<string>();
  for (const { names } of fields) for (const { domain } of names) distinct.add(domain);
  return distinct.size;
}

/** Throws `too_many_lookups` if an operation has more distinct names than are allowed. */
export function checkNames(count: number, maxLookups: number): void {
  if (count > maxLookups)
    throw new Problem(
      'too_many_lookups',
      `This request contains ${count} names, but at most ${maxLookups} are allowed.`,
    );
}

/** What an operation looks up, as far as it is known before it runs. */
export interface OperationPlan {
  readonly plan: LookupPlan;
  /** Whether fields are selected that extensions look up. */
  readonly hasExtensions: boolean;
  /** Opens the lookups of the extensions. Throws `too_many_lookups`. */
  readonly openExtensions: (operation: ExtensionOperation) => OpenExtensions;
}

/** The lookups of extensions, and their price in credits. */
export interface OpenExtensions {
  readonly lookups: readonly ExtensionLookups[];
  readonly price: number;
}

/** Plans lookups that were read. Answers stored since `notBefore` (epoch ms) are accepted. */
export function planLookups(
  operation: Operation,
  fields: readonly FieldLookup[],
  { directory, extensions }: Pick<PlanParts, 'directory' | 'extensions'>,
  notBefore?: number,
  language?: string,
): OperationPlan {
  const plan = new LookupPlan(fields, directory, notBefore, language);
  return {
    plan,
    hasExtensions:
      fields.some(({ selected = [] }) => selected.length > 0) ||
      operation.rootFields.some(({ name }) =>
        extensions.some(({ rootFields }) => rootFields.has(name)),
      ),
    openExtensions(opened) {
      const lookups = extensions.map((extension) =>
        extension.open(extensionSelections(operation, plan, extension), opened),
      );
      return { lookups, price: lookups.reduce((sum, { price }) => sum + price, 0) };
    },
  };
}
