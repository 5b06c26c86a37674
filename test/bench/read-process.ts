// Looks names up in a file of answers: `read-process.ts PATH NAMES`. Each time the file is opened anew, and each name looked up once: what a
// process remembers of its last look-ups has nothing to do with how many are stored. Tells the microseconds that a name took.
import { createLog } from '../../src/log.ts';
import { openSqliteAnswers } from '../../src/storage/sqlite/answers.ts';
import { serveParent } from './part.ts';
import { nameOf } from './typical-answer.ts';

const [path = '', names] = process.argv.slice(2);
const together = 100;
const lookUps = 10;

serveParent('ready', async () => {
  const store = openSqliteAnswers(path, createLog('warn'));
  const wanted = new Set<number>();
  while (wanted.size < lookUps * together) wanted.add(Math.floor(Math.random() * Number(names)));
  const asked = Array.from(wanted, nameOf);
  // The first look-up opens the file.
  await store.getMany([nameOf(Number(names))]);
  const from = performance.now();
  for (let first = 0; first < asked.length; first += together) {
    const found = await store.getMany(asked.slice(first, first + together));
    if (found.size !== together) throw new Error('a name that is stored was not found');
  }
  const took = performance.now() - from;
  await store.close();
  return (took / asked.length) * 1000;
});
