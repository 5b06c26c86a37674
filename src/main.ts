import { flushCompileCache } from 'node:module';
import packageJson from '../package.json' with { type: 'json' };
import { systemClock } from './clock.ts';
import { ConfigError, loadEnvFile, readConfig, variableNames, type Config } from './config.ts';
import { createLog, flushLog } from './log.ts';
import { collectWhenIdle, keepNewObjectsYoung } from './app/idle-memory.ts';
import { openConfiguredStores } from './app/stores.ts';
import type { App } from './app.ts';
import { helpText, readArguments } from './cli/arguments.ts';
import { banner } from './cli/output/banner.ts';
import { misspelledVariables } from './cli/misspelled-variables.ts';
import { aboutProxy } from './app/settings.ts';
import { nodeWarning } from './cli/node-security.ts';
import { prettyLine } from './cli/output/pretty-line.ts';

const duplicateSignalMs = 500;
/** Forces the exit, so that a shutdown takes at most ten seconds. */
const maxStopMs = 9900;
/** By then, the modules that first requests load are in the cache, too. */
const compileCacheDelayMs = 5000;

// Applies to the code that runs from here on.
keepNewObjectsYoung();
const requested = handleArguments();
const config = configOrExit();
const isPretty = (config.LOG_FORMAT ?? (process.stdout.isTTY ? 'pretty' : 'json')) === 'pretty';
const log = createLog(config.LOG_LEVEL, isPretty ? prettyLine : undefined);
warnOfMisspelledVariables();

if (requested === 'check-config') {
  const { checkConfig } = await import('./cli/commands/check-config.ts');
  process.exit(await checkConfig(config, process.stdout));
}
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

  await announce(app, stores.warning);
  collectWhenIdle();

  // Node writes the compile cache at exit, but not if the process is killed.
  setTimeout(flushCompileCache, compileCacheDelayMs).unref();
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  console.error(error.message.replaceAll('\n', ' '));
  await flushLog();
  process.exit(error.exitCode);
}

/** Reports that the gateway serves requests: on a terminal with a banner, otherwise in the log. */
async function announce(
  { url, port, coverage }: App,
  storeWarning: string | undefined,
): Promise<void> {
  const node = process.versions.node;
  const notes = [nodeWarning(node), aboutProxy(config, process.env)].filter(
    (text) => text !== undefined,
  );
  if (!isPretty || !log.isLevelEnabled('info')) {
    for (const note of notes) log.warn(note);
    log.info({ url, port, node }, 'listening');
    return;
  }

  const warnings = storeWarning === undefined ? notes : [...notes, storeWarning];
  const options = { version: packageJson.version, nodeVersion: node, config, url, warnings };
  process.stdout.write(banner({ ...options, coverage: await coverage() }));
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

function warnOfMisspelledVariables(): void {
  for (const { name, suggestion } of misspelledVariables(process.env, variableNames())) {
    const question = suggestion === undefined ? '' : ` Did you mean ${suggestion}?`;
    log.warn(`Unknown environment variable ${name}.${question}`);
  }
}

/** Exits after printing the help or the version, or for unknown arguments. */
function handleArguments(): 'start' | 'check-config' {
  const args = process.argv.slice(2);
  const invocation = readArguments(args);
  if (invocation === 'start' || invocation === 'check-config') return invocation;

  if (invocation === undefined) {
    console.error(`Unknown argument ${JSON.stringify(args[0])}. Run \`npm start -- --help\`.`);
    process.exit(2);
  }

  console.log(invocation === 'help' ? helpText : packageJson.version);
  process.exit(0);
}

function configOrExit(): Config {
  try {
    loadEnvFile();
    return readConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(error.message.replaceAll('\n', ' '));
    process.exit(2);
  }
}
