import { connect } from 'node:net';

/** Sends bytes as they are over one connection, from another loopback address if one is given, and returns all that comes back until the server closes it. */
export async function sendRaw(url: string, text: string, localAddress?: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect({
    port: Number(port),
    host: hostname,
    ...(localAddress !== undefined && { localAddress }),
  });
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.on('error', () => undefined); // a server that refuses may cut what it does not want to read
  socket.write(text);
  await new Promise((resolve) => socket.once('close', resolve));
  return Buffer.concat(chunks).toString();
}

/** The one answer that came back, as `fetch` would give it. Throws when there is none, or more than one. */
export function parseResponse(text: string): Response {
  const [head = '', body] = text.split('\r\n\r\n', 2);
  const [statusLine = '', ...lines] = head.split('\r\n');
  if (text.split('HTTP/1.1 ').length !== 2) throw new Error(`not one answer: ${text}`);
  const headers = lines.map((line): [string, string] => [
    line.slice(0, line.indexOf(':')),
    line.slice(line.indexOf(':') + 1).trim(),
  ]);
  return new Response(body ?? null, { status: Number(statusLine.split(' ')[1]), headers });
}
