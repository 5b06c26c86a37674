import { parse, validate } from 'graphql';
import { expect, it } from 'vitest';
import { baseSchema } from '../../../schema/schema.ts';
import * as operations from '../../../src/http/rest/saved-operations.ts';

it.each(Object.entries(operations))('the saved operation %s is valid', (_name, source) => {
  expect(validate(baseSchema, parse(source))).toEqual([]);
});
