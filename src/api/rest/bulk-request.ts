import * as v from 'valibot';
import { rawInputOf } from '../../domain/names/domain-name.ts';
import { parseEntry, parsePair, requireNonEmpty } from '../../domain/names/parsed-name.ts';
import { Problem, type FieldError } from '../../domain/problems.ts';
import { confirmNames, type Confirm } from '../../domain/source.ts';
import { expandTldSet } from '../../domain/names/tld-sets.ts';
import { maxAgeFrom, type UsedAlias } from '../../server/messages/deprecations.ts';
import { objectShape, isObject } from '../../shared/shapes.ts';
import {
  maxBudgetMs,
  readBudget,
  readConfirm,
  readMaxAge,
} from '../../server/messages/parameters.ts';
import { maxFieldErrors, collectProblems } from '../../server/messages/collect-problems.ts';
import type { TimeSlices } from '../../execution/time-slices.ts';
import parameters from './parameters.json' with { type: 'json' };
import type { JsonSchema, Properties } from './shape.ts';

export interface BulkInput {
  /** The name as it was sent, or a name and a TLD joined by a dot. */
  readonly rawInput: string;
  /** The full name that is looked up: the `domain` of its row. */
  readonly entry: string;
}

/** A parsed bulk call. Each pair of a name and a TLD is one input. */
export interface BulkRequest extends Omit<UnparsedBulkRequest, 'inputs'> {
  readonly inputs: readonly BulkInput[];
}

/** A bulk call whose inputs have been counted, but not parsed yet. */
interface UnparsedBulkRequest {
  readonly inputs: readonly (() => BulkInput)[];
  readonly namesParam: 'domains' | 'names';
  readonly maxAge: number | undefined;
  readonly confirm: Confirm | undefined;
  readonly budgetMs: number | undefined;
  readonly evidence: boolean | undefined;
}

type Limits = Pick<BulkRequest, 'maxAge' | 'confirm' | 'budgetMs' | 'evidence'>;

const strings = v.nullish(v.array(v.string('a string'), 'an array of strings'));
const lists = v.object({ domains: strings, names: strings, tlds: strings });
const limit = v.object({
  max_age: v.optional(v.unknown()),
  confirm: v.optional(v.unknown()),
  budget_ms: v.optional(v.unknown()),
  evidence: v.nullish(v.boolean('true or false')),
});
const limits = v.object({
  ...limit.entries,
  options: v.nullish(v.pipe(objectShape('an object'), limit)),
});

/** Parses the inputs, which takes up to 100 µs each, and serves other requests in between. */
export async function readInputs(
  { inputs, ...bulk }: UnparsedBulkRequest,
  slices: TimeSlices,
): Promise<BulkRequest> {
  return { ...bulk, inputs: await slices.run(inputs) };
}

/**
 * Parses the body of a bulk call of at most `maxInputs` inputs, except for the inputs. Throws a
 * `Problem` that lists every invalid field.
 */
export function readBulk(
  body: unknown,
  maxInputs: number,
  usedAliases: readonly UsedAlias[],
): UnparsedBulkRequest {
  if (!isObject(body)) throw notAnObject();

  // Parsed separately, so that errors in one part do not hide errors in the other.
  const parsed = collectProblems({
    inputs: () => readLists(parseShape(lists, body), maxInputs),
    limits: () => readLimits(parseShape(limits, body), usedAliases),
  });

  return { ...parsed.inputs, ...parsed.limits };
}

/** Reads the limits. Those in `options` take precedence over those of the body. */
function readLimits(
  { options, ...top }: v.InferOutput<typeof limits>,
  usedAliases: readonly UsedAlias[],
): Limits {
  const { age, ageInOptions, confirm, confirmInOptions, budget, budgetInOptions } = collectProblems(
    {
      age: () => readMaxAge(top.max_age),
      ageInOptions: () => readMaxAge(options?.max_age, 'options.max_age'),
      confirm: () => readConfirm(top.confirm),
      confirmInOptions: () => readConfirm(options?.confirm, 'options.confirm'),
      budget: () => readBudget(top.budget_ms),
      budgetInOptions: () => readBudget(options?.budget_ms, 'options.budget_ms'),
    },
  );
  return {
    maxAge: maxAgeFrom(ageInOptions ?? age, usedAliases),
    confirm: confirmInOptions ?? confirm,
    budgetMs: budgetInOptions ?? budget,
    evidence: options?.evidence ?? top.evidence ?? undefined,
  };
}

