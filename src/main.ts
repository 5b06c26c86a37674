import { flushCompileCache } from 'node:module';
import { systemClock } from './clock.ts';
import { ConfigError, readConfig, type Config } from './config.ts';
import { createLog, flushLog } from './log.ts';
import { openConfiguredStores } from './app/stores.ts';

const duplicateSignalMs = 500;
const startupMs = 5000;
/** Forces the exit, so that a shutdown takes at most ten seconds. */
const maxStopMs = 9900;
const config = configOrExit();
const log = createLog(config.LOG_LEVEL);

try {
  // The ledger's worker thread starts while this thread imports the other modules.
  const [stores, { createApp }] = await Promise.all([
    openConfiguredStores(config, systemClock, log),
    import('./app.ts'),
  ]);
  const app = await createApp(config, { log, stores });
  let stoppingSince: number | undefined;
  const stopOnce = (reason: object, exitCode: number) => {
    // Ctrl-C under npm arrives twice: from the terminal, and forwarded by npm. A later signal exits
    // immediately.
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
      log.fatal({ err: error }, 'Unhandled error. Shutting down; report it with the stack trace.');
      stopOnce({ event }, 1);
    });
  }
  const { url, port } = app;
  log.info({ url, port, node: process.versions.node }, 'listening');
  // Node writes the compile cache at exit, but not if the process is killed.
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
    log.fatal(
      { err: error },
      'Graceful shutdown failed. Requests in flight may have been cut off.',
    );
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
