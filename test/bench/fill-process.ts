// Fills a file of answers: `fill-process.ts PATH NAMES`. Reports that it is ready when all are
// stored.
import { createLog } from '../../src/log.ts';
import { SqliteAnswers } from '../../src/storage/sqlite/answers.ts';
import { serveParent } from './part.ts';
import { typicalAnswer } from './servers/typical-answer.ts';

const [path = '', names] = process.argv.slice(2);
const store = new SqliteAnswers(path, createLog('warn'));
/** An hour ago, so that all are fresh. */
const startTime = Date.now() - 3_600_000;
const batchSize = 5000;
// The store's timer does not keep a process alive.
const keepAlive = setInterval(() => {}, 60_000);
for (let index = 0; index < Number(names); index += batchSize) {
  const batch = Array.from(
    { length: Math.min(batchSize, Number(names) - index) },
    (_, offset) => index + offset,
  );
  await Promise.all(
    batch.map((each) => store.putAnswer(typicalAnswer(each, startTime + Math.floor(each / 1000)))),
  );
}
clearInterval(keepAlive);
serveParent('filled', () => store.close());
