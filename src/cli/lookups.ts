import type { CsvRow } from '../shared/csv.ts';
import type { Confirm } from '../domain/source.ts';
import type { NameRecord } from './name-record.ts';

/** The result of one name, with the fields of a result in the REST API. */
export interface CheckRow extends CsvRow {
  readonly domain: string;
  /** Null without a verdict; `reason` is then a problem code. */
  readonly available: boolean | null;
  /** In lower case, such as `pending_delete`. Values may be added. */
  readonly status: string;
  readonly reason?: string;
  /** What happened, in one sentence. Absent in responses of older gateways. */
  readonly detail?: string;
}

export interface CheckRequest {
  /** Full names. Equal names are looked up once. */
  readonly names: readonly string[];
  /** Maximum age of a cached answer in seconds; undefined for the default freshness. */
  readonly maxAge: number | undefined;
  readonly confirm: Confirm;
}

/** Looks names up, in this process or through a gateway. */
export interface Lookups extends AsyncDisposable {
  /**
   * Yields one row per name, in the order in which the lookups complete; a failed lookup is a row
   * with a reason.
   */
  check(request: CheckRequest): AsyncIterable<CheckRow>;
  /** Resolves to the record of a name as in `GET /v1/rdap`; after a failed lookup, it has a problem. */
  record(name: string, maxAge: number | undefined): Promise<NameRecord>;
}
