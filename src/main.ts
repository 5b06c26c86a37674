import { createApp } from './app.ts';
import { ConfigError, readConfig, type Config } from './config.ts';
import { createLog } from './log.ts';

const config = configOrExit();
const log = createLog(config.LOG_LEVEL);

try {
  const app = await createApp(config, { log });
  let stopping: Promise<void> | undefined;
  // Ctrl-C under npm arrives twice: from the terminal, and passed on by npm.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void (stopping ??= stop(app, signal)));
  log.info({ url: app.url, node: process.versions.node }, 'listening');
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  refuse(error);
}

async function stop(app: AsyncDisposable, signal: NodeJS.Signals): Promise<void> {
  log.info({ signal }, 'stopping');
  await app[Symbol.asyncDispose]();
  log.info('stopped');
  process.exit(0);
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
