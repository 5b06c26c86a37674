import type { Clock } from './clock.ts';
import { createLookup, type Lookup, type Wish } from './lookup.ts';
import { Problem } from './problems.ts';
import type { Directory } from './registries/directory.ts';

/** What a resolver may touch. One an operation, the same for both doors. */
export interface Context {
  readonly lookup: Lookup;
}

/** Who wants an operation run. */
export interface Caller {
  /** Aborted when the client leaves. */
  readonly signal: AbortSignal;
  readonly account: string;
}

/** Opens the context of one operation. Throws `too_many_lookups`: then nothing has run. */
export type OpenContext = (wishes: readonly Wish[], caller: Caller, patience: keyof Patience) => Context;

/** How long a lookup may wait for its turn to be sent, in milliseconds. */
export interface Patience {
  /** Where the client waits for the whole answer. */
  readonly inOnePiece: number;
  /** Where rows come one by one, and in bulk. */
  readonly streamed: number;
}

export interface ContextOptions {
  readonly directory: Directory;
  readonly clock: Clock;
  readonly patience: Patience;
  readonly maxLookups: number;
}

export function contextOpener({ directory, clock, patience, maxLookups }: ContextOptions): OpenContext {
  return (wishes, { signal, account }, kind) => {
    const names = new Set(wishes.flatMap((wish) => wish.names.map(({ domain }) => domain)));
    if (names.size > maxLookups) {
      throw new Problem('too_many_lookups', `This asks for ${names.size} names; ask for at most ${maxLookups} at once.`);
    }
    return { lookup: createLookup(wishes, { directory, clock, asker: { signal, account, sendBy: clock.now() + patience[kind] } }) };
  };
}
