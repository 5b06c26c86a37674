import { flushCompileCache } from 'node:module';
import { systemClock } from './clock.ts';
import { ConfigError, readConfig, type Config } from './config.ts';
import { createLog, flushLog } from './log.ts';
import { openConfiguredStores } from './app/stores.ts';

const duplicateSignalMs = 500;
const startupMs = 5000;
/** Whatever does not stop by then is cut off: the contract gives ten seconds. */
const maxStopMs = 9900;
const config = configOrExit();
const log = createLog(config.LOG_LEVEL);

try {
  // The ledger's thread starts while this one reads the rest of the gateway, which is most of it.
  const [stores, { createApp }] = await Promise.all([
    openConfiguredStores(config, systemClock, log),
    import('./app.ts'),
  ]);
  const app = await createApp(config, { log, stores });
  let stoppingSince: number | undefined;
  const stopOnce = (reason: object, exitCode: number) => {
    // Ctrl-C under npm arrives twice, from the terminal and passed on by npm; a later signal means now.
    if (stoppingSince !== undefined && systemClock.elapsed() - stoppingSince > duplicateSignalMs)
      process.exit(1);
    if (stoppingSince !== undefined) return;
    stoppingSince = systemClock.elapsed();
    void stop(app, reason, exitCode);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => stopOnce({ signal }, 0));
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error) => {
      log.fatal({ err: error }, 'a failure that nobody expected: the gateway ends');
      stopOnce({ event }, 1);
    });
  }
  const { url, port } = app;
  log.info({ url, port, node: process.versions.node }, 'listening');
  // With what the first answers wanted; Node would keep it when it ends, but not when it is killed.
  setTimeout(flushCompileCache, startupMs).unref();
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  console.error(error.message.replaceAll('\n', ' '));
  await flushLog();
  process.exit(2);
}

async function stop(app: AsyncDisposable, reason: object, exitCode: number): Promise<void> {
  log.info(reason, 'stopping');
  setTimeout(() => process.exit(1), maxStopMs);
  try {
    await app[Symbol.asyncDispose]();
    log.info('stopped');
  } catch (error) {
    log.fatal({ err: error }, 'could not stop in order');
    exitCode = 1;
  }
  await flushLog();
  process.exit(exitCode);
}

function configOrExit(): Config {
  try {
    return readConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(error.message.replaceAll('\n', ' '));
    process.exit(2);
  }
}
