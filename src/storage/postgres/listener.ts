import { Client } from 'pg';
import { systemClock } from '../../clock.ts';
import { connectTimeoutMs, settings } from './connections.ts';

/** A connection of its own for what other nodes tell. It comes back by itself; nobody may rely on a notice, as poolers swallow them. */
export interface Listener {
  listen(channel: string, onNotice: (payload: string) => void, onGap: () => void): void;
  /** Takes the connection for dead and opens another. */
  reconnect(): void;
  close(): void;
}

interface Ear {
  readonly channel: string;
  readonly onNotice: (payload: string) => void;
  readonly onGap: () => void;
}

export function openListener(url: string): Listener {
  const ears: Ear[] = [];
  let client: Client | undefined;
  let closed = false;
  let cancel: (() => void) | undefined;

  function connect(): void {
    cancel?.();
    cancel = undefined;
    drop();
    if (closed || ears.length === 0) return;
    const fresh = new Client({ ...settings(url), connectionTimeoutMillis: connectTimeoutMs });
    client = fresh;
    const again = () => {
      if (client === fresh) cancel ??= systemClock.after(reconnectMs, connect);
    };
    fresh.on('error', again);
    fresh.on('end', again);
    fresh.on('notification', ({ channel, payload = '' }) => {
      for (const ear of ears) if (ear.channel === channel) ear.onNotice(payload);
    });
    open(fresh, ears).catch(again);
  }

  function drop(): void {
    client?.connection.stream.destroy();
    client = undefined;
  }

  return {
    listen(channel, onNotice, onGap) {
      ears.push({ channel, onNotice, onGap });
      // One connection for all who ask in the same turn.
      cancel ??= systemClock.after(0, connect);
    },
    reconnect: connect,
    close() {
      closed = true;
      cancel?.();
      drop();
    },
  };
}

const reconnectMs = 1000;

async function open(client: Client, ears: readonly Ear[]): Promise<void> {
  await client.connect();
  for (const channel of new Set(ears.map((ear) => ear.channel))) await client.query(`LISTEN ${client.escapeIdentifier(channel)}`);
  for (const { onGap } of ears) onGap();
}
