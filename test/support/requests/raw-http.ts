import { connect } from 'node:net';

/**
 * Sends bytes over one connection, optionally from another loopback address, and returns all
 * received bytes when the server closes it.
 */
export async function sendRaw(url: string, text: string, localAddress?: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect({
    port: Number(port),
    host: hostname,
    ...(localAddress !== undefined && { localAddress }),
  });
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.on('error', () => undefined); // a server that rejects a request may reset the connection
  socket.write(text);
  await new Promise((resolve) => socket.once('close', resolve));
  return Buffer.concat(chunks).toString();
}

/** Parses the response as `fetch` would return it. Throws if there is none, or more than one. */
export function parseResponse(text: string): Response {
  const [head = '', body] = text.split('\r\n\r\n', 2);
  const [statusLine = '', ...lines] = head.split('\r\n');
  if (text.split('HTTP/1.1 ').length !== 2) throw new Error(`Expected one response: ${text}`);
  const headers = lines.map((line): [string, string] => [
    line.slice(0, line.indexOf(':')),
    line.slice(line.indexOf(':') + 1).trim(),
  ]);
  return new Response(body ?? null, { status: Number(statusLine.split(' ')[1]), headers });
}
