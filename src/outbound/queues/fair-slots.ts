import type { Clock } from '../../clock.ts';
import type { LookupRequest } from '../../domain/source.ts';
import { addTo } from '../../shared/counts.ts';
import { setNewest } from '../../shared/lru.ts';
import { getOrInsert } from '../../shared/memoize.ts';

/** On whose behalf a slot is used. The deadline may become later while the request waits. */
export type SlotRequest = Pick<LookupRequest, 'account' | 'signal' | 'queueDeadline'>;

interface FairSlotsOptions {
  readonly maxInFlight: number;
  /** Slots of one key; unlimited by default. */
  readonly maxPerKey?: number;
  /** Slots of one address, whatever the keys; unlimited by default. */
  readonly maxPerAddress?: number;
  readonly clock: Clock;
}

type Waiter = (started: boolean) => void;

/** The key of a request, and its address if it is known. */
interface Place {
  readonly key: string;
  readonly address: string | undefined;
}

interface WaitersOfPlace {
  readonly place: Place;
  readonly waiters: Set<Waiter>;
}

/** The waiters of an account by place, in round-robin order of the places. */
type Waiters = Map<string, WaitersOfPlace>;

/**
 * Shares a limited number of slots between accounts. An account may have at most as many as are
 * free, so that other accounts can always start something. Further requests are queued round-robin
 * by account until their queue deadline. A key or address with all its slots in use delays only its
 * own requests: one that waits for either has neither. Accounts, keys and addresses without requests
 * use no memory.
 */
export class FairSlots {
  readonly #clock: Clock;
  readonly #maxPerKey: number;
  readonly #maxPerAddress: number;
  readonly #byAccount = new Map<string, number>();
  readonly #byKey = new Map<string, number>();
  readonly #byAddress = new Map<string, number>();
  /** In round-robin order: the account that started a request most recently is last. */
  readonly #waitersByAccount = new Map<string, Waiters>();
  #free: number;

  constructor(options: FairSlotsOptions) {
    this.#free = options.maxInFlight;
    this.#maxPerKey = options.maxPerKey ?? Infinity;
    this.#maxPerAddress = options.maxPerAddress ?? Infinity;
    this.#clock = options.clock;
  }

  /** The number of accounts, keys and addresses in memory. */
  get size(): number {
    const counts = [this.#byAccount, this.#byKey, this.#byAddress, this.#waitersByAccount];
    return counts.reduce((sum, { size }) => sum + size, 0);
  }

  /**
   * Waits for a slot. Returns a function that releases it, to be called once; undefined if the
   * request is aborted or its `queueDeadline` passes before.
   */
  async acquire(
    request: SlotRequest,
    key = '',
    address?: string,
  ): Promise<(() => void) | undefined> {
    const { account } = request;
    if (request.signal.aborted) return undefined;

    const place = { key, address };
    const isFirst = !this.#waitersByAccount.get(account)?.has(idOf(place));
    if (isFirst && this.#hasCapacity(account, place)) this.#count(account, place, 1);
    else if (!(await this.#wait(request, place))) return undefined;

    return () => {
      this.#count(account, place, -1);
      this.#startNext();
    };
  }

  #hasCapacity(account: string, { key, address }: Place): boolean {
    return (
      (this.#byAccount.get(account) ?? 0) < this.#free &&
      (this.#byKey.get(key) ?? 0) < this.#maxPerKey &&
      (address === undefined || (this.#byAddress.get(address) ?? 0) < this.#maxPerAddress)
    );
  }

  #count(account: string, { key, address }: Place, change: 1 | -1): void {
    this.#free -= change;
    addTo(this.#byAccount, account, change);
    addTo(this.#byKey, key, change);
    if (address !== undefined) addTo(this.#byAddress, address, change);
  }

  #wait(request: SlotRequest, place: Place): Promise<boolean> {
    const { account, signal } = request;
    return new Promise((resolve) => {
      const cancel = () => settle(false);
      const check = () =>
        void (request.queueDeadline < this.#clock.now()
          ? cancel()
          : (cancelTimer = this.#afterDeadline(request, check)));

      let cancelTimer = this.#afterDeadline(request, check);
      const settle: Waiter = (started) => {
        cancelTimer();
        signal.removeEventListener('abort', cancel);
        this.#remove(account, place, settle);
        resolve(started);
      };

      this.#add(account, place, settle);
      signal.addEventListener('abort', cancel, { once: true });
    });
  }

  #add(account: string, place: Place, waiter: Waiter): void {
    const waiters: Waiters = getOrInsert(this.#waitersByAccount, account, () => new Map());
    const newPlace = () => ({ place, waiters: new Set<Waiter>() });
    getOrInsert(waiters, idOf(place), newPlace).waiters.add(waiter);
  }

  #remove(account: string, place: Place, waiter: Waiter): void {
    const waiters = this.#waitersByAccount.get(account);
    const ofPlace = waiters?.get(idOf(place))?.waiters;
    ofPlace?.delete(waiter);
    if (ofPlace?.size === 0) waiters?.delete(idOf(place));
    if (waiters?.size === 0) this.#waitersByAccount.delete(account);
  }

  #afterDeadline({ queueDeadline }: SlotRequest, task: () => void): () => void {
    return this.#clock.after(Math.max(queueDeadline - this.#clock.now(), 0) + 1, task);
  }

  /** Starts at most one queued request per account, in round-robin order. */
  #startNext(): void {
    for (const [account, waiters] of Array.from(this.#waitersByAccount)) {
      if (this.#free === 0) return;

      const ofPlace = this.#firstWithCapacity(account, waiters);
      const [next] = ofPlace?.waiters ?? [];
      if (!ofPlace || !next) continue;

      setNewest(this.#waitersByAccount, account, waiters);
      setNewest(waiters, idOf(ofPlace.place), ofPlace);
      this.#count(account, ofPlace.place, 1);
      next(true);
    }
  }

  /** Takes time in proportion to the number of places whose slots are all in use. */
  #firstWithCapacity(account: string, waiters: Waiters): WaitersOfPlace | undefined {
    for (const ofPlace of waiters.values())
      if (this.#hasCapacity(account, ofPlace.place)) return ofPlace;
    return undefined;
  }
}

function idOf({ key, address = '' }: Place): string {
  return `${key} ${address}`;
}
