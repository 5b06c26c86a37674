// Compiled by `test/clients/typed.test.ts`: the types of the client must agree with the schema.
import type { ResultOf } from 'gql.tada';
import { documents, type Availability, type Lookup } from '../../src/client/client.ts';
import { graphql } from '../clients/typed.ts';

const check = graphql(documents.check);
const search = graphql(documents.search);
const lookup = graphql(documents.lookup);

type Result<Document, Field extends string> = NonNullable<
  ResultOf<Document> extends infer Data extends Record<Field, unknown> ? Data[Field] : never
>;

export const toAvailability = (row: Result<typeof check, 'domain'>): Availability => row;
export const toRow = (row: Result<typeof search, 'availability'>): Availability => row;
export const toLookup = (row: Result<typeof lookup, 'domain'>): Lookup => row;
