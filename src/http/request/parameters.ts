import { Problem } from '../../domain/problems.ts';

/** Reads the query of a REST call. A parameter at fault is named in the problem. */
export interface QueryParameters {
  /** A single value; undefined when it is not given. Throws when it is repeated or empty. */
  single(param: string): string | undefined;
  /** Returns the values of a list, comma-separated or repeated; undefined when it is not given. Throws when there is nothing in it. */
  list(param: string): readonly string[] | undefined;
  /** Returns whether a list is given. */
  hasList(param: string): boolean;
}

export function readParameters(query: URLSearchParams): QueryParameters {
  // axios, PHP and Rails write a list as `tlds[]=com&tlds[]=net`.
  const listValues = (param: string) => [...query.getAll(param), ...query.getAll(`${param}[]`)];
  return {
    single(param) {
      const value = singleValue(query, param);
      if (value?.trim() === '') throw missingParameter(param);
      return value;
    },
    list(param) {
      const values = listValues(param);
      if (values.length === 0) return undefined;
      const entries = values.flatMap((value) =>
        value.split(',').filter((entry) => entry.trim() !== ''),
      );
      if (entries.length === 0) throw missingParameter(param);
      return entries;
    },
    hasList: (param) => listValues(param).length > 0,
  };
}

/** The value of a parameter; undefined when it is not given. Throws `invalid_parameter` when it is repeated. */
export function singleValue(query: URLSearchParams, param: string): string | undefined {
  const [value, second] = query.getAll(param);
  if (second !== undefined)
    throw new Problem('invalid_parameter', `${param} is given more than once; give it once.`, {
      param,
    });
  return value;
}

/** Reads the value of a parameter, which the problem with it names. */
export function readParameter<Value>(param: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    throw error instanceof Problem ? new Problem(error.code, error.message, { param }) : error;
  }
}

export function missingParameter(param: string): Problem {
  return new Problem('missing_parameter', `${param} is missing or empty.`, { param });
}

// GraphQL's Int has 32 bits; nothing is stored for longer than this anyway.
const maxAgeSeconds = 2_592_000;

/** `max_age` from a query. Throws `invalid_max_age`. */
export function readMaxAgeParameter(text: string | undefined): number | undefined {
  return readMaxAge(
    text !== undefined && /^\s*\d+\s*$/.test(text) ? Math.min(Number(text), maxAgeSeconds) : text,
  );
}

/** An age from a body: a number, or null for none. Throws `invalid_max_age`, which names `param`. */
export function readMaxAge(value: unknown, param = 'max_age'): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (!Number.isInteger(value) || Number(value) < 0) {
    throw new Problem('invalid_max_age', `${param} must be a whole number of seconds, 0 or more.`, {
      param,
    });
  }
  return Math.min(Number(value), maxAgeSeconds);
}

/** The largest time budget of a REST call. */
export const maxBudgetMs = 60_000;

/** Reads `budget_ms` from a query. Throws `invalid_parameter`. */
export function readBudgetParameter(text: string | undefined): number | undefined {
  return readBudget(text !== undefined && /^\s*\d+\s*$/.test(text) ? Number(text) : text);
}

/** Reads a time budget from a body: a number, or null for none. Throws `invalid_parameter`, which names `param`. */
export function readBudget(value: unknown, param = 'budget_ms'): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (!Number.isInteger(value) || Number(value) < 0 || Number(value) > maxBudgetMs) {
    throw new Problem(
      'invalid_parameter',
      `${param} must be a whole number of milliseconds from 0 to ${maxBudgetMs}.`,
      { param },
    );
  }
  return Number(value);
}
