import { z } from 'zod';
import { maxAgeFrom, type UsedAlias } from '../deprecations.ts';
import { asTyped } from '../domain/domain-name.ts';
import { Problem, type Culprit } from '../problems.ts';
import { missing, readMaxAge } from './parameters.ts';

/** A bulk call, read: the inputs in order, every pair of names and TLDs joined. */
export interface Bulk {
  readonly inputs: readonly string[];
  /** The member that holds them, or the first parts of them. */
  readonly namesParam: 'domains' | 'names';
  readonly maxAge: number | undefined;
}

const strings = z.array(z.string('a string'), 'an array of strings').nullish();
/** The members of the body; OpenAPI is printed from here too. */
export const bulkShape = z.object(
  {
    domains: strings,
    names: strings,
    tlds: strings,
    max_age: z.unknown().optional(),
    options: z.object({ max_age: z.unknown().optional() }, 'an object').nullish(),
  },
  'a JSON object',
);

/** Reads the body of a bulk call of at most `mostInputs` inputs. Throws a `Problem` that names every culprit. */
export function readBulk(body: unknown, mostInputs: number, used: readonly UsedAlias[]): Bulk {
  const parsed = bulkShape.safeParse(body);
  if (!parsed.success) {
    const params = parsed.error.issues.map(({ path, message }) => ({ param: path.join('.') || 'body', wanted: message }));
    throw invalid(params.map(({ param, wanted }) => ({ param, detail: `${param} must be ${wanted}.` })));
  }
  const { domains, names, tlds, max_age: age, options } = parsed.data;
  if (domains && (names || tlds)) throw invalid([{ param: 'domains', detail: 'Give domains, or names and tlds, not both.' }]);
  if (!domains && !names && !tlds) throw invalid([{ param: 'domains', detail: 'Give domains, or names and tlds.' }]);
  const maxAge = maxAgeFrom(readMaxAge(options?.max_age, 'options.max_age') ?? readMaxAge(age), used);
  const lists = domains ? { domains } : { names: names ?? [], tlds: tlds ?? [] };
  for (const [param, list] of Object.entries(lists)) if (list.length === 0) throw missing(param);
  const inputs = domains?.length ?? (names?.length ?? 0) * (tlds?.length ?? 0);
  const namesParam = domains ? 'domains' : 'names';
  if (inputs > mostInputs) {
    throw new Problem('too_many_lookups', `This asks for ${inputs} results; ask for at most ${mostInputs} at once.`, { param: namesParam });
  }
  return { inputs: domains ?? (names ?? []).flatMap((name) => (tlds ?? []).map((tld) => asTyped(name, tld))), namesParam, maxAge };
}

function invalid(culprits: readonly Omit<Culprit, 'code'>[]): Problem {
  const errors = culprits.slice(0, 10).map((culprit) => ({ ...culprit, code: 'invalid_body' as const }));
  const [first] = errors;
  return new Problem('invalid_body', first?.detail ?? 'The body is not valid.', { ...(first && { param: first.param }), errors });
}
