import type { Extension, ExtensionLookups, ExtensionOperation } from '../domain/extension.ts';
import { Problem, resultOrProblem } from '../domain/problems.ts';
import type { Context } from '../execution/context.ts';
import type { Receipt, Receipts } from './receipts.ts';

/**
 * The receipts of the caller of one operation. Those that a mutation names are paid before the first
 * is made, and none is made if one is refused: without one, the client would get none of them.
 */
class CallerReceipts implements ExtensionLookups {
  readonly count = 0;
  readonly price: number;
  readonly receipts: Receipts;
  readonly operation: ExtensionOperation;
  readonly #refusal: Problem | undefined;

  constructor(receipts: Receipts, operation: ExtensionOperation, entries: readonly string[]) {
    this.receipts = receipts;
    this.operation = operation;
    const names = entries.map((entry) => resultOrProblem(() => receipts.read(entry)));
    this.#refusal = names.find((name) => name instanceof Problem);
    this.price = this.#refusal
      ? 0
      : entries.reduce((sum, entry) => sum + receipts.priceOf(entry), 0);
  }

  /** Makes a receipt that the mutation names. Rejects with a `Problem`. */
  async createPaid(entry: string): Promise<Receipt> {
    if (this.#refusal) throw this.#refusal;
    return this.receipts.create(entry, this.operation, { isReserved: true });
  }
}

/** Returns the receipts of operations. Everything else knows them only as an `Extension`. */
export function receiptExtension(receipts: Receipts): Extension {
  return {
    rootFields: new Map([['createReceipt', 'Receipt']]),
    isLookup: () => false,
    open: (selections, operation) => {
      const entries = selections.flatMap(({ root }) => (root ? [String(root.args['domain'])] : []));
      return new CallerReceipts(receipts, operation, entries);
    },
  };
}

/** Returns the receipts of the caller. Throws `not_implemented` in a process that is no gateway. */
export function receiptsOf({ extensions }: Context): CallerReceipts {
  const found = extensions().find((lookups) => lookups instanceof CallerReceipts);
  if (found) return found;
  throw new Problem('not_implemented', 'Receipts are made by a gateway: call its API.');
}