/** Reads the members of a body. Throws a problem that lists every invalid one. */
export function parseShape<Schema extends v.GenericSchema>(
  schema: Schema,
  body: unknown,
): v.InferOutput<Schema> {
  if (!isObject(body)) throw notAnObject();

  const { success, output, issues } = v.safeParse(schema, body);
  if (success) return output;

  throw invalidBody(
    issues.map((issue) => {
      const param = String(v.getDotPath(issue));
      return { param, detail: `${param} must be ${issue.message}.` };
    }),
  );
}

function readLists(
  { domains, names, tlds }: v.InferOutput<typeof lists>,
  maxInputs: number,
): Omit<UnparsedBulkRequest, keyof Limits> {
  const forms = 'Pass either `domains`, or `names` and `tlds`';
  if (domains && (names || tlds))
    throw invalidBody([{ param: 'domains', detail: `${forms}, not both.` }]);
  if (!domains && !names && !tlds) throw invalidBody([{ param: 'domains', detail: `${forms}.` }]);

  if (domains) {
    assertMaxInputs('domains', requireNonEmpty('domains', domains).length, maxInputs);
    return {
      inputs: domains.map((rawInput) => () => fullNameInput(rawInput)),
      namesParam: 'domains',
    };
  }

  const pairs = collectProblems({
    names: () => requireNonEmpty('names', names),
    tlds: () => requireNonEmpty('tlds', tlds).flatMap(expandTldSet),
  });
  assertMaxInputs('names', pairs.names.length * pairs.tlds.length, maxInputs);

  return {
    inputs: pairs.names.flatMap((name) => pairs.tlds.map((tld) => () => pairInput(name, tld))),
    namesParam: 'names',
  };
}

function notAnObject(): Problem {
  return invalidBody([{ param: 'body', detail: 'body must be a JSON object.' }]);
}

function assertMaxInputs(param: string, inputCount: number, maxInputs: number): void {
  if (inputCount <= maxInputs) return;
  const detail = `This request would have ${inputCount} results; the maximum is ${maxInputs}.`;
  throw new Problem('too_many_lookups', detail, { param });
}

function invalidBody(fieldErrors: readonly Omit<FieldError, 'code'>[]): Problem {
  const errors = fieldErrors
    .slice(0, maxFieldErrors)
    .map((fieldError) => ({ ...fieldError, code: 'invalid_body' as const }));
  const [first] = errors;

  return new Problem('invalid_body', first?.detail ?? 'The body is not valid.', {
    param: first?.param,
    errors,
  });
}

function fullNameInput(rawInput: string): BulkInput {
  return { rawInput, entry: parseEntry(rawInput).domain };
}

function pairInput(name: string, tld: string): BulkInput {
  const parsed = parsePair(name, tld);
  // Two final dots make the entry invalid: an invalid pair must not be parsed as a full name.
  return {
    rawInput: rawInputOf(name, tld),
    entry: 'problem' in parsed ? `${parsed.domain}..` : parsed.domain,
  };
}

const textsOrNull = { anyOf: [{ type: 'array', items: { type: 'string' } }, { type: 'null' }] };

const listSchemas = {
  domains: { ...textsOrNull, description: 'Full domain names.' },
  names: {
    ...textsOrNull,
    description: 'Labels or names; each is combined with each of `tlds`.',
  },
  tlds: {
    ...textsOrNull,
    description: 'TLDs or longer suffixes, such as `com` or `co.uk`, or sets such as `@popular`.',
  },
} satisfies Record<keyof typeof lists.entries, JsonSchema>;

const limitSchemas = {
  max_age: { type: ['integer', 'null'], minimum: 0, description: parameters.max_age.description },
  // Generated clients treat a member with a default as required.
  confirm: { type: 'string', enum: confirmNames, description: parameters.confirm.description },
  budget_ms: {
    type: ['integer', 'null'],
    minimum: 0,
    maximum: maxBudgetMs,
    description: parameters.budget_ms.description,
  },
  evidence: { type: ['boolean', 'null'], description: parameters.evidence.description },
} satisfies Record<keyof typeof limit.entries, JsonSchema>;

/**
 * Returns the schema of a bulk request body. `aliases` are the deprecated members that it accepts, at
 * top level and in `options`.
 */
export function bulkRequestSchema(aliases: Properties): JsonSchema {
  const options = { type: 'object', properties: { ...limitSchemas, ...aliases }, required: [] };
  return {
    type: 'object',
    properties: {
      ...listSchemas,
      ...limitSchemas,
      options: {
        anyOf: [options, { type: 'null' }],
        description: 'Values here override the same members at top level.',
      },
      ...aliases,
    },
    required: [],
    // Not an `anyOf` with `required`: generated clients treat an alternative without properties as
    // a body of any type.
    description:
      'Either full domain names (`domains`), or labels and TLDs (`names` and `tlds`), of which every pair is looked up.',
  };
}
