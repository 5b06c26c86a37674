import { wasRegisteredAt, type AccuracySample, type Accuracy } from '../domain/accuracy.ts';
import { clopperPearson, type Interval } from '../domain/binomial.ts';
import type { Directory } from '../domain/directory.ts';
import { splitName, tldOf, type DomainName } from '../domain/names/domain-name.ts';
import { recordQuery } from './answer-observation.ts';
import { DueNames, type ClaimedName, type PollingParts } from './polling/due-names.ts';
import type { HostSlots } from './host-slots.ts';
import { dayMs, hourMs, minuteMs } from './schedule.ts';

export interface AccuracyLedgerOptions extends PollingParts {
  /** The share of AVAILABLE answers that is judged again, 0 to 1. */
  readonly share: number;
  readonly sample: AccuracySample;
  /** Returns whether the registry of a TLD publishes when names were registered. */
  readonly isDated: (tld: string) => boolean;
  readonly directory: Directory;
  /** The slots of the watches, to which samples give way. */
  readonly slots: HostSlots;
  readonly random: () => number;
}

/** A sampled answer, given at a time in epoch ms, and how often it was judged. */
interface Row {
  readonly answeredAt: number;
  readonly judged: number;
}

/** When an answer is judged, after it was given. */
const delaysMs = [hourMs, dayMs] as const;
/** An answer that could not be judged for so long after a delay is dropped. */
const patienceMs = dayMs;
const retryMs = 10 * minuteMs;
const maxInFlight = 16;

/** Judges a share of the AVAILABLE answers again, and counts per TLD how many were wrong. */
export class AccuracyLedger extends DueNames<Row> {
  readonly #options: AccuracyLedgerOptions;
  readonly #taking = new Set<Promise<void>>();

  constructor(options: AccuracyLedgerOptions) {
    const columns = 'answered_at AS "answeredAt", judged';
    super({ ...options, table: 'accuracy_looks', columns, maxInFlight });
    this.#options = options;
  }

  /** Samples answers from now on, and judges those that are due. */
  start(): void {
    const { sample, share, random, isDated } = this.#options;
    if (share > 0)
      sample.take = (name, answeredAt) => {
        const tld = tldOf(name);
        if (tld === 'test' || random() >= share || !isDated(tld)) return;
        const taking = this.#take(name, answeredAt).finally(() => this.#taking.delete(taking));
        this.#taking.add(taking);
      };

    this.wake();
  }

  override async stop(): Promise<void> {
    await super.stop();
    await Promise.all(this.#taking);
  }

  /** Resolves when all answers that were due are judged. */
  override async idle(): Promise<void> {
    await Promise.all(this.#taking);
    await super.idle();
  }

  /** Publishes the counts of all processes. */
  protected async prepare(): Promise<void> {
    const { sample, database } = this.#options;
    const rows = await database.query<Omit<Accuracy, keyof Interval>>(
      'SELECT tld, sampled, contradicted, since FROM accuracy ORDER BY tld',
    );

    sample.rows = rows.map((row) => ({
      ...row,
      ...clopperPearson(row.contradicted, row.sampled),
    }));
  }

  async #take(name: DomainName, answeredAt: number): Promise<void> {
    const { database, log } = this.#options;
    await database
      .query(
        `INSERT INTO accuracy_looks (name, answered_at, next_look, judged) VALUES ($1, $2, $3, 0)
         ON CONFLICT (name) DO NOTHING`,
        [name, answeredAt, answeredAt + delaysMs[0]],
      )
      .catch((error: unknown) => log.warn({ err: error }, 'A sample was lost. Check the store.'));
  }

  /** Judges an answer again. */
  protected async process(claim: ClaimedName<Row>): Promise<void> {
    const { directory, slots, clock } = this.#options;
    const { name, answeredAt, judged } = claim;
    const now = clock.now();
    const giveUpAt = answeredAt + (delaysMs[judged] ?? dayMs) + patienceMs;
    const resolved = directory.resolve(splitName(name));
    if ('problem' in resolved || now > giveUpAt) return this.#drop(claim);

    const host = resolved.registry.sources[0]?.endpoint;
    const slot = host ? slots.take(host, 'sample') : 0;
    if (slot > now) return this.postpone(claim, slot);

    const { data, provenance } = await resolved.registry.lookup(recordQuery(name), this.request());

    // What was aborted is due again when the claim ends.
    if (this.isStopping && !data) return;

    if (host && provenance.failure === 'busy') slots.slowDown(host);
    if (!data || provenance.stale) return this.postpone(claim, clock.now() + retryMs);

    const isFree = data.verdict === 'AVAILABLE' || data.verdict === 'RESERVED';
    const createdAt = isFree ? undefined : data.registration?.().createdAt;

    // A registration without a date may be older than the answer, or not.
    if (!isFree && createdAt === undefined) return this.#drop(claim);

    await this.#count(claim, createdAt !== undefined && wasRegisteredAt(createdAt, answeredAt));
  }

  /** Counts a judged answer, unless the claim has ended. The second look is only counted if it differs. */
  async #count(claim: ClaimedName<Row>, isContradicted: boolean): Promise<void> {
    const { name, answeredAt, judged, claimedUntil } = claim;
    const delayMs = isContradicted ? undefined : delaysMs[judged + 1];
    await this.#options.database.transaction(async (query) => {
      const ended =
        delayMs === undefined
          ? await query(deleteClaimed, [name, claimedUntil])
          : await query(
              'UPDATE accuracy_looks SET next_look = $3, judged = judged + 1 WHERE name = $1 AND next_look = $2 RETURNING name',
              [name, claimedUntil, answeredAt + delayMs],
            );
      if (ended.length === 0) return;
      await query(
        `INSERT INTO accuracy (tld, sampled, contradicted, since) VALUES ($1, $2, $3, $4)
         ON CONFLICT (tld) DO UPDATE SET sampled = accuracy.sampled + excluded.sampled,
           contradicted = accuracy.contradicted + excluded.contradicted,
           since = CASE WHEN excluded.since < accuracy.since THEN excluded.since ELSE accuracy.since END`,
        [tldOf(name), Number(judged === 0), Number(isContradicted), answeredAt],
      );
    });
  }

  async #drop({ name, claimedUntil }: ClaimedName<Row>): Promise<void> {
    await this.#options.database.query(deleteClaimed, [name, claimedUntil]);
  }
}

const deleteClaimed =
  'DELETE FROM accuracy_looks WHERE name = $1 AND next_look = $2 RETURNING name';
