import type { Asked } from '../domain/asked.ts';
import type { DomainName } from '../domain/domain-name.ts';
import { parts, type AskerKind, type Part, type Question } from '../domain/registry.ts';

/** What one field of an operation will ask for, known before anything runs. */
export interface Wish {
  readonly names: readonly Asked[];
  /** The field's arguments, from which they were read: who asks with the same object asks for them. */
  readonly args?: object;
  readonly maxAge: number | undefined;
  readonly part: Part;
  /** So is the registrar's own, which is not remembered with it. */
  readonly registrarRecord?: boolean;
  readonly kind: AskerKind;
  /** Its lookups go on when the answer is given: they may wait as those of a stream. */
  readonly patient?: boolean;
}

/** What is wanted of one name. */
export type Need = Omit<Question, 'name'>;

/** Of all that is asked for a name the strictest holds: the smallest `maxAge`, and the most that anybody wants. */
export function needsByName(wishes: readonly Wish[]): ReadonlyMap<DomainName, Need> {
  const needs = new Map<DomainName, Need>();
  for (const { names, maxAge, part } of wishes) {
    for (const asked of names) {
      if (!('problem' in asked)) needs.set(asked.domain, strictest(needs.get(asked.domain), maxAge, part));
    }
  }
  return needs;
}

function strictest(other: Need | undefined, maxAge: number | undefined, part: Part): Need {
  const ages = [maxAge, other?.maxAge].filter((age) => age !== undefined);
  return {
    maxAge: ages.length > 0 ? Math.min(...ages) : undefined,
    freshByDefault: maxAge === undefined || other?.freshByDefault === true,
    part: other && parts.indexOf(other.part) > parts.indexOf(part) ? other.part : part,
  };
}
