import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import * as v from 'valibot';
import { jsonIn } from '../../shared/shapes.ts';
import { lockFile } from '../../storage/sqlite/file-lock.ts';
import { CommandError, usageError, exitCodes } from '../command-error.ts';
import { reasonOf } from '../../shared/reason-of.ts';

const format = 'rdap-gateway-watch/1';
const members = v.record(v.string(), v.unknown());
const candidate = v.looseObject({ facts: members, since: v.number(), waitUntil: v.number() });
const held = { facts: members, seen: members, candidates: v.record(v.string(), candidate) };
const others = v.optional(v.record(v.string(), v.looseObject(held)));
const state = v.looseObject({ ...held, others, since: v.number(), recordAt: v.number() });
const fileShape = v.strictObject({
  format: v.literal(format),
  names: v.record(v.string(), state),
});

type States = v.InferOutput<typeof fileShape>['names'];

/** The states of names between two runs of `watch --once`, in a file that only one run uses. */
export class StateFile implements Disposable {
  readonly states: States;
  readonly #path: string;
  readonly #lock: Disposable;

  /** Reads the states of the run before; none if there is no file yet. Throws `CommandError`. */
  constructor(path: string) {
    this.#path = path;
    // The lock is a file of its own, because the state file is replaced.
    const lock = orUsageError(() => lockFile(`${path}.lock`));
    if (!lock)
      throw new CommandError(
        exitCodes.unknown,
        `Another command uses ${path}. Nothing was looked up; run the command again.`,
      );

    this.#lock = lock;
    try {
      this.states = readStates(path);
    } catch (error) {
      lock[Symbol.dispose]();
      throw error;
    }
  }

  /** Replaces the file: it has these states, or those of the run before. Throws `CommandError`. */
  write(names: Readonly<Record<string, object>>): void {
    const next = `${this.#path}.next`;
    orUsageError(() => {
      const file = openSync(next, 'w');
      writeFileSync(file, `${JSON.stringify({ format, names })}\n`);
      fsyncSync(file);
      closeSync(file);
      renameSync(next, this.#path);
    });
  }

  [Symbol.dispose](): void {
    this.#lock[Symbol.dispose]();
  }
}

function readStates(path: string): States {
  const text = orUsageError(() => {
    try {
      return readFileSync(path, 'utf8');
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      throw error;
    }
  });
  const content = text === undefined ? { format, names: {} } : jsonIn(text);
  if (v.is(fileShape, content)) return content.names;

  throw usageError(`--state: ${path} is damaged, or was not written by watch --once.`);
}

function orUsageError<T>(use: () => T): T {
  try {
    return use();
  } catch (error) {
    throw usageError(
      `--state must name a file that can be written. It cannot be used: ${reasonOf(error)}`,
    );
  }
}
