import type { Clock } from '../clock.ts';
import type { Asker } from '../domain/registry.ts';

/** Something that an asker waits for. */
export interface Wait {
  /** He has left. */
  left(): void;
  /** The time is over by which he wants it sent. */
  late(): void;
}

/** Tells a wait of its asker until the returned function is called. */
export type Attend = (asker: Asker, wait: Wait) => () => void;

/** One listener and one timer for all that an asker waits for: he may wait for hundreds of names, and a signal compares each listener with all. */
export function attending(clock: Clock): Attend {
  const groups = new WeakMap<Asker, Group>();

  function begin(asker: Asker): Group {
    const waits = new Set<Wait>();
    const tellLeft = () => waits.forEach((wait) => wait.left());
    const cancelTimer = clock.after(asker.sendBy - clock.now() + 1, () => {
      // Who begins to wait now is late by a timer of his own.
      groups.delete(asker);
      waits.forEach((wait) => wait.late());
    });
    asker.signal.addEventListener('abort', tellLeft, { once: true });
    const end = () => {
      cancelTimer();
      asker.signal.removeEventListener('abort', tellLeft);
      if (groups.get(asker)?.waits === waits) groups.delete(asker);
    };
    const group = { waits, end };
    groups.set(asker, group);
    return group;
  }

  return (asker, wait) => {
    const { waits, end } = groups.get(asker) ?? begin(asker);
    waits.add(wait);
    return () => {
      waits.delete(wait);
      if (waits.size === 0) end();
    };
  };
}

interface Group {
  readonly waits: Set<Wait>;
  readonly end: () => void;
}
