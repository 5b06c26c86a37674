import { finished, Readable, type Writable } from 'node:stream';
import { promisify } from 'node:util';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { resultOrProblem, type Problem } from '../../domain/problems.ts';
import { createLog } from '../../log.ts';
import { isServerFault } from '../../server/messages/problem-response.ts';
import { createServerFactory, type ServerOptions, type ToolHost } from './mcp-server.ts';
import { localCaller } from '../rest/in-process.ts';
import { parseJson } from '../../server/messages/body.ts';
import { errorMessage } from './errors.ts';
import type { ErrorOptions } from '../graphql/errors.ts';
import { readMessage } from './message.ts';

export interface StdioOptions extends Omit<ServerOptions, keyof ErrorOptions> {
  /** The client writes its messages to `input` and reads those of the server from `output`. */
  readonly input: Readable;
  /** Nothing else may be written to it: every line is a message. */
  readonly output: Writable;
  /** Called with each problem that is the fault of the server; its `cause` has the details. */
  readonly onServerFault: (problem: Problem) => void;
}

/**
 * Serves the tools of `POST /mcp` to one client over stdio. Resolves when the client has closed
 * `input`; calls in progress are then cancelled.
 */
export async function serveMcpOverStdio(options: StdioOptions): Promise<void> {
  const { input, output, onServerFault } = options;
  const createServer = createServerFactory({ ...options, ...errorOptions });
  const host: ToolHost = {
    caller: localCaller,
    acceptsStream: true,
    onProblem: (problem) => {
      if (isServerFault(problem)) onServerFault(problem);
    },
  };
  const messages = Readable.from(validMessages(input, output), { objectMode: false });
  const connection = serveStdio(() => createServer(host), {
    transport: new StdioServerTransport(messages, output),
    // The tools never change, so there is nothing to subscribe to.
    maxSubscriptions: 0,
  });

  // A client that ends abnormally breaks the pipe; the connection is over in either case.
  await promisify(finished)(messages).catch(() => undefined);
  await connection.close();
}

/** There is no documentation to link to, and the log would be read as messages. */
const errorOptions = { allowIntrospection: true, docsUrl: () => '', log: createLog('silent') };

/** Yields the lines of valid messages, and answers the others: the SDK would ignore some of them. */
async function* validMessages(input: Readable, output: Writable): AsyncGenerator<string> {
  for await (const line of linesOf(input)) {
    if (line.trim() === '') continue;
    const message = readMessage(resultOrProblem(() => parseJson(line)));
    if ('problem' in message)
      output.write(`${JSON.stringify(errorMessage(message.problem, message))}\n`);
    else yield `${JSON.stringify(message.body)}\n`;
  }
}

async function* linesOf(input: Readable): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of input) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}
