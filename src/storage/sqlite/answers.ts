import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { replaces, type AnswerStore, type StoredAnswer } from '../../cache/store.ts';
import type { DomainName } from '../../domain/domain-name.ts';
import type { Log } from '../../log.ts';
import { openMendedAnswersFile } from './mended.ts';

/** Keeps answers in a SQLite file, which is made when missing and made anew when broken. Throws when the path cannot be used. */
export function openSqliteAnswers(path: string, log: Log): AnswerStore {
  const foundIn = { memory: 0, store: 0 };
  const file = openMendedAnswersFile(path, foundIn, log);
  const waiting = new Map<DomainName, StoredAnswer>();
  let writing: Promise<void> | undefined;
  const closing = new AbortController();

  // Few transactions for all that is learned in that time, and when those who asked have their answers: a third of the cost of one for each.
  async function writeSoon(): Promise<void> {
    await delay(gatheredForMs, undefined, { signal: closing.signal }).catch(() => undefined);
    try {
      while (waiting.size > 0) {
        const some = [...waiting.values()].slice(0, writtenAtOnce);
        file.write(some);
        for (const answer of some) waiting.delete(answer.name);
        await nextTurn();
      }
    } finally {
      // What could not be written is asked again.
      waiting.clear();
      writing = undefined;
    }
  }

  async function untilDone(forgetSome: () => boolean): Promise<void> {
    while (!closing.signal.aborted && forgetSome()) await nextTurn();
  }

  return {
    found: foundIn,
    async getMany(names, extent) {
      const found = file.read(names, extent);
      for (const name of names) {
        const answer = waiting.get(name);
        if (answer && replaces(answer, found.get(name))) found.set(name, answer);
      }
      return found;
    },

    put(answer) {
      if (replaces(answer, waiting.get(answer.name))) waiting.set(answer.name, answer);
      return (writing ??= writeSoon());
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
      try {
        await writing;
      } finally {
        file.close();
      }
    },
  };
}

/** Some 5 ms, in which nobody is served. */
const writtenAtOnce = 50;
/** What is not written yet is lost in a crash, and can be asked again. Most searches are over by then. */
const gatheredForMs = 100;
