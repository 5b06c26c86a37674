import { z } from 'zod';
import { asTyped } from '../domain/domain-name.ts';
import { Problem, type Culprit } from '../problems.ts';
import { missing, readMaxAge } from './parameters.ts';

/** A bulk call, read: the inputs in order, every pair of names and TLDs joined. */
export interface Bulk {
  readonly inputs: readonly string[];
  readonly maxAge: number | undefined;
}

const strings = z.array(z.string()).nullish();
const shape = z.object({
  domains: strings,
  names: strings,
  tlds: strings,
  max_age: z.unknown(),
  options: z.object({ max_age: z.unknown() }).nullish(),
});

/** Reads the body of a bulk call of at most `mostInputs` inputs. Throws a `Problem` that names every culprit. */
export function readBulk(body: unknown, mostInputs: number): Bulk {
  const parsed = shape.safeParse(body);
  if (!parsed.success)
    throw invalid(parsed.error.issues.map(({ path, message }) => ({ param: path.join('.') || 'body', detail: message })));
  const { domains, names, tlds, max_age: age, options } = parsed.data;
  if (domains && (names || tlds)) throw invalid([{ param: 'domains', detail: 'Give domains, or names and tlds, not both.' }]);
  if (!domains && !names && !tlds) throw invalid([{ param: 'domains', detail: 'Give domains, or names and tlds.' }]);
  const maxAge = readMaxAge(options?.max_age ?? age);
  const lists = domains ? { domains } : { names: names ?? [], tlds: tlds ?? [] };
  for (const [param, list] of Object.entries(lists)) if (list.length === 0) throw missing(param);
  const inputs = domains?.length ?? (names?.length ?? 0) * (tlds?.length ?? 0);
  if (inputs > mostInputs) throw new Problem('too_many_lookups', `This asks for ${inputs} results; ask for at most ${mostInputs} at once.`);
  return { inputs: domains ?? (names ?? []).flatMap((name) => (tlds ?? []).map((tld) => asTyped(name, tld))), maxAge };
}

function invalid(culprits: readonly Omit<Culprit, 'code'>[]): Problem {
  const errors = culprits.slice(0, 10).map((culprit) => ({ ...culprit, code: 'invalid_body' as const }));
  const [first] = errors;
  return new Problem('invalid_body', first ? `${first.param}: ${first.detail}` : 'The body is not valid.', {
    ...(first && { param: first.param }),
    errors,
  });
}
