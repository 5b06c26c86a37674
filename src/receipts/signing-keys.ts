import { generateKeyPairSync } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { SqlDatabase, SqlQuery } from '../shared/sql-database.ts';
import { publicJwkOf, type PublicJwk } from './jws.ts';

export interface SigningKey {
  readonly kid: string;
  readonly privateJwk: object;
}

/**
 * The keys with which a gateway signs, in its store. Nothing is kept in memory, so that a rotation
 * reaches all nodes at once.
 */
export class SigningKeys {
  readonly #database: SqlDatabase;
  readonly #clock: Pick<Clock, 'now'>;

  constructor(database: SqlDatabase, clock: Pick<Clock, 'now'>) {
    this.#database = database;
    this.#clock = clock;
  }

  /** Returns the key that signs now. The first call creates it. */
  async current(): Promise<SigningKey> {
    const stored = await currentIn(this.#database.query);
    return (
      stored ??
      this.#database.transaction(async (query) => (await currentIn(query)) ?? this.#create(query))
    );
  }

  /** Returns all public keys, newest first. */
  async publicKeys(): Promise<readonly PublicJwk[]> {
    await this.current();
    const rows = await this.#database.query<{ public: string }>(
      'SELECT public_key AS public FROM signing_keys ORDER BY created_at DESC, kid',
    );
    return rows.map((row) => JSON.parse(row.public) as PublicJwk);
  }

  /** Creates a key that signs from now on, and deletes the private parts of all others. */
  async rotate(): Promise<SigningKey> {
    return this.#database.transaction(async (query) => {
      await query('UPDATE signing_keys SET private_key = NULL WHERE private_key IS NOT NULL');
      return this.#create(query);
    });
  }

  async #create(query: SqlQuery): Promise<SigningKey> {
    const privateJwk = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
    const publicJwk = publicJwkOf(privateJwk.x ?? '');
    const { kid } = publicJwk;

    await query(
      'INSERT INTO signing_keys (kid, public_key, private_key, created_at) VALUES ($1, $2, $3, $4)',
      [kid, JSON.stringify(publicJwk), JSON.stringify(privateJwk), this.#clock.now()],
    );

    return { kid, privateJwk };
  }
}

async function currentIn(query: SqlQuery): Promise<SigningKey | undefined> {
  const [row] = await query<{ kid: string; key: string }>(
    'SELECT kid, private_key AS key FROM signing_keys WHERE private_key IS NOT NULL',
  );
  return row && { kid: row.kid, privateJwk: JSON.parse(row.key) as object };
}
