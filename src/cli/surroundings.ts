import type { Readable, Writable } from 'node:stream';
import type { Clock } from '../clock.ts';

/** Where a command runs. */
export interface Surroundings {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The folder for cached answers; undefined if there is none. */
  readonly cacheFolder: string | undefined;
  /** The standard streams, which Node opens when they are used. */
  readonly streams: Streams;
  /** The clock by which a command waits between looks: by default, that of the system. */
  readonly clock?: Clock | undefined;
}

export interface Streams {
  readonly stdin: Readable;
  readonly stdout: Output;
  readonly stderr: Output;
}

export type Output = Writable & { readonly isTTY?: boolean };

/** Prints a text and a line break. */
export function printLine(output: Output, text: string): void {
  output.write(`${text}\n`);
}
