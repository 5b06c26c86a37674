import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { decode, encode, type Packet, type Question } from 'dns-packet';

export interface SandboxDns {
  readonly port: number;
  /** May be called twice. */
  close(): Promise<void>;
}

/** Returns the records and flags of the response; undefined for a question without a response. */
export type AnswerQuestion = (question: Question) => Packet | undefined;

/** Starts a DNS server on a free UDP port of the loopback interface. */
export async function startUdpServer(answerTo: AnswerQuestion): Promise<SandboxDns> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  let isOpen = true;
  socket.on('message', (message, { port, address }) => {
    const reply = replyTo(message, answerTo);
    if (reply && isOpen) socket.send(reply, port, address);
  });
  return {
    port: socket.address().port,
    async close() {
      if (!isOpen) return;
      isOpen = false;
      socket.close();
      await once(socket, 'close');
    },
  };
}

/** Returns the response to a query; undefined if there is none. */
function replyTo(message: Buffer, answerTo: AnswerQuestion): Buffer | undefined {
  const query = readQuery(message);
  const question = query?.questions?.[0];
  if (!query || !question) return undefined;
  const answer = answerTo(question);
  return (
    answer && encode({ type: 'response', id: query.id ?? 0, questions: [question], ...answer })
  );
}

function readQuery(message: Buffer): Packet | undefined {
  try {
    return decode(message);
  } catch {
    return undefined; // not a DNS message
  }
}
