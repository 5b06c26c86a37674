import { pino, type DestinationStream, type Logger } from 'pino';

export type Log = Logger;

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** One JSON line per event on stdout. Paths are logged without their query: a key may stand there. */
export function createLog(level: (typeof logLevels)[number]): Log {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return pino(options, stdoutLines());
}

/** Resolves when stdout has taken all lines, or after a short time where its reader is blocked. */
export async function flushLog(): Promise<void> {
  await new Promise<void>((resolve) => {
    setTimeout(resolve, maxFlushMs);
    process.stdout.write('', () => resolve());
  });
}

const maxFlushMs = 200;
/** Of lines that a blocked reader has not taken. */
const maxBufferedChars = 1024 * 1024;

/** A reader of the log that goes away does not end the process. */
const ignoreStdoutError = () => undefined;

/** Writes to stdout without blocking. Lines for which a blocked reader leaves no room are dropped and counted. */
function stdoutLines(): DestinationStream {
  const { stdout } = process;
  let dropped = 0;
  if (!stdout.listeners('error').includes(ignoreStdoutError)) stdout.on('error', ignoreStdoutError);
  return {
    write(line) {
      if (stdout.writableLength > maxBufferedChars) {
        dropped += 1;
        return;
      }
      if (dropped > 0) {
        stdout.write(
          `{"level":"warn"${pino.stdTimeFunctions.isoTime()},"dropped":${dropped},"msg":"log lines were dropped"}\n`,
        );
        dropped = 0;
      }
      stdout.write(line);
    },
  };
}
