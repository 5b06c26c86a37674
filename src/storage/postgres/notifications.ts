import { Client } from 'pg';
import { systemClock } from '../../clock.ts';
import { connectTimeoutMs, settings } from './connections.ts';

interface Subscription {
  readonly channel: string;
  readonly onNotification: (payload: string) => void;
  readonly onReconnect: () => void;
}

/** Receives what other nodes send with NOTIFY, over a connection of its own that is opened again whenever it breaks. */
export class Notifications {
  readonly #url: string;
  readonly #subscriptions: Subscription[] = [];
  #client: Client | undefined;
  #cancelConnect: (() => void) | undefined;
  #closed = false;

  constructor(url: string) {
    this.#url = url;
  }

  /**
   * Calls `onNotification` with each payload on the channel, and `onReconnect` whenever the connection was opened: notifications may have been
   * missed until then. Behind a pooler none may ever arrive, so whatever is announced must also be found by polling.
   */
  subscribe(channel: string, onNotification: (payload: string) => void, onReconnect: () => void): void {
    this.#subscriptions.push({ channel, onNotification, onReconnect });
    // One connection for all subscriptions of the same turn of the event loop.
    this.#cancelConnect ??= systemClock.after(0, () => this.reconnect());
  }

  /** Opens a new connection in place of the current one, which may lead to a server that has failed. */
  reconnect(): void {
    this.#drop();
    if (this.#closed || this.#subscriptions.length === 0) return;
    const client = new Client({ ...settings(this.#url), connectionTimeoutMillis: connectTimeoutMs });
    this.#client = client;
    const reconnectLater = () => {
      if (this.#client === client) this.#cancelConnect ??= systemClock.after(reconnectMs, () => this.reconnect());
    };
    client.on('error', reconnectLater);
    client.on('end', reconnectLater);
    client.on('notification', ({ channel, payload = '' }) => {
      for (const subscription of this.#subscriptions) if (subscription.channel === channel) subscription.onNotification(payload);
    });
    this.#listen(client).catch(reconnectLater);
  }

  close(): void {
    this.#closed = true;
    this.#drop();
  }

  async #listen(client: Client): Promise<void> {
    const subscriptions = [...this.#subscriptions];
    await client.connect();
    for (const channel of new Set(subscriptions.map((each) => each.channel))) {
      await client.query(`LISTEN ${client.escapeIdentifier(channel)}`);
    }
    for (const { onReconnect } of subscriptions) onReconnect();
  }

  #drop(): void {
    this.#cancelConnect?.();
    this.#cancelConnect = undefined;
    this.#client?.connection.stream.destroy();
    this.#client = undefined;
  }
}

const reconnectMs = 1000;
