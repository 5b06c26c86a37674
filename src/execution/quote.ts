import { getNamedType, isObjectType, TypeInfo, visit, visitWithTypeInfo } from 'graphql';
import { parseRepresentation } from '../domain/node-id.ts';
import {
  parseAutnumRef,
  parseEntityRef,
  parseIpRef,
  parseNameserverRef,
  type ObjectRef,
} from '../domain/object-ref.ts';
import { parseSuffix } from '../domain/domain-name.ts';
import { Problem, resultOrProblem } from '../domain/problems.ts';
import { LookupPlan } from '../lookup/lookup-plan.ts';
import type { ExecutionParts } from './context.ts';
import { extensionSelections, readFieldLookups } from './field-lookups.ts';
import type { Operation, RootField } from './operation.ts';
import { priceOf, prices, tooFewAllowed } from './prices.ts';
import { fieldsIn } from './selections.ts';

/** The price of an operation before it runs, in credits, also for callers that are not metered. */
export interface Quote {
  /** The price of what the document and its variables name. */
  readonly credits: number;
  /** The same with the objects and names that may be found while it runs. */
  readonly atMost: number;
}

/**
 * Returns the price of an operation, which nothing is looked up for. Rejects with the problem with
 * which the operation would be refused.
 */
export async function quoteOf(operation: Operation, parts: ExecutionParts): Promise<Quote> {
  const fields = await readFieldLookups(operation, parts);
  const plan = new LookupPlan(fields, parts.directory);
  const names = priceOf(plan.fields, plan.isFree.bind(plan)).requested;
  const ofExtensions = parts.extensions.map(
    (each) => each.open(extensionSelections(operation, plan, each), notRun).price,
  );
  const objects = await countObjects(operation, parts);
  const credits = ofExtensions.reduce((sum, price) => sum + price, names + prices.object(objects));

  const found = findable(operation);
  const ofObjects = found.objects ? prices.object(parts.maxLookups - objects) : 0;
  const ofNames = found.names ? prices.record(parts.maxLookups) : 0;
  return { credits, atMost: credits + ofObjects + ofNames };
}

/** An operation whose lookups are priced, and never start. */
const notRun = {
  request: () => {
    throw new Error('An operation that is only priced looks nothing up.');
  },
  meter: undefined,
  payer: undefined,
  onFree: () => undefined,
  onOutcome: () => undefined,
};

/** Returns the number of distinct objects that root fields name, without those that are free. */
async function countObjects(operation: Operation, { objects }: ExecutionParts): Promise<number> {
  const refs = operation.rootFields
    .filter((field) => selectsFields(operation, field))
    .flatMap((field) => refsOf(field, objects));
  const distinct = new Map(refs.map((ref) => [ref.key, ref]));
  const resolutions = await Promise.all(
    Array.from(distinct.values(), (ref) => objects.resolve(ref)),
  );
  return resolutions.filter((each) => 'server' in each && !each.isFree).length;
}

/** An object of which no field is selected is not looked up. */
function selectsFields(operation: Operation, { node }: RootField): boolean {
  return fieldsIn([node], operation).some(({ name }) => name.value !== '__typename');
}

/** Returns the objects that a root field names; none if its arguments are invalid. */
function refsOf({ name, args = {} }: RootField, objects: ExecutionParts['objects']) {
  const text = (argument: string) => String(args[argument]);
  const readers: Readonly<Record<string, () => readonly ObjectRef[]>> = {
    ip: () => [parseIpRef(text('address'))],
    autnum: () => [parseAutnumRef(text('number'))],
    nameserver: () => [parseNameserverRef(text('name'))],
    entity() {
      const server =
        args['tld'] == null ? undefined : objects.serverOfTld(parseSuffix(text('tld')));
      if (server && 'problem' in server) throw server.problem;
      return [parseEntityRef(text('handle'), server?.baseUrl)];
    },
    _entities: () => (args['representations'] as readonly unknown[]).flatMap(refsOfEntity),
  };
  const refs = resultOrProblem(() => readers[name]?.() ?? []);
  return refs instanceof Problem ? [] : refs;
}

function refsOfEntity(representation: unknown): readonly ObjectRef[] {
  const refs = resultOrProblem(() => {
    const { type, key } = parseRepresentation(representation);
    if (type === 'IpNetwork') return [parseIpRef(key)];
    return type === 'Autnum' ? [parseAutnumRef(key)] : [];
  });
  return refs instanceof Problem ? [] : refs;
}

/** Returns whether a document selects what is looked up when an answer names it. */
function findable({ schema, document }: Operation): { objects: boolean; names: boolean } {
  const found = { objects: false, names: false };
  const types = new TypeInfo(schema);
  visit(
    document,
    visitWithTypeInfo(types, {
      Field() {
        const type = getNamedType(types.getType());
        const parent = types.getParentType();
        const isRoot = parent === schema.getQueryType();
        const isObject =
          isObjectType(type) && type.getInterfaces().some(({ name }) => name === 'RegistryObject');
        if (isObject && !isRoot) found.objects = true;
        if (parent?.name === 'Change' && type?.name === 'Domain') found.names = true;
      },
    }),
  );
  return found;
}

/** Throws `insufficient_credits` for an operation that costs more than its caller allows. */
export function assertWithin(maxCredits: number, { credits }: Quote): void {
  if (credits > maxCredits) throw tooFewAllowed(credits, maxCredits);
}
