import * as fc from 'fast-check';
import {
  buildSchema,
  doTypesOverlap,
  experimentalExecuteIncrementally,
  getNamedType,
  getNullableType,
  isCompositeType,
  isEnumType,
  isListType,
  NoUnusedFragmentsRule,
  NoUnusedVariablesRule,
  parse,
  printSchema,
  responsePathAsArray,
  specifiedRules,
  validate,
  type GraphQLCompositeType,
  type GraphQLOutputType,
} from 'graphql';
import { expect, it } from 'vitest';
import { baseSchema, schema } from '../../src/app/schema.ts';
import type { Extension } from '../../src/domain/extension.ts';
import { PreparedOperation } from '../../src/execution/operation.ts';

/** The same schema, whose resolvers are those of a test. */
const executed = buildSchema(printSchema(schema));

/** Root fields, and the types of the objects that they return. */
const roots: readonly (readonly [field: string, type: string, objects: readonly string[]])[] = [
  ['domain(name: "a.test")', 'Domain', ['Domain']],
  ['domains(domains: ["a.test"])', 'Domain', ['Domain']],
  ['node(id: "1")', 'Node', ['Domain', 'Registration', 'Tld']],
  ['nodes(ids: ["1"])', 'Node', ['Domain', 'Registration', 'Tld']],
  ['_entities(representations: [1])', '_Entity', ['Domain', 'IpNetwork', 'Tld']],
  ['site(host: "a.test")', 'Host', ['Host']],
];
const siteFields = [
  'dns { a }',
  'dns(maxAge: $age) { a }',
  'tls(profile: $profile) { problem { code } }',
  'tls(profile: STANDARD, maxAge: null) { problem { code } }',
  'certificates(first: 3) { totalCount }',
];
const fields: Readonly<Record<string, readonly string[]>> = {
  Domain: ['status', 'registration { handle }', 'rdap { raw }', 'abuseContacts { email }'],
  Host: ['name', ...siteFields],
  Site: siteFields,
  Node: ['id'],
  Registration: ['handle', 'raw'],
  Tld: ['label'],
  IpNetwork: ['cidr'],
  RegistryObject: ['found'],
};
const conditions = [...Object.keys(fields), '_Entity'];
const values = [true, false];
const directives = [
  ...values.flatMap((value) => [`@skip(if: ${value})`, `@include(if: ${value})`]),
  ...['$on', '$off', '$default'].flatMap((name) => [`@skip(if: ${name})`, `@include(if: ${name})`]),
];

const typeOf = (name: string) => schema.getType(name) as GraphQLCompositeType;
const overlapping = (type: string) => (other: string) =>
  doTypesOverlap(schema, typeOf(type), typeOf(other));

/** Generates a document with a root field, whose key may occur twice. */
function documentOf(generate: fc.GeneratorValue, root: string, rootType: string): string {
  const pick = <T>(list: readonly T[]): T => generate(fc.constantFrom<T[]>, ...list);
  const chance = (percent: number) => generate(fc.integer, { min: 1, max: 100 }) <= percent;
  const directive = (more: readonly string[] = []) =>
    chance(30) ? pick([...directives, ...more]) : '';
  const fragmentTypes = { A: pick(conditions), B: pick(conditions) };

  function selectionOn(type: string, depth: number, spreads: readonly ('A' | 'B')[]): string {
    const own = [...(fields[type] ?? []), ...(type === 'Domain' ? siteFields : [])];
    const spreadable = spreads.filter((name) => overlapping(type)(fragmentTypes[name]));
    const selected = Array.from({ length: generate(fc.integer, { min: 1, max: 3 }) }, () => {
      if (spreadable.length > 0 && chance(25))
        return `...${pick(spreadable)} ${directive(['@defer'])}`;
      if (depth < 4 && (own.length === 0 || chance(50))) {
        const condition = chance(20) ? undefined : pick(conditions.filter(overlapping(type)));
        const inner = selectionOn(condition ?? type, depth + 1, spreads);
        return `... ${condition ? `on ${condition} ` : ''}${directive(['@defer'])} ${inner}`;
      }
      if (own.length === 0) return '__typename';
      const field = pick(own);
      // The same key always stands for the same field.
      const alias = `k${Object.values(fields).flat().indexOf(field)}`;
      const key = chance(30) ? `again${alias}` : alias;
      return `${key}: ${field.replace(/ \{|$/, (rest) => ` ${directive()}${rest}`)}`;
    });
    return `{ ${selected.join(' ')} }`;
  }

  const selections = Array.from({ length: chance(30) ? 2 : 1 }, () =>
    selectionOn(rootType, 0, ['A', 'B']),
  );
  return `query ($on: Boolean!, $off: Boolean!, $default: Boolean = false, $age: Int = 7, $profile: TlsProfile = STANDARD) {
    ${selections.map((selection) => `${root} ${selection}`).join('\n')}
  }
  fragment A on ${fragmentTypes.A} ${selectionOn(fragmentTypes.A, 2, ['B'])}
  fragment B on ${fragmentTypes.B} ${selectionOn(fragmentTypes.B, 2, [])}`;
}

