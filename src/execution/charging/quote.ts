import { getNamedType, TypeInfo, visit, visitWithTypeInfo } from 'graphql';
import { unlimitedWork, type WorkBudget } from '../../accounts/work-limit.ts';
import { addressBlockOf } from '../../domain/names/ip-address.ts';
import { parseRepresentation } from '../../domain/node-id.ts';
import {
  objectTypes,
  parseAutnumRef,
  parseIpRef,
  type ObjectRef,
} from '../../domain/object-ref.ts';
import { Problem, resultOrProblem } from '../../domain/problems.ts';
import { objectFields } from '../../lookup/object-fields.ts';
import type { ExecutionParts } from '../context.ts';
import { isPricedObject } from '../field-facts.ts';
import { freeWorkOf, pageRowsOf } from './free-work.ts';
import { checkNames, planLookups, readLookups } from '../operation-plan.ts';
import type { Operation, RootField } from '../operation.ts';
import { priceOf, prices, tooFewAllowed } from './prices.ts';

/** The price of an operation before it runs, in credits, also for callers that are not metered. */
export interface Quote {
  /** What is reserved for what the operation names. */
  readonly credits: number;
  /** The price with what may be found while it runs; null for a stream without an end. */
  readonly atMost: number | null;
  /** Why root fields will fail, whose arguments are invalid. */
  readonly problems: readonly Problem[];
}

interface QuoteOptions {
  readonly work?: WorkBudget | undefined;
  /** Nothing is free because it has no registry here, or is of the sandbox. */
  readonly isListed?: boolean;
}

/**
 * Returns the price of an operation, from the same plan as a run, without looking anything up.
 * Rejects as a run does before its price is reserved.
 */
export async function quoteOf(
  operation: Operation,
  parts: ExecutionParts,
  { work = unlimitedWork, isListed = false }: QuoteOptions,
): Promise<Quote> {
  work.spend(freeWorkOf(operation));
  const { fields, names } = await readLookups(operation, undefined, parts);
  checkNames(names, parts.maxLookups);

  const { plan, openExtensions } = planLookups(operation, fields, parts);
  const extensions = openExtensions(notRun);
  const objects = await countObjects(operation.rootFields, parts, isListed);

  const credits =
    priceOf(plan.fields, isListed ? () => false : plan.isFree.bind(plan)).requested +
    extensions.price +
    operation.rootFields
      .flatMap(({ name, args }) => (args ? { name, args } : []))
      .flatMap((field) => extensions.lookups.map((each) => each.laterPrice?.(field) ?? 0))
      .reduce((sum, price) => sum + price, 0) +
    prices.object(objects.certain);
  const found =
    credits > 0 ? countFound(operation, plan.rows.length, objects.most, parts.maxLookups) : 0;
  const ofListed = priceOfListedNames(operation, parts);
  const atMost =
    ofListed === null
      ? null
      : credits + prices.object(objects.most - objects.certain + found) + ofListed;
  const problems = plan.fields.flatMap(({ problem }) => problem ?? []);

  return { credits, atMost, problems };
}

/** The operation of extensions that are opened for their price alone. */
const notRun = {
  request(): never {
    throw new Error('An operation that is only priced looks nothing up.');
  },
  meter: undefined,
  payer: undefined,
  onFree: () => undefined,
  spendFree: () => undefined,
  onOutcome: () => undefined,
};

/** An object that an operation names, which costs credits. */
interface NamedObject {
  /** Objects with the same id are one. */
  readonly id: string;
  /** Addresses of the same block may be in one network. */
  readonly block: string;
  /** Is not looked up if the network of another address contains it. */
  readonly isShared: boolean;
}

