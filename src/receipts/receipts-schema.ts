import { fieldFacts } from '../execution/field-facts.ts';
import { builder, objectType } from '../schema/builder.ts';
import { DomainStatus } from '../schema/domain.ts';
import { receiptsOf } from './receipt-extension.ts';
import { receiptPrice, type Receipt } from './receipts.ts';

const ReceiptType = objectType<Receipt>('Receipt', (t) => ({
  id: t.exposeID('id'),
  domain: t.exposeString('domain'),
  verdict: t.field({
    type: DomainStatus,
    resolve: ({ verdict }) => verdict.toUpperCase() as typeof DomainStatus.$inferType,
  }),
  rule: t.exposeString('rule'),
  createdAt: t.field({
    type: 'DateTime',
    resolve: ({ created_at: createdAt }) => Date.parse(createdAt),
  }),
  jws: t.exposeString('jws'),
  url: t.exposeString('url'),
}));

builder.queryFields((t) => ({
  receipt: t.field({
    type: ReceiptType,
    nullable: true,
    args: { id: t.arg.id({ required: true }) },
    resolve: async (_root, { id }, context) =>
      (await receiptsOf(context).receipts.get(String(id))) ?? null,
  }),
}));

builder.mutationFields((t) => ({
  createReceipt: t.field({
    type: ReceiptType,
    extensions: fieldFacts({ cost: receiptPrice }),
    args: { domain: t.arg.string({ required: true }) },
    resolve: (_root, { domain }, context) => receiptsOf(context).createPaid(domain),
  }),
}));
