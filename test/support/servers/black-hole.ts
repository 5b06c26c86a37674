import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';

export interface BlackHole extends Disposable {
  readonly port: number;
}

/**
 * Opens a port where connections are neither accepted nor refused: its process is stopped and its
 * backlog is full.
 */
export async function startBlackHole(host: string, port = 0): Promise<BlackHole> {
  const listen = `const server = require('node:net').createServer();
    server.listen({ host: ${JSON.stringify(host)}, port: ${port}, backlog: 1 }, () => console.log(server.address().port));`;
  const child = spawn(process.execPath, ['--eval', listen], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const openedPort = Number(String(line));
  child.kill('SIGSTOP');
  // Two connections fill a backlog of one; the others make sure, and are never accepted.
  const fillers = Array.from({ length: 4 }, () => connect(openedPort, host).on('error', () => {}));
  await once(fillers[0] ?? child, 'connect');
  return {
    port: openedPort,
    [Symbol.dispose]() {
      for (const filler of fillers) filler.destroy();
      child.kill('SIGKILL');
    },
  };
}
