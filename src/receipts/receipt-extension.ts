import type {
  Extension,
  ExtensionLookups,
  ExtensionOperation,
  SelectedField,
} from '../domain/extension.ts';
import { Problem } from '../domain/problems.ts';
import type { Context } from '../execution/context.ts';
import type { Receipts } from './receipts.ts';

/** The receipts of the caller of one operation. They are priced when they are made. */
class CallerReceipts implements ExtensionLookups {
  readonly count = 0;
  readonly price = 0;
  readonly receipts: Receipts;
  readonly operation: ExtensionOperation;

  constructor(receipts: Receipts, operation: ExtensionOperation) {
    this.receipts = receipts;
    this.operation = operation;
  }

  laterPrice({ name, args }: SelectedField): number {
    return name === 'createReceipt' ? this.receipts.priceOf(String(args['domain'])) : 0;
  }
}

/** Returns the receipts of operations. Everything else knows them only as an `Extension`. */
export function receiptExtension(receipts: Receipts): Extension {
  return {
    rootFields: new Map(),
    isLookup: () => false,
    open: (_selections, operation) => new CallerReceipts(receipts, operation),
  };
}

/** Returns the receipts of the caller. Throws `not_implemented` in a process that is no gateway. */
export function receiptsOf({ extensions }: Context): CallerReceipts {
  const found = extensions().find((lookups) => lookups instanceof CallerReceipts);
  if (found) return found;
  throw new Problem('not_implemented', 'Receipts are made by a gateway: call its API.');
}
