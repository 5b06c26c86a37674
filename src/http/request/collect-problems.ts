import { Problem, type FieldError } from '../../domain/problems.ts';

type Values<Readers> = {
  readonly [Name in keyof Readers]: Readers[Name] extends () => infer Value ? Value : never;
};

/** More would not be read. */
export const maxFieldErrors = 10;

/** Reads every part of a call before anything is refused. Throws the first `Problem`; where there are several, with all culprits. */
export function collectProblems<Readers extends Readonly<Record<string, () => unknown>>>(
  readers: Readers,
): Values<Readers> {
  const problems: Problem[] = [];
  const values = Object.entries(readers).map(([name, read]) => {
    try {
      return [name, read()];
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      problems.push(error);
      return [name, undefined];
    }
  });
  const [first, ...others] = problems;
  if (first && others.length > 0) throw withFieldErrors(first, problems.flatMap(fieldErrorsOf));
  if (first) throw first;
  return Object.fromEntries(values) as Values<Readers>;
}

function withFieldErrors(
  { code, message, param }: Problem,
  fieldErrors: readonly FieldError[],
): Problem {
  // A body that is no object is at fault for every part of it.
  const distinct = Array.from(
    new Map(
      fieldErrors.map((fieldError) => [`${fieldError.code} ${fieldError.param}`, fieldError]),
    ).values(),
  );
  return new Problem(code, message, {
    ...(param !== undefined && { param }),
    errors: distinct.slice(0, maxFieldErrors),
  });
}

function fieldErrorsOf({ code, message, param = '', errors }: Problem): readonly FieldError[] {
  return errors ?? [{ param, code, detail: message }];
}
