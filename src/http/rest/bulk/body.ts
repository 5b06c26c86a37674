import * as v from 'valibot';
import { maxAgeFrom, type UsedAlias } from '../../response/deprecations.ts';
import { unfoldTld } from '../../../domain/tld-sets.ts';
import { Problem, type Culprit } from '../../../domain/problems.ts';
import { pairInput, wholeInput, type Input } from './inputs.ts';
import { anObject, isObject } from '../../../shapes.ts';
import { missing, readAge, readBudget } from '../../request/parameters.ts';
import { mostCulprits, readAll } from '../../request/collect-problems.ts';
import type { TimeSlices } from '../../request/time-slices.ts';

/** A bulk call, read: the inputs in order, every pair of names and TLDs joined. */
export interface Bulk extends Omit<UnreadBulk, 'inputs'> {
  readonly inputs: readonly Input[];
}

/** A bulk call whose inputs were counted, and are yet to be read. */
interface UnreadBulk {
  readonly inputs: readonly (() => Input)[];
  /** The member that holds them, or the first parts of them. */
  readonly namesParam: 'domains' | 'names';
  readonly maxAge: number | undefined;
  readonly budgetMs: number | undefined;
}

const strings = v.nullish(v.array(v.string('a string'), 'an array of strings'));
const lists = v.object({ domains: strings, names: strings, tlds: strings });
const limit = v.object({ max_age: v.optional(v.unknown()), budget_ms: v.optional(v.unknown()) });
const limits = v.object({
  ...limit.entries,
  options: v.nullish(v.pipe(anObject('an object'), limit)),
});
/** The members of the body; OpenAPI is printed from here too. */
export const bulkShape = v.object({ ...lists.entries, ...limits.entries });

/** Reads the inputs, which takes up to 100 µs for each, while other requests are served. */
export async function readInputs(
  { inputs, ...bulk }: UnreadBulk,
  slices: TimeSlices,
): Promise<Bulk> {
  return { ...bulk, inputs: await slices.run(inputs) };
}

/** Reads the body of a bulk call of at most `mostInputs` inputs, but not these. Throws a `Problem` that names every culprit. */
export function readBulk(
  body: unknown,
  mostInputs: number,
  used: readonly UsedAlias[],
): UnreadBulk {
  if (!isObject(body)) throw invalid([{ param: 'body', detail: 'body must be a JSON object.' }]);
  // Apart, so that what is wrong with one does not hide what is wrong with the other.
  const parts = readAll({
    inputs: () => readLists(read(lists, body), mostInputs),
    limits: () => readLimits(read(limits, body), used),
  });
  return { ...parts.inputs, ...parts.limits };
}

/** What is in `options` takes precedence over the same at top level. */
function readLimits(
  { options, ...top }: v.InferOutput<typeof limits>,
  used: readonly UsedAlias[],
): Pick<Bulk, 'maxAge' | 'budgetMs'> {
  const { age, ageInOptions, budget, budgetInOptions } = readAll({
    age: () => readAge(top.max_age),
    ageInOptions: () => readAge(options?.max_age, 'options.max_age'),
    budget: () => readBudget(top.budget_ms),
    budgetInOptions: () => readBudget(options?.budget_ms, 'options.budget_ms'),
  });
  return { maxAge: maxAgeFrom(ageInOptions ?? age, used), budgetMs: budgetInOptions ?? budget };
}

function read<Shape extends v.GenericSchema>(members: Shape, body: unknown): v.InferOutput<Shape> {
  const { success, output, issues } = v.safeParse(members, body);
  if (success) return output;
  const params = issues.map((issue) => ({
    param: String(v.getDotPath(issue)),
    wanted: issue.message,
  }));
  throw invalid(
    params.map(({ param, wanted }) => ({ param, detail: `${param} must be ${wanted}.` })),
  );
}

function readLists(
  { domains, names, tlds }: v.InferOutput<typeof lists>,
  mostInputs: number,
): Omit<UnreadBulk, 'maxAge' | 'budgetMs'> {
  if (domains && (names || tlds))
    throw invalid([{ param: 'domains', detail: 'Give domains, or names and tlds, not both.' }]);
  if (!domains && !names && !tlds)
    throw invalid([{ param: 'domains', detail: 'Give domains, or names and tlds.' }]);
  if (domains) {
    refuseMany('domains', filled('domains', domains).length, mostInputs);
    return { inputs: domains.map((typed) => () => wholeInput(typed)), namesParam: 'domains' };
  }
  const pairs = readAll({
    names: () => filled('names', names),
    tlds: () => filled('tlds', tlds).flatMap(unfoldTld),
  });
  refuseMany('names', pairs.names.length * pairs.tlds.length, mostInputs);
  return {
    inputs: pairs.names.flatMap((name) => pairs.tlds.map((tld) => () => pairInput(name, tld))),
    namesParam: 'names',
  };
}

function filled(param: string, list: readonly string[] | null | undefined): readonly string[] {
  if (!list || list.length === 0) throw missing(param);
  return list;
}

function refuseMany(param: string, inputs: number, most: number): void {
  if (inputs > most)
    throw new Problem(
      'too_many_lookups',
      `This asks for ${inputs} results; ask for at most ${most} at once.`,
      { param },
    );
}

function invalid(culprits: readonly Omit<Culprit, 'code'>[]): Problem {
  const errors = culprits
    .slice(0, mostCulprits)
    .map((culprit) => ({ ...culprit, code: 'invalid_body' as const }));
  const [first] = errors;
  return new Problem('invalid_body', first?.detail ?? 'The body is not valid.', {
    ...(first && { param: first.param }),
    errors,
  });
}
