import type { Clock } from '../../clock.ts';
import type { ObservedFields, Publishes } from '../../domain/catalogue.ts';
import {
  byField,
  publishedFields,
  publishedIn,
  type PublishedField,
  type Registration,
} from '../../domain/registration.ts';
import table from './published-fields.json' with { type: 'json' };

type Documented = Readonly<Partial<Record<PublishedField, boolean>>>;

const documented: ReadonlyMap<string, Documented> = new Map(
  table.flatMap(({ tlds, ...fields }) => tlds.split(' ').map((tld) => [tld, fields] as const)),
);

const dayMs = 24 * 60 * 60 * 1000;
const maxDays = 30;

/** The registrations of one day, and how many have each field. */
type DayCounts = Record<PublishedField | 'registrations', number>;

/** Knows which fields registries publish: what is documented, and what this process has read. */
export class PublishedFields {
  readonly #clock: Clock;
  readonly #days = new Map<string, Map<number, DayCounts>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts a registration that its registry has just returned. */
  record(tld: string, registration: Registration): void {
    const today = this.#today();
    const days = this.#days.get(tld) ?? new Map<number, DayCounts>();
    this.#days.set(tld, days);
    for (const day of days.keys()) if (day <= today - maxDays) days.delete(day);
    const counts = days.get(today) ?? noCounts();
    days.set(today, counts);
    counts.registrations += 1;
    for (const field of publishedFields) if (publishedIn(registration, field)) counts[field] += 1;
  }

  /** Returns what the registry of a TLD publishes. */
  of(tld: string): Publishes {
    return {
      documented: byField((field) => documented.get(tld)?.[field] ?? null),
      observed: () => this.#observed(tld),
    };
  }

  #observed(tld: string): ObservedFields {
    const sum = noCounts();
    for (const [day, counts] of this.#days.get(tld) ?? [])
      if (day > this.#today() - maxDays) for (const key of countKeys) sum[key] += counts[key];
    const { registrations, ...found } = sum;
    const share = (field: PublishedField) => (registrations ? found[field] / registrations : null);
    return { registrations, shares: byField(share) };
  }

  #today(): number {
    return Math.floor(this.#clock.now() / dayMs);
  }
}

const countKeys = [...publishedFields, 'registrations'] as const;

function noCounts(): DayCounts {
  return { ...byField(() => 0), registrations: 0 };
}
