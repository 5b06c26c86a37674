import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import type { Allowance, LaneLimits } from './allowance.ts';
import type { Fleet } from './fleet.ts';
import { tokenBucket } from './token-bucket.ts';

export interface FleetAllowanceOptions {
  readonly fleet: Fleet;
  readonly origin: string;
  /** Of all nodes together. */
  readonly limits: LaneLimits;
  readonly clock: Clock;
  readonly lane: Gate;
}

/** The lane that takes what is granted. */
export interface Gate {
  /** There may be leave for those who wait. */
  advance(): void;
  /** The host wants to be left alone until then. */
  closeUntil(until: number): void;
}

/** When a node on its own looks again for a request of its share to have come back, or for the fleet. */
const aloneMs = 250;
/** How often a node says that what it has in flight still is. */
const renewMs = 700;

/**
 * Leave that all nodes share. While they can agree there are never more in flight than `concurrency`, never more in a day than `perDay`, and
 * in any stretch of time no more than a burst and `rate`, but for the milliseconds between leave and sending. A node that cannot reach the
 * others goes on with its share, one of as many parts as there were nodes of what was last known to be left, and one request in flight at
 * least; what it sends so is counted afterwards. Such a time may cost the registry one burst more, and where it begins and where it ends, for
 * as long as a request takes, twice as many in flight.
 */
export function fleetAllowance({ fleet, origin, limits, clock, lane }: FleetAllowanceOptions): Allowance {
  // What the fleet has left, reckoned from what it last said.
  const bucket = tokenBucket(limits, clock);
  let leftToday = limits.perDay ?? Infinity;
  let inFlight = 0;
  let granted = 0;
  let unused = 0;
  let wanted = 0;
  let closedUntil = 0;
  let nextAt = 0;
  let cancelRenewal: (() => void) | undefined;
  let asking = false;
  /** The fleet does not know yet how this node stands. */
  let changed = false;
  /** The fleet keeps a place for this node among those who wait. */
  let queued = false;

  async function ask(): Promise<void> {
    asking = true;
    // All who come in one turn of the event loop ask together.
    await nextTurn();
    changed = false;
    cancelRenewal?.();
    const given = { back: unused, wanted };
    try {
      const closedMs = Math.max(closedUntil - clock.now(), 0);
      const leave = await fleet.turn(origin, limits, { held: inFlight + granted, unused, wanted, closedMs });
      unused -= given.back;
      granted += leave.granted;
      queued = leave.granted < given.wanted;
      bucket.set(leave.tokensLeft);
      leftToday = leave.leftToday ?? Infinity;
      nextAt = clock.now() + Math.max(leave.waitMs, 1);
      if (leave.closedMs > 0) lane.closeUntil(clock.now() + leave.closedMs);
    } catch {
      goAlone();
    }
    asking = false;
    cancelRenewal = inFlight + granted > 0 ? clock.after(renewMs, renew) : undefined;
    lane.advance();
  }

  function renew(): void {
    changed = true;
    lane.advance();
  }

  function goAlone(): void {
    const free = Math.max(Math.floor(limits.concurrency / fleet.nodes), 1) - inFlight - granted;
    let taken = 0;
    // The others are taken to send as much.
    while (taken < Math.min(wanted, free) && leftToday >= 1 && bucket.take(fleet.nodes)) {
      leftToday -= fleet.nodes;
      taken += 1;
    }
    granted += taken;
    unused -= taken;
    nextAt = taken < free && leftToday >= 1 ? Math.max(bucket.readyAt(1), clock.now() + 1) : clock.now() + aloneMs;
  }

  const forget = fleet.listen(origin, (closedMs) => {
    if (closedMs > 0) lane.closeUntil(clock.now() + closedMs);
    else nextAt = 0;
    lane.advance();
  });

  return {
    take() {
      if (granted === 0) return false;
      granted -= 1;
      inFlight += 1;
      return true;
    },
    want(requests) {
      wanted = requests;
      if (asking) return;
      if (requests === 0 && (granted > 0 || queued)) {
        unused += granted;
        granted = 0;
        queued = false;
        changed = true;
      }
      if (changed || (requests > 0 && clock.now() >= nextAt)) void ask();
    },
    readyAt(requests) {
      const missing = requests - granted;
      return Math.max(bucket.readyAt(missing), missing > leftToday ? nextAt : clock.now());
    },
    get nextAt() {
      return asking ? Infinity : nextAt;
    },
    end() {
      inFlight -= 1;
      changed = true;
    },
    close(until) {
      closedUntil = until;
      changed = true;
    },
    get whole() {
      return bucket.readyAt(limits.burst) <= clock.now() && leftToday >= (limits.perDay ?? 0);
    },
    forget,
  };
}
