import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { replaces, type AnswerStore, type StoredAnswer } from '../../cache/store.ts';
import { systemClock } from '../../clock.ts';
import type { DomainName } from '../../domain/domain-name.ts';
import type { Log } from '../../log.ts';
import { openMendedAnswersFile } from './mended.ts';

/** Keeps answers in a SQLite file, which is made when missing and made anew when broken. Throws when the path cannot be used. */
export function openSqliteAnswers(path: string, log: Log): AnswerStore {
  const foundIn = { memory: 0, store: 0 };
  const file = openMendedAnswersFile(path, foundIn, log);
  const waiting = new Map<DomainName, StoredAnswer>();
  // What could not be written hides what is older in the file: a "free" must not come back.
  const unwritten = new Map<DomainName, StoredAnswer>();
  let writing: Promise<void> | undefined;
  /** How often something was asked or put. */
  let used = 0;
  /** When what waits is written although somebody asks. */
  let latest = 0;
  const closing = new AbortController();

  // Few transactions for all that is learned together, and when those who asked have their answers: a third of the cost of one for each.
  async function writeSoon(): Promise<void> {
    latest = systemClock.elapsed() + longestMs;
    try {
      let before: number | undefined;
      while (waiting.size > 0) {
        // Who asks meanwhile goes first.
        if (used !== before && mayWait()) await untilQuiet();
        before = used;
        writeSome(waiting);
        await nextTurn();
      }
    } finally {
      for (const name of waiting.keys()) setAside(name);
      for (const name of [...unwritten.keys()].slice(0, -mostUnwritten)) unwritten.delete(name);
      writing = undefined;
    }
    tryAgain();
  }

  function mayWait(): boolean {
    return systemClock.elapsed() < latest;
  }

  async function untilQuiet(): Promise<void> {
    let before: number;
    do {
      before = used;
      await delay(quietMs, undefined, { signal: closing.signal }).catch(() => undefined);
    } while (used > before && mayWait());
  }

  /** Those that cannot be written are set aside. */
  function writeSome(from: ReadonlyMap<DomainName, StoredAnswer>): void {
    const some = [...from.values()].slice(0, writtenAtOnce);
    for (const { name } of some) setAside(name);
    file.write(some);
    for (const { name } of some) unwritten.delete(name);
  }

  /** As the last, so that others are tried before it. */
  function setAside(name: DomainName): void {
    const answer = waiting.get(name) ?? unwritten.get(name);
    waiting.delete(name);
    unwritten.delete(name);
    if (answer) unwritten.set(name, answer);
  }

  function tryAgain(): void {
    try {
      if (unwritten.size > 0) writeSome(unwritten);
    } catch {
      // Whoever put them has heard of it.
    }
  }

  /** A "free" in the file must not come back in a crash either. */
  function contradicts({ name, verdict }: StoredAnswer): boolean {
    try {
      return verdict !== 'AVAILABLE' && file.isFree(name);
    } catch {
      return true; // who writes will hear of it
    }
  }

  async function untilDone(forgetSome: () => boolean): Promise<void> {
    while (!closing.signal.aborted && forgetSome()) await nextTurn();
  }

  return {
    found: foundIn,
    async getMany(names, extent) {
      used += 1;
      const found = file.read(names, extent);
      for (const name of names) {
        for (const learned of [unwritten, waiting]) {
          const answer = learned.get(name);
          if (!answer || !replaces(answer, found.get(name))) continue;
          if (!found.has(name)) foundIn.memory += 1;
          found.set(name, answer);
        }
      }
      return found;
    },

    put(answer) {
      const { name } = answer;
      used += 1;
      if (replaces(answer, waiting.get(name) ?? unwritten.get(name))) waiting.set(name, answer);
      writing ??= writeSoon();
      if (contradicts(answer)) latest = 0;
      return writing;
    },

    read: async (prefix) => file.readNotes(prefix),
    write: async (key, note) => file.writeNote(key, note),
    writeFirst: async (key, note) => file.writeFirstNote(key, note),
    forget: async (key, note) => file.forgetNote(key, note),

    async sweep(answersBefore, recordsBefore) {
      await writing;
      await untilDone(() => file.forgetSomeAnswers(answersBefore));
      await untilDone(() => file.forgetSomeRecords(recordsBefore));
      if (!closing.signal.aborted) file.emptyLog();
    },

    async close() {
      closing.abort();
      await writing?.catch(() => undefined);
      try {
        while (unwritten.size > 0) writeSome(unwritten);
      } finally {
        file.close();
      }
    },
  };
}

/** Some 2 ms, in which nobody is served. */
const writtenAtOnce = 20;
/** Some of them are tried again whenever others were written. */
const mostUnwritten = 1000;
/** Whoever searches has his answers when nothing has come for so long: to write takes half as long as to ask. */
const quietMs = 25;
/** What is not written yet is lost in a crash, and can be asked again; see `contradicts`. */
const longestMs = 1000;
