import { readFileSync } from 'node:fs';
import {
  BreakingChangeType,
  buildSchema,
  DangerousChangeType,
  findSchemaChanges,
  SafeChangeType,
} from 'graphql';
import { describe, expect, it } from 'vitest';

/**
 * The schema of the last release. Each release replaces it (`cp schema/schema.graphql
 * test/fixtures/released.graphql`) and empties the lists below.
 */
const released = readFileSync(new URL('../fixtures/released.graphql', import.meta.url), 'utf8');
const current = readFileSync(new URL('../../schema/schema.graphql', import.meta.url), 'utf8');

/**
 * Changes that may break a valid operation. New enum values and optional arguments do not: clients
 * must tolerate unknown values, and may omit new arguments.
 */
const breakingTypes: readonly string[] = [
  ...Object.values(BreakingChangeType),
  DangerousChangeType.ARG_DEFAULT_VALUE_CHANGE,
  DangerousChangeType.INPUT_FIELD_DEFAULT_VALUE_CHANGE,
];

function breakingChanges(before: string, after: string): readonly string[] {
  const changes = findSchemaChanges(buildSchema(before), buildSchema(after));
  const breaking = changes.filter(({ type }) => breakingTypes.includes(type));
  return breaking.map(({ type, description }) => `${type}: ${description}`).toSorted();
}

/** Lists every change except those of descriptions, one per line, breaking changes first. */
function listOfChanges(before: string, after: string): string {
  const changes = findSchemaChanges(buildSchema(before), buildSchema(after));
  // Some types are in two of graphql's lists.
  const others: readonly string[] = [
    ...Object.values(BreakingChangeType),
    ...Object.values(DangerousChangeType),
  ];
  const safe = Object.values(SafeChangeType).filter(
    (type) => type !== SafeChangeType.DESCRIPTION_CHANGED && !others.includes(type),
  );
  const parts = { Breaking: BreakingChangeType, Dangerous: DangerousChangeType, Safe: safe };
  const sections = Object.entries(parts).map(([title, types]) => {
    const values: readonly string[] = Object.values(types);
    const lines = changes
      .filter(({ type }) => values.includes(type))
      .map(({ type, description }) => `- ${type}: ${description}`);
    return [`${title}:`, ...lines.toSorted(), ''].join('\n');
  });
  return sections.join('\n');
}

describe('the schema, compared with the last release,', () => {
  it('has only the intended breaking changes', () => {
    expect(breakingChanges(released, current)).toEqual([
      // The values were a closed set already: the JSON is the same, and only generated types change.
      'FIELD_CHANGED_KIND: Field Attempt.phase changed type from String! to AttemptPhase!.',
      // An error in its arguments no longer nulls its sibling fields.
      'FIELD_CHANGED_KIND: Field Query.tlds changed type from TldConnection! to TldConnection.',
    ]);
  });

  it('has exactly the reviewed changes (`npm test -- released-schema -u` updates the list)', async () => {
    await expect(listOfChanges(released, current)).toMatchFileSnapshot(
      '../fixtures/schema-changes.txt',
    );
  });

  it.each([
    ['FIELD_REMOVED', 'a field is renamed', '  available: Boolean\n', '  isFree: Boolean\n'],
    [
      'FIELD_CHANGED_KIND',
      'a field becomes nullable',
      '  nameservers: [String!]!\n',
      '  nameservers: [String!]\n',
    ],
    ['VALUE_REMOVED_FROM_ENUM', 'an enum value is renamed', '  PENDING_DELETE\n', '  DELETING\n'],
    ['REQUIRED_ARG_ADDED', 'a required argument is added', 'domain(', 'domain(why: String!, '],
    ['ARG_REMOVED', 'an argument is renamed', '    tld: String\n', '    suffix: String\n'],
    ['DIRECTIVE_REMOVED', '@defer is removed', 'directive @defer', 'directive @later'],
    [
      'ARG_DEFAULT_VALUE_CHANGE',
      'a default changes',
      'if: Boolean! = true',
      'if: Boolean! = false',
    ],
  ])('reports %s if %s', (type, _what, before, after) => {
    const changed = edited(before, after);
    expect(breakingChanges(released, changed)).toEqual([expect.stringMatching(`^${type}: `)]);
  });

  it.each([
    ['field', 'type Domain {', 'type Domain {\n  notes: [String!]!\n'],
    ['optional argument', 'domain(', 'domain(why: String, '],
    ['enum value', 'enum DomainStatus {', 'enum DomainStatus {\n  ASLEEP\n'],
    ['type', 'type Domain {', 'type Note { text: String }\n\ntype Domain {'],
  ])('accepts a new %s', (_what, before, after) => {
    expect(breakingChanges(released, edited(before, after))).toEqual([]);
  });
});

/** Returns the released schema with a replacement. Fails if nothing was replaced. */
function edited(before: string, after: string): string {
  const text = released.replace(before, after);
  expect(text).not.toBe(released);
  return text;
}