/** Counts the objects that an operation names: those that it certainly looks up, and all. */
async function countObjects(
  rootFields: readonly RootField[],
  { objects, maxLookups }: Pick<ExecutionParts, 'objects' | 'maxLookups'>,
  isListed: boolean,
): Promise<{ readonly certain: number; readonly most: number }> {
  const named = rootFields.flatMap((field) =>
    refsOf(field, objects).map((ref) => ({ field, ref })),
  );
  const priced = await Promise.all(
    named.map(async ({ field, ref }): Promise<readonly NamedObject[]> => {
      const target = await objects.resolve(ref);
      if (!isListed && ('problem' in target || target.isFree)) return [];
      const id = `${String(field.args?.['maxAge'] ?? '')} ${ref.key}`;
      const isShared = field.name === '_entities' && ref.type === 'ip';
      return [{ id, block: ref.type === 'ip' ? addressBlockOf(ref.ip) : id, isShared }];
    }),
  );
  const all = priced.flat();
  const own = all.filter(({ isShared }) => !isShared);
  const blocks = new Set(all.map(({ block }) => block)).size;
  const blocksOfOwn = new Set(own.map(({ block }) => block)).size;
  const certain = new Set(own.map(({ id }) => id)).size + blocks - blocksOfOwn;
  const most = new Set(all.map(({ id }) => id)).size;

  return { certain: Math.min(certain, maxLookups), most: Math.min(most, maxLookups) };
}

/** Returns the objects that a root field looks up. */
function refsOf(
  { name, type: rootType, args, selection }: RootField,
  objects: ExecutionParts['objects'],
): readonly ObjectRef[] {
  if (!args) return [];

  const isSelected = (type: string) => selection.fieldNamesOn(type).length > 0;
  // Whether a reverse zone is null is looked up, too.
  if (name === 'reverseZone') return validRef(() => objectFields.reverse_zone(args, objects));

  const type = objectTypes.find((each) => each === name);
  if (type)
    return isSelected(rootType?.name ?? '')
      ? validRef(() => objectFields[type](args, objects))
      : [];
  if (name !== '_entities') return [];

  return (args['representations'] as readonly unknown[]).flatMap((value) =>
    validRef(() => {
      const { type: entity, key } = parseRepresentation(value);
      if (!isSelected(entity)) return undefined;
      if (entity === 'IpNetwork') return parseIpRef(key);
      return entity === 'Autnum' ? parseAutnumRef(key) : undefined;
    }),
  );
}

function validRef(read: () => ObjectRef | Problem | undefined): readonly ObjectRef[] {
  const ref = resultOrProblem(read);
  return ref === undefined || ref instanceof Problem ? [] : [ref];
}

/** Returns how many objects may be found besides those that the operation names. */
function countFound(
  operation: Operation,
  names: number,
  named: number,
  maxLookups: number,
): number {
  if (selectsFoundObjects(operation)) return maxLookups - named;
  const rowFields = operation.rootFields.flatMap(({ selection }) => selection.rowFields());
  const perName = Math.max(0, ...rowFields.map(({ maxFound = 0 }) => maxFound));
  return Math.min(perName * names, maxLookups - named);
}

/** Returns whether a document selects an object that another one names. */
function selectsFoundObjects({ schema, document }: Operation): boolean {
  let isFound = false;
  const types = new TypeInfo(schema);
  visit(
    document,
    visitWithTypeInfo(types, {
      Field() {
        const isRoot = types.getParentType() === schema.getQueryType();
        isFound ||= !isRoot && isPricedObject(getNamedType(types.getType()));
      },
    }),
  );

  return isFound;
}

/** Returns at most what the names in free lists cost; null for a subscription to such a list. */
function priceOfListedNames(
  { rootFields, delivery }: Operation,
  { maxLookups }: Pick<ExecutionParts, 'maxLookups'>,
): number | null {
  const pages = rootFields.filter(({ facts: { freeList }, selection }) => {
    const rows = freeList?.nameField ? selection.within(freeList.nameField) : [];
    return rows.flatMap((row) => row.rowFields()).some(({ reads }) => reads !== 'name');
  });
  if (pages.length > 0 && delivery === 'subscription') return null;

  const names = pages.reduce((sum, page) => sum + pageRowsOf(page), 0);
  return prices.record(Math.min(names, maxLookups + 1));
}

/** Throws `insufficient_credits` for an operation that costs more than its caller allows. */
export function assertWithin(maxCredits: number, { credits }: Quote): void {
  if (credits > maxCredits) throw tooFewAllowed(credits, maxCredits);
}