/** Returns a value of a type. `object`: the type of the objects. */
function valueOf(type: GraphQLOutputType, object: string): unknown {
  const nullable = getNullableType(type);
  if (isListType(nullable)) return [valueOf(nullable.ofType, object)];
  const named = getNamedType(type);
  if (isCompositeType(named)) return { __typename: object };
  if (isEnumType(named)) return named.getValues()[0]?.value;
  return { Boolean: true, Int: 1, Float: 1 }[named.name] ?? 'text';
}

const textOf = (name: string, args: object) => `${name} ${JSON.stringify(args)}`;

/** Returns the fields of the objects below the root field that resolvers see. */
async function seenFields(text: string, variableValues: object, object: string) {
  const seen = new Set<string>();
  const result = await experimentalExecuteIncrementally({
    schema: executed,
    document: parse(text),
    variableValues: { ...variableValues },
    typeResolver: ({ __typename }) => __typename,
    fieldResolver: (_source, args, _context, { fieldName, returnType, path }) => {
      const keys = responsePathAsArray(path).filter((key) => typeof key === 'string');
      if (keys.length === 2) seen.add(textOf(fieldName, args));
      return valueOf(returnType, object);
    },
  });
  const deferred = 'subsequentResults' in result ? result.subsequentResults : [];
  expect('initialResult' in result ? result.initialResult.errors : result.errors).toBeUndefined();
  for await (const part of deferred) expect(part).toBeDefined();
  return seen;
}

const everyField = { isLookup: (name: string) => name !== '__typename' } as Extension;

function plannedFields(text: string, variableValues: object, object: string) {
  const prepared = new PreparedOperation({ schema: baseSchema, document: parse(text) });
  const { rootFields, variables } = prepared.coerce({ ...variableValues });
  return new Set(
    rootFields
      .flatMap(({ selection }) => selection.extensionFields(object, [everyField], variables))
      .map(({ name, args }) => textOf(name, args)),
  );
}

const rules = specifiedRules.filter(
  (rule) => rule !== NoUnusedFragmentsRule && rule !== NoUnusedVariablesRule,
);

it('plans the fields that resolvers see, whatever the fragments and directives', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.gen(),
      fc.constantFrom(...roots),
      fc.constantFrom<object>({}, { default: true }, { age: null }, { profile: 'FULL' }),
      async (generate, [root, rootType, objects], sent) => {
        const text = documentOf(generate, root, rootType);
        expect(validate(schema, parse(text), rules)).toEqual([]);
        const variables = { on: true, off: false, ...sent };
        for (const object of objects)
          expect([object, plannedFields(text, variables, object), text]).toEqual([
            object,
            await seenFields(text, variables, object),
            text,
          ]);
      },
    ),
    // The counterexample is a short text, and looking for a shorter one would take minutes.
    { numRuns: 300, endOnFailure: true },
  );
});
