import { Problem, type FieldError } from '../../domain/problems.ts';

type Values<Readers> = {
  readonly [Name in keyof Readers]: Readers[Name] extends () => infer Value ? Value : never;
};

/** The maximum number of errors in one response. */
export const maxFieldErrors = 10;

/**
 * Reads every part of a request before rejecting it. Throws the first `Problem`; if there are
 * several, its `errors` lists all of them.
 */
export function collectProblems<Readers extends Readonly<Record<string, () => unknown>>>(
  readers: Readers,
): Values<Readers> {
  const problems: Problem[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, read] of Object.entries(readers)) {
    try {
      values[name] = read();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      problems.push(error);
    }
  }

  const [first, ...others] = problems;
  if (first && others.length > 0) throw withFieldErrors(first, problems.flatMap(fieldErrorsOf));
  if (first) throw first;

  return values as Values<Readers>;
}

function withFieldErrors(
  { code, message, param }: Problem,
  fieldErrors: readonly FieldError[],
): Problem {
  // A body that is not an object causes the same error for each of its parts.
  const distinct = Array.from(
    new Map(
      fieldErrors.map((fieldError) => [`${fieldError.code} ${fieldError.param}`, fieldError]),
    ).values(),
  );
  return new Problem(code, message, { param, errors: distinct.slice(0, maxFieldErrors) });
}

function fieldErrorsOf({ code, message, param = '', errors }: Problem): readonly FieldError[] {
  return errors ?? [{ param, code, detail: message }];
}
