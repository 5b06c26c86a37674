import type { FoundIn } from '../../cache/store.ts';
import type { Log } from '../../log.ts';
import { openAnswersFile, type AnswersFile } from './answers-file.ts';
import { isBroken, setAside } from './broken.ts';

/** Opens the answers; a file that turns out to be broken, now or in use, is set aside and made anew, empty. */
export function openMendedAnswersFile(path: string, found: FoundIn, log: Log): AnswersFile {
  let file = openOrReplace();

  function openOrReplace(): AnswersFile {
    try {
      return openAnswersFile(path, found);
    } catch (error) {
      return replace(error);
    }
  }

  function replace(error: unknown): AnswersFile {
    if (!isBroken(error)) throw error;
    log.warn({ file: path, setAside: setAside(path), err: error }, 'answers file was broken: set aside and made anew');
    return openAnswersFile(path, found);
  }

  function use<T>(work: (file: AnswersFile) => T): T {
    try {
      return work(file);
    } catch (error) {
      if (!isBroken(error)) throw error;
      file.close();
      file = replace(error);
      return work(file);
    }
  }

  return {
    read: (names, extent) => use((answers) => answers.read(names, extent)),
    isFree: (name) => use((answers) => answers.isFree(name)),
    write: (learned) => use((answers) => answers.write(learned)),
    forgetSomeAnswers: (before) => use((answers) => answers.forgetSomeAnswers(before)),
    forgetSomeRecords: (before) => use((answers) => answers.forgetSomeRecords(before)),
    readNotes: (prefix) => use((answers) => answers.readNotes(prefix)),
    writeNote: (key, note) => use((answers) => answers.writeNote(key, note)),
    writeFirstNote: (key, note) => use((answers) => answers.writeFirstNote(key, note)),
    forgetNote: (key, note) => use((answers) => answers.forgetNote(key, note)),
    emptyLog: () => use((answers) => answers.emptyLog()),
    close: () => file.close(),
  };
}
