import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';

export interface BlackHole extends Disposable {
  readonly port: number;
}

/** A port where connections are neither taken nor refused: of a process that was stopped, with its backlog full. */
export async function startBlackHole(host: string, port = 0): Promise<BlackHole> {
  const listen = `const server = require('node:net').createServer();
    server.listen({ host: ${JSON.stringify(host)}, port: ${port}, backlog: 1 }, () => console.log(server.address().port));`;
  const child = spawn(process.execPath, ['--eval', listen], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const taken = Number(String(line));
  child.kill('SIGSTOP');
  // Two fill a backlog of one; the others are there to be sure, and are never answered.
  const fillers = Array.from({ length: 4 }, () => connect(taken, host).on('error', () => {}));
  await once(fillers[0] ?? child, 'connect');
  return {
    port: taken,
    [Symbol.dispose]() {
      for (const filler of fillers) filler.destroy();
      child.kill('SIGKILL');
    },
  };
}
