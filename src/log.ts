import { pino, type DestinationStream, type LogFn, type Logger, type LoggerOptions } from 'pino';

export type Log = Logger;

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** Formats a JSON line. Both texts end with a line break. */
export type FormatLine = (line: string) => string;

/**
 * Creates a log that writes one JSON line per event to stdout, or what `format` makes of it. Paths
 * must be logged without their query, which may contain a key.
 */
export function createLog(level: (typeof logLevels)[number], format?: FormatLine): Log {
  const timestamp = pino.stdTimeFunctions.isoTime;
  return pino({ ...logOptions, level, timestamp }, stdoutLines(format));
}

export const logOptions = {
  base: null,
  formatters: { level: (label: string) => ({ level: label }) },
  hooks: {
    /** Leaves lines about outages to the `OutageLog` of the dependency. */
    logMethod(this: Log, args: Parameters<LogFn>, method: LogFn, level: number): void {
      const isDebug = level < (pino.levels.values['info'] ?? 0);
      if (isDebug || !isReported(args[0])) method.apply(this, args);
    },
  },
} satisfies LoggerOptions;

function isReported(fields: unknown): boolean {
  if (typeof fields !== 'object' || fields === null) return false;
  if ('isReported' in fields && fields.isReported === true) return true;
  return isReported('err' in fields ? fields.err : 'cause' in fields ? fields.cause : undefined);
}

/** Resolves when all lines are written, or after 200 ms if the reader of stdout is blocked. */
export async function flushLog(): Promise<void> {
  await new Promise<void>((resolve) => {
    setTimeout(resolve, maxFlushMs);
    process.stdout.write('', () => resolve());
  });
}

const maxFlushMs = 200;
/** Maximum length of buffered lines while the reader of stdout is blocked. */
const maxBufferedChars = 1024 * 1024;

/** Prevents a closed stdout from ending the process. */
const ignoreStdoutError = () => undefined;

/** Writes to stdout without blocking. If the buffer is full, lines are dropped and counted. */
function stdoutLines(format: FormatLine = (line) => line): DestinationStream {
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
          format(
            `{"level":"warn"${pino.stdTimeFunctions.isoTime()},"dropped":${dropped},"msg":"Log lines dropped because stdout is blocked. Check the log collector."}\n`,
          ),
        );
        dropped = 0;
      }

      stdout.write(format(line));
    },
  };
}
