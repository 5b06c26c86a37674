import { createHash } from 'node:crypto';
import {
  buildSchema,
  execute,
  getNamedType,
  isAbstractType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  parse,
  printSchema,
  validate,
  type DocumentNode,
  type ExecutionResult,
  type GraphQLObjectType,
  type GraphQLOutputType,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { mcpOperations } from '../../src/api/mcp/tool.ts';
import { endpoints } from '../../src/app/endpoints.ts';
import { baseSchema } from '../../src/app/schema.ts';
import type { Context } from '../../src/execution/context.ts';
import { JsonText } from '../../src/execution/json-form.ts';
import { PreparedOperation } from '../../src/execution/operation.ts';
import { runOperation } from '../../src/execution/run-operation.ts';
import { codeBlocksIn, guides } from '../support/checks/guides.ts';
import { randomQuery } from '../support/time/random-query.ts';
import { seededRandom } from '../support/time/random.ts';

const seed = Number(process.env['FUZZ_SEED'] ?? 1);
const rounds = Number(process.env['FUZZ_ROUNDS'] ?? 400);

/** An object of the test. What its fields are follows from where it is. */
interface TestObject {
  readonly __typename: string;
  readonly at: string;
}

/** What can happen in a field, besides a value. */
interface Faults {
  readonly salt: string;
  readonly arePromised: boolean;
}

let faults: Faults = { salt: '', arePromised: false };
const objects = new Map<string, TestObject>();

/** The schema of the gateway, with resolvers that return, throw and reject what the salt says. */
const schema = buildSchema(printSchema(baseSchema), { assumeValid: true });
for (const type of Object.values(schema.getTypeMap())) {
  if (!isObjectType(type) || type.name.startsWith('__')) continue;
  type.extensions = { isImmutable: true };
  for (const field of Object.values(type.getFields()))
    field.resolve =
      field.args.length === 0
        ? (source: TestObject) => valueAt(`${source?.at ?? ''}.${field.name}`, field.type)
        : (source: TestObject, args: object) =>
            valueAt(`${source?.at ?? ''}.${field.name}${JSON.stringify(args)}`, field.type);
}

function numberAt(at: string): number {
  return createHash('sha1').update(`${faults.salt} ${at}`).digest().readUInt16BE();
}

function valueAt(at: string, type: GraphQLOutputType): unknown {
  const share = numberAt(at) / 65_536;
  if (faults.arePromised && numberAt(`${at} promise`) % 4 === 0) {
    const promised = () => valueOf(at, type, share);
    return new Promise<void>((resolve) => queueMicrotask(resolve)).then(promised);
  }
  return valueOf(at, type, share);
}

function valueOf(at: string, type: GraphQLOutputType, share: number): unknown {
  if (share < 0.02) throw new Error(`thrown at ${at}`);
  if (share < 0.03) return new Error(`returned at ${at}`);
  if (share < 0.08) return null;
  return presentAt(at, type);
}

function presentAt(at: string, type: GraphQLOutputType): unknown {
  if (isNonNullType(type)) return presentAt(at, type.ofType);
  if (isListType(type)) {
    const length = numberAt(`${at} length`) % 4;
    return Array.from({ length }, (_, index) => {
      const item = `${at}[${index}]`;
      return numberAt(`${item} null`) % 20 === 0 ? null : presentAt(item, type.ofType);
    });
  }
  if (isObjectType(type)) return objectAt(at, type.name);
  if (isAbstractType(type)) {
    const types = schema.getPossibleTypes(type);
    return objectAt(at, types[numberAt(`${at} type`) % types.length]?.name ?? '');
  }
  // A leaf of another type fails when it is completed.
  if (numberAt(`${at} leaf`) % 50 === 0) return { wrong: at };
  if (isEnumType(type)) return type.getValues()[0]?.value;
  return { Boolean: true, Int: 1, Float: 1.5 }[getNamedType(type).name] ?? `text at "${at}"`;
}

/** Returns the same object each time. */
function objectAt(at: string, typename: string): TestObject {
  const key = `${faults.salt} ${at}`;
  const object = objects.get(key) ?? { __typename: typename, at };
  objects.set(key, object);
  return object;
}

type Variables = Readonly<Record<string, unknown>>;

async function ofGraphqlJs(document: DocumentNode, variableValues: Variables) {
  return plain(await execute({ schema, document, variableValues, contextValue: {} }));
}

async function ofExecutor(
  document: DocumentNode,
  variables: Variables,
  asJson: boolean,
  executed = schema,
) {
  const operation = new PreparedOperation({ schema: executed, document });
  // The second execution has what the first one has kept.
  await runOperation(operation.coerce(variables), {} as Context, { mode: 'buffered', asJson });
  const result = await runOperation(operation.coerce(variables), {} as Context, {
    mode: 'buffered',
    asJson,
  });
  return plain(result as ExecutionResult);
}

/** Returns a result as clients see it. */
function plain({ data, errors }: ExecutionResult) {
  const json: unknown =
    (data as unknown) instanceof JsonText
      ? JSON.parse((data as unknown as JsonText).text)
      : JSON.parse(JSON.stringify(data ?? null));
  return {
    data: json,
    text: JSON.stringify(json),
    errors: (errors ?? []).map(({ message, path, locations }) => ({ message, path, locations })),
  };
}

/** Returns where the errors have made a null: their order depends on time if there are promises. */
function nullsOf({ data, errors }: ReturnType<typeof plain>): readonly string[] {
  const nulls = errors.map(({ path = [] }) => {
    let value = data;
    const keys: (string | number)[] = [];
    for (const key of path) {
      if (value === null) break;
      keys.push(key);
      value = (value as Record<string | number, unknown>)[key];
    }
    return keys.join('.');
  });
  return [...new Set(nulls)].toSorted();
}

const saved = [
  ...endpoints.flatMap(({ operation }) => operation ?? []),
  ...Object.values(mcpOperations),
];
const written = guides
  .flatMap(({ text }) => codeBlocksIn(text))
  .filter(({ language }) => language === 'graphql')
  .map(({ code }) => code);
const documents = [...saved, ...written].flatMap((text) => {
  const document = parse(text);
  const isQuery = document.definitions.every(
    (each) => each.kind !== 'OperationDefinition' || each.operation === 'query',
  );
  return isQuery && validate(schema, document).length === 0 ? [text] : [];
});

describe('the executor returns what graphql-js does', () => {
  it('for the saved operations and the queries of the guides', async () => {
    expect(documents.length).toBeGreaterThan(20);
    for (const text of documents) {
      const document = parse(text);
      const variables = { name: 'a', tlds: ['test'], domains: ['a.test'], url: 'https://a.test' };
      for (let round = 0; round < 5; round++) {
        faults = { salt: `${text} ${round}`, arePromised: false };
        const expected = await ofGraphqlJs(document, variables);
        for (const asJson of [false, true])
          expect([text, await ofExecutor(document, variables, asJson)]).toEqual([text, expected]);
      }
    }
  });

  it(`for random queries, with errors in the same order, FUZZ_SEED=${seed}`, async () => {
    const random = seededRandom(seed);
    let withErrors = 0;
    for (let round = 0; round < rounds; round++) {
      const { text, variables } = randomQuery(schema, random);
      const document = parse(text);
      expect([text, validate(schema, document).filter(isMistake)]).toEqual([text, []]);

      faults = { salt: `${seed} ${round}`, arePromised: false };
      const expected = await ofGraphqlJs(document, variables);
      if (expected.errors.length > 0) withErrors += 1;
      for (const asJson of [false, true])
        expect([text, await ofExecutor(document, variables, asJson)]).toEqual([text, expected]);
    }
    expect(withErrors / rounds).toBeGreaterThan(0.2);
  });

  it('for errors below a field that is null already', async () => {
    const late = buildSchema(
      'type Query { object: Object, other: Object } type Object { late: String, now: String! }',
    );
    const fields = (late.getType('Object') as GraphQLObjectType).getFields();
    Object.assign(fields['late'] as object, { resolve: () => reject(2, 'late') });
    Object.assign(fields['now'] as object, { resolve: () => reject(1, 'now') });
    const root = late.getQueryType()?.getFields() ?? {};
    Object.assign(root['object'] as object, { resolve: () => ({}) });
    // The last field, so that both executors still run when the late field fails.
    Object.assign(root['other'] as object, { resolve: () => reject(3, 'other') });

    const document = parse('{ object { late now } other { now } }');
    const expected = plain(await execute({ schema: late, document, contextValue: {} }));
    expect(expected.errors.map(({ message }) => message)).toEqual(['now', 'other']);
    expect(await ofExecutor(document, {}, false, late)).toEqual(expected);
  });

  it(`for random queries with promises, FUZZ_SEED=${seed}`, async () => {
    const random = seededRandom(seed + 1);
    for (let round = 0; round < rounds; round++) {
      const { text, variables } = randomQuery(schema, random);
      const document = parse(text);
      faults = { salt: `${seed} promises ${round}`, arePromised: true };
      const expected = await ofGraphqlJs(document, variables);
      for (const asJson of [false, true]) {
        const actual = await ofExecutor(document, variables, asJson);
        expect([text, actual.text, nullsOf(actual)]).toEqual([
          text,
          expected.text,
          nullsOf(expected),
        ]);
      }
    }
  });
});

async function reject(turns: number, message: string): Promise<never> {
  for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
  throw new Error(message);
}

/** Unused variables and fragments are not executed, and repeated fields may conflict. */
function isMistake({ message }: Error): boolean {
  return !/never used|conflict/.test(message);
}
