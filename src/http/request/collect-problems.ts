import { Problem, type Culprit } from '../../domain/problems.ts';

type Values<Readers> = {
  readonly [Name in keyof Readers]: Readers[Name] extends () => infer Value ? Value : never;
};

/** More would not be read. */
export const mostCulprits = 10;

/** Reads every part of a call before anything is refused. Throws the first `Problem`; where there are several, with all culprits. */
export function readAll<Readers extends Readonly<Record<string, () => unknown>>>(
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
  if (first && others.length > 0) throw withCulprits(first, problems.flatMap(culpritsOf));
  if (first) throw first;
  return Object.fromEntries(values) as Values<Readers>;
}

function withCulprits({ code, message, param }: Problem, culprits: readonly Culprit[]): Problem {
  // A body that is no object is at fault for every part of it.
  const different = Array.from(
    new Map(culprits.map((culprit) => [`${culprit.code} ${culprit.param}`, culprit])).values(),
  );
  return new Problem(code, message, {
    ...(param !== undefined && { param }),
    errors: different.slice(0, mostCulprits),
  });
}

function culpritsOf({ code, message, param = '', errors }: Problem): readonly Culprit[] {
  return errors ?? [{ param, code, detail: message }];
}
