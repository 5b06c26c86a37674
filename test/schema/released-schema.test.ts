import { readFileSync } from 'node:fs';
import {
  BreakingChangeType,
  buildSchema,
  DangerousChangeType,
  findSchemaChanges,
  SafeChangeType,
} from 'graphql';
import { describe, expect, it } from 'vitest';

/** The schema of the last release. A release replaces it: `cp schema/schema.graphql test/fixtures/released.graphql`, and empties the lists below. */
const released = readFileSync(new URL('../fixtures/released.graphql', import.meta.url), 'utf8');
const current = readFileSync(new URL('../../schema/schema.graphql', import.meta.url), 'utf8');

/** Changes that an operation which was valid may notice. Clients are told to expect new enum values, and may leave out new arguments. */
const noticed: readonly string[] = [
  ...Object.values(BreakingChangeType),
  DangerousChangeType.ARG_DEFAULT_VALUE_CHANGE,
  DangerousChangeType.INPUT_FIELD_DEFAULT_VALUE_CHANGE,
];

function breakingChanges(before: string, after: string): readonly string[] {
  const changes = findSchemaChanges(buildSchema(before), buildSchema(after));
  const breaking = changes.filter(({ type }) => noticed.includes(type));
  return breaking.map(({ type, description }) => `${type}: ${description}`).toSorted();
}

/** Lists every change that a client can notice, the breaking ones first, one a line: all but those of descriptions. */
function listOfChanges(before: string, after: string): string {
  const changes = findSchemaChanges(buildSchema(before), buildSchema(after));
  // Some types of changes are in two of the lists.
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

describe('the schema, compared with that of the last release', () => {
  it('breaks clients only where that is intended', () => {
    expect(breakingChanges(released, current)).toEqual([
      // A closed set. The JSON is the same, and clients without generated types notice nothing.
      'FIELD_CHANGED_KIND: Field Attempt.phase changed type from String! to AttemptPhase!.',
      // Errors in its arguments do not null the fields beside it.
      'FIELD_CHANGED_KIND: Field Query.tlds changed type from TldConnection! to TldConnection.',
    ]);
  });

  it('has these changes and no others: `npm test -- released-schema -u` writes the list, which is to be reviewed', async () => {
    await expect(listOfChanges(released, current)).toMatchFileSnapshot(
      '../fixtures/schema-changes.txt',
    );
  });

  it.each([
    ['FIELD_REMOVED', 'a field has another name', '  available: Boolean\n', '  isFree: Boolean\n'],
    [
      'FIELD_CHANGED_KIND',
      'a field may be null from now on',
      '  nameservers: [String!]!\n',
      '  nameservers: [String!]\n',
    ],
    [
      'VALUE_REMOVED_FROM_ENUM',
      'an enum value has another name',
      '  PENDING_DELETE\n',
      '  DELETING\n',
    ],
    ['REQUIRED_ARG_ADDED', 'an argument is needed', 'domain(', 'domain(why: String!, '],
    ['ARG_REMOVED', 'an argument has another name', '    tld: String\n', '    suffix: String\n'],
    ['DIRECTIVE_REMOVED', '@defer goes', 'directive @defer', 'directive @later'],
    [
      'ARG_DEFAULT_VALUE_CHANGE',
      'a default changes',
      'if: Boolean! = true',
      'if: Boolean! = false',
    ],
  ])('would be told of %s: %s', (type, _what, before, after) => {
    const changed = edited(before, after);
    expect(breakingChanges(released, changed)).toEqual([expect.stringMatching(`^${type}: `)]);
  });

  it.each([
    ['a field', 'type Domain {', 'type Domain {\n  notes: [String!]!\n'],
    ['an optional argument', 'domain(', 'domain(why: String, '],
    ['an enum value', 'enum DomainStatus {', 'enum DomainStatus {\n  ASLEEP\n'],
    ['a type', 'type Domain {', 'type Note { text: String }\n\ntype Domain {'],
  ])('is not disturbed by %s more', (_what, before, after) => {
    expect(breakingChanges(released, edited(before, after))).toEqual([]);
  });
});

/** The released schema with a change that is certain to be one. */
function edited(before: string, after: string): string {
  const text = released.replace(before, after);
  expect(text).not.toBe(released);
  return text;
}
