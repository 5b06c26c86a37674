import { invalidParameter, missingParameter, Problem } from '../../domain/problems.ts';
import { maxAgeFrom, type UsedAlias } from './deprecations.ts';
import { confirmNamed, confirmNames, type Confirm } from '../../domain/source.ts';

/** The query parameters of a REST request. Problems name the parameter at fault. */
export interface QueryParameters {
  /** Returns a single value, or undefined if it is absent. Throws if it is repeated or empty. */
  single(param: string): string | undefined;
  /**
   * Returns the values of a list, comma-separated or repeated, or undefined if it is absent. Throws
   * if it is empty.
   */
  list(param: string): readonly string[] | undefined;
  hasList(param: string): boolean;
  /** Returns a whole number like `single`; NaN for another text. */
  whole(param: string): number | undefined;
  /** Reads `max_age` or what an alias means, in seconds. Throws `invalid_max_age`. */
  maxAge(): number | undefined;
  /** Reads `confirm`. Throws `invalid_parameter`. */
  confirm(): Confirm | undefined;
  /** Reads `budget_ms`. Throws `invalid_parameter`. */
  budgetMs(): number | undefined;
}

export function readParameters(
  query: URLSearchParams,
  usedAliases: readonly UsedAlias[] = [],
): QueryParameters {
  const single = (param: string) => {
    const value = singleValue(query, param);
    if (value?.trim() === '') throw missingParameter(param);
    return value;
  };

  const entries = [...query];
  // axios and Rails serialize a list as `tlds[]=com&tlds[]=net`, PHP as `tlds[0]=com&tlds[1]=net`.
  const listValues = (param: string) => {
    const values: string[] = [];
    for (const [key, value] of entries)
      if (key === param || (key.endsWith(']') && key.replace(/\[\d*\]$/, '') === param))
        values.push(value);
    return values;
  };

  return {
    single,
    list(param) {
      const values = listValues(param);
      if (values.length === 0) return undefined;

      const list = values.flatMap((value) =>
        value.split(',').filter((entry) => entry.trim() !== ''),
      );
      if (list.length === 0) throw missingParameter(param);

      return list;
    },
    hasList: (param) => listValues(param).length > 0,
    whole: (param) => wholeNumberIn(single(param)),
    maxAge: () => maxAgeFrom(readMaxAgeParameter(single('max_age')), usedAliases),
    confirm: () => readConfirm(single('confirm')),
    budgetMs: () => readBudget(wholeNumberIn(single('budget_ms'))),
  };
}

/**
 * Returns the value of a parameter, or undefined if it is absent. Throws `invalid_parameter` if it
 * is repeated.
 */
export function singleValue(query: URLSearchParams, param: string): string | undefined {
  const [value, second] = query.getAll(param);
  if (second !== undefined) throw invalidParameter(param, `${param} is repeated. Send it once.`);
  return value;
}

function wholeNumberIn(text: string | undefined): number | undefined {
  return text === undefined ? undefined : /^\s*\d+\s*$/.test(text) ? Number(text) : Number.NaN;
}

export interface PageSizes {
  readonly default: number;
  readonly max: number;
}

/**
 * Returns the size of a page, by default that of the list. Throws `invalid_parameter`, which names
 * `param`, if it is not a whole number or exceeds the maximum.
 */
export function pageSizeOf(
  size: number | null | undefined,
  sizes: PageSizes,
  param: string,
): number {
  const value = size ?? sizes.default;
  if (!Number.isInteger(value) || value < 1 || value > sizes.max)
    throw invalidParameter(param, `${param} must be a whole number from 1 to ${sizes.max}.`);
  return value;
}

// Larger values are clamped: GraphQL's Int has 32 bits, and answers are stored for 30 days at most.
const maxAgeSeconds = 2_592_000;

/** Reads `max_age` from a query, in seconds. Throws `invalid_max_age`. */
export function readMaxAgeParameter(text: string | undefined): number | undefined {
  const seconds = wholeNumberIn(text);
  return readMaxAge(seconds && Math.min(seconds, maxAgeSeconds));
}

/** Reads a maximum age from a body: seconds, or null for none. Throws `invalid_max_age`. */
export function readMaxAge(value: unknown, param = 'max_age'): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (!Number.isInteger(value) || Number(value) < 0) {
    throw new Problem('invalid_max_age', `${param} must be a whole number of seconds, 0 or more.`, {
      param,
    });
  }
  return Math.min(Number(value), maxAgeSeconds);
}

/** Reads `confirm` from a query or a body; null for none. Throws `invalid_parameter`. */
export function readConfirm(value: unknown, param = 'confirm'): Confirm | undefined {
  if (value === undefined || value === null) return undefined;
  const confirm = confirmNamed(value);
  if (!confirm) throw invalidParameter(param, `${param} must be ${confirmNames.join(' or ')}.`);
  return confirm;
}

/** The largest time budget of a REST request. */
export const maxBudgetMs = 60_000;

/** Reads a time budget from a body: milliseconds, or null for none. Throws `invalid_parameter`. */
export function readBudget(value: unknown, param = 'budget_ms'): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (!Number.isInteger(value) || Number(value) < 0 || Number(value) > maxBudgetMs) {
    throw invalidParameter(
      param,
      `${param} must be a whole number of milliseconds from 0 to ${maxBudgetMs}.`,
    );
  }
  return Number(value);
}
