import { Client } from 'pg';
import { systemClock } from '../../clock.ts';
import { connectTimeoutMs, connectionSettings } from './connection-pool.ts';

/**
 * Receives NOTIFY messages of one channel over a separate connection, which is reopened whenever it
 * breaks.
 */
export class Notifications {
  readonly #url: string;
  #channel = '';
  #onNotification: ((payload: string) => void) | undefined;
  #client: Client | undefined;
  #cancelConnect: (() => void) | undefined;

  constructor(url: string) {
    this.#url = url;
  }

  /**
   * Calls `onNotification` with each payload on the channel; there is one subscriber. Messages are
   * lost while the connection is broken, and always behind a pooler, so the same information must
   * also be found by polling.
   */
  subscribe(channel: string, onNotification: (payload: string) => void): void {
    this.#channel = channel;
    this.#onNotification = onNotification;
    this.reconnect();
  }

  /** Replaces the current connection, which may lead to a server that has failed. */
  reconnect(): void {
    this.#disconnect();
    const onNotification = this.#onNotification;
    if (!onNotification) return;
    const client = new Client({
      ...connectionSettings(this.#url),
      connectionTimeoutMillis: connectTimeoutMs,
    });
    this.#client = client;
    const reconnectLater = () => {
      if (this.#client === client)
        this.#cancelConnect ??= systemClock.after(reconnectMs, () => this.reconnect());
    };
    client.on('error', reconnectLater);
    client.on('end', reconnectLater);
    client.on('notification', ({ payload = '' }) => onNotification(payload));
    this.#listen(client).catch(reconnectLater);
  }

  close(): void {
    this.#onNotification = undefined;
    this.#disconnect();
  }

  async #listen(client: Client): Promise<void> {
    await client.connect();
    await client.query(`LISTEN ${client.escapeIdentifier(this.#channel)}`);
  }

  #disconnect(): void {
    this.#cancelConnect?.();
    this.#cancelConnect = undefined;
    this.#client?.connection.stream.destroy();
    this.#client = undefined;
  }
}

const reconnectMs = 1000;
