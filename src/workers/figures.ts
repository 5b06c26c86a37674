import { mergeSnapshots, remainsOf, type Snapshot } from '../metrics/snapshot.ts';
import type { Life } from './life.ts';

/** What all workers have counted, those that have ended too: no sum may go back. */
export interface SharedFigures {
  ofAll(lives: ReadonlySet<Life>): Promise<readonly Snapshot[]>;
  /** Of one that has just ended. What it counted after its figures were last asked for is lost. */
  keep(life: Life): void;
}

export function sharedFigures(): SharedFigures {
  let remains: Promise<readonly Snapshot[]> = Promise.resolve([]);
  return {
    async ofAll(lives) {
      const asked = Array.from(lives).filter(({ serves, figures }) => serves || figures);
      await Promise.all(asked.map((life) => life.askForFigures()));
      // In one turn, so that one that has ended meanwhile stands on one side only.
      const [living, ended] = [asked.filter((life) => lives.has(life)), remains];
      return [...(await ended), ...living.map(({ figures }) => figures).filter((figures) => figures !== undefined)];
    },
    keep({ figures }) {
      if (figures) remains = remains.then(async (earlier) => [await mergeSnapshots([...earlier, remainsOf(figures)])]);
    },
  };
}
