import { createApp } from './app.ts';
import { systemClock } from './clock.ts';
import { ConfigError, readConfig, type Config } from './config.ts';
import { createLog } from './log.ts';

const sameSignalMs = 500;
const config = configOrExit();
const log = createLog(config.LOG_LEVEL);

try {
  const app = await createApp(config, { log });
  let stoppingSince: number | undefined;
  const stopOnce = (why: object, exitCode: number) => {
    // Ctrl-C under npm arrives twice, from the terminal and passed on by npm; a later signal means now.
    if (stoppingSince !== undefined && systemClock.elapsed() - stoppingSince > sameSignalMs) process.exit(1);
    if (stoppingSince !== undefined) return;
    stoppingSince = systemClock.elapsed();
    void stop(app, why, exitCode);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stopOnce({ signal }, 0));
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error) => {
      log.fatal({ err: error }, 'a failure that nobody expected: the gateway ends');
      stopOnce({ event }, 1);
    });
  }
  log.info({ url: app.url, node: process.versions.node }, 'listening');
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  refuse(error);
}

async function stop(app: AsyncDisposable, why: object, exitCode: number): Promise<void> {
  log.info(why, 'stopping');
  try {
    await app[Symbol.asyncDispose]();
    log.info('stopped');
  } catch (error) {
    log.fatal({ err: error }, 'could not stop in order');
    process.exit(1);
  }
  process.exit(exitCode);
}

function configOrExit(): Config {
  try {
    return readConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return refuse(error);
  }
}

function refuse({ message }: ConfigError): never {
  console.error(message.replaceAll('\n', ' '));
  process.exit(2);
}
