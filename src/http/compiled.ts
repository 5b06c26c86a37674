import {
  getOperationAST,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  type DocumentNode,
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  type SelectionSetNode,
} from 'graphql';
import type { Values } from './operation.ts';
import { fieldsOf, hasDirectives } from './selections.ts';
import { jsonOf, Written } from './written.ts';

export type Data = Readonly<Record<string, unknown>>;

/**
 * Runs an operation, or tells of one event of a subscription, on the same resolvers as graphql would, as long as every field comes out well.
 * Undefined as soon as one does not: then graphql must run it, which finds what was looked up by then and says what is wrong.
 */
export type Compiled = (context: unknown, values: Values, event?: unknown) => Data | undefined | Promise<Data | undefined>;

interface Reading {
  readonly document: DocumentNode;
  readonly operationName?: string | null | undefined;
  /** The data becomes JSON, by `jsonOf`: what never changes may be `Written` in it. */
  readonly forJson?: boolean;
}

/** Reads a valid operation once, so that running it need not. Undefined for what is left to graphql, such as directives. */
export function compile(schema: GraphQLSchema, reading: Reading): Compiled | undefined {
  const { document, operationName } = reading;
  const operation = getOperationAST(document, operationName);
  const root = operation && schema.getRootType(operation.operation);
  if (!operation || !root || hasDirectives(document)) return undefined;
  try {
    const complete = objectCompletion(root, [operation.selectionSet], reading);
    return (context, values, event) => run(complete, event, { context, values, promised: [], failed: false });
  } catch (error) {
    if (error instanceof LeftToGraphql) return undefined;
    throw error;
  }
}

/** Something that is not worth, or not safe, to be done here. */
class LeftToGraphql extends Error {}

interface Running {
  readonly context: unknown;
  readonly values: Values;
  /** Each settles when what was promised stands in its place. None rejects. */
  readonly promised: Promise<void>[];
  failed: boolean;
}

/** Makes what is sent of what a resolver gave. Throws when that is not as the schema says. */
type Complete = (value: unknown, running: Running) => unknown;

interface Field {
  readonly key: string;
  readonly resolve: (source: unknown, running: Running) => unknown;
  readonly complete: Complete;
}

function run(complete: Complete, source: unknown, running: Running): ReturnType<Compiled> {
  try {
    const data = complete(source, running) as Data;
    return running.promised.length > 0 ? whenKept(running, data) : data;
  } catch {
    return undefined; // graphql will meet the same failure, and tell of it
  }
}

async function whenKept(running: Running, data: Data): Promise<Data | undefined> {
  // What was promised may promise more.
  while (running.promised.length > 0) await Promise.all(running.promised.splice(0));
  return running.failed ? undefined : data;
}

function objectCompletion(type: GraphQLObjectType, sets: readonly SelectionSetNode[], reading: Reading): Complete {
  const unfolded = new Set<string>();
  const nodes = sets.flatMap((set) => fieldsOf(set, { ...reading, type }, unfolded));
  const fields = Array.from(Map.groupBy(nodes, keyOf), ([key, same]) => fieldOf(type, key, same, reading));
  return (source, running) => {
    const data: Record<string, unknown> = {};
    for (const { key, resolve, complete } of fields) {
      const value = resolve(source, running);
      data[key] = value instanceof Promise ? null : complete(value, running);
      if (value instanceof Promise) running.promised.push(keep(value, (kept) => (data[key] = complete(kept, running)), running));
    }
    return data;
  };
}

function keyOf({ alias, name }: FieldNode): string {
  const key = (alias ?? name).value;
  // It would be no member but the prototype.
  if (key === '__proto__') throw new LeftToGraphql();
  return key;
}

async function keep(value: Promise<unknown>, put: (value: unknown) => void, running: Running): Promise<void> {
  try {
    put(await value);
  } catch {
    running.failed = true; // as above
  }
}

function fieldOf(parent: GraphQLObjectType, key: string, nodes: readonly FieldNode[], reading: Reading): Field {
  const [node] = nodes;
  if (node?.name.value === '__typename') return { key, resolve: () => parent.name, complete: (value) => value };
  const field = node && parent.getFields()[node.name.value];
  if (!field) throw new LeftToGraphql();
  const mayHaveBudget = node.arguments?.some((argument) => argument.name.value === 'budgetMs') === true;
  const complete = completionOf(
    field.type,
    nodes.flatMap(({ selectionSet }) => selectionSet ?? []),
    reading,
  );
  const { name, resolve = (source: unknown) => (source as Data)[name] } = field;
  const argsOf = ({ values }: Running) => (field.args.length > 0 ? values.argumentsOf(field, node) : noArguments);
  return {
    key,
    resolve(source, running) {
      const args = argsOf(running);
      // A time budget would start again if graphql had to run the field a second time.
      if (mayHaveBudget && isPresent(args['budgetMs'])) throw new LeftToGraphql();
      // No resolver uses its last argument (`GraphQLResolveInfo`).
      return resolve(source, args, running.context, undefined as never);
    },
    complete,
  };
}

const noArguments: Readonly<Record<string, unknown>> = Object.freeze({});

function completionOf(type: GraphQLOutputType, sets: readonly SelectionSetNode[], reading: Reading): Complete {
  if (isNonNullType(type)) {
    const complete = completionOf(type.ofType, sets, reading);
    return (value, running) => present(complete(value, running));
  }
  if (isListType(type)) {
    const complete = completionOf(type.ofType, sets, reading);
    return unlessNull((value, running) => listOf(value).map((item) => complete(item, running)));
  }
  if (isLeafType(type)) return unlessNull((value) => present(type.coerceOutputValue(value)));
  if (isObjectType(type)) {
    const complete = objectCompletion(type, sets, reading);
    return unlessNull(reading.forJson && type.extensions['unchanging'] ? onceWritten(complete) : complete);
  }
  throw new LeftToGraphql();
}

/** With an object that never changes its text is kept, unless it is long: that of the selection that was asked for last. */
function onceWritten(complete: Complete): Complete {
  // Nothing of the document may live as long as the object does.
  const selection = Symbol();
  return (value, running) => {
    const source = value as object;
    const known = lastWritten.get(source);
    if (known?.selection === selection) return known.written;
    const promisedBefore = running.promised.length;
    const data = complete(source, running) as object;
    if (running.promised.length > promisedBefore) return data;
    const written = new Written(jsonOf(data));
    if (written.length <= longestKept) lastWritten.set(source, { selection, written });
    return written;
  };
}

const lastWritten = new WeakMap<object, { readonly selection: symbol; readonly written: Written }>();
/** Most records are half as long; one may be asked for fifty times under as many names. */
const longestKept = 16_384;

function unlessNull(complete: Complete): Complete {
  return (value, running) => (value === null || value === undefined ? null : complete(value, running));
}

function isPresent(value: unknown): boolean {
  return value !== null && value !== undefined;
}

function present(value: unknown): unknown {
  if (!isPresent(value)) throw new TypeError('a field has no value');
  return value;
}

function listOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new TypeError('a field has no list');
  return value;
}
