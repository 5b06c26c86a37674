import { parse, validate } from 'graphql';
import { expect, it } from 'vitest';
import { baseSchema } from '../../../schema/schema.ts';
import { endpoints } from '../../../src/http/rest/endpoints.ts';
import { objectOperations } from '../../../src/http/rest/objects.ts';
import { statusStreamOperation } from '../../../src/http/rest/rows.ts';

const operations = [
  ...endpoints.flatMap(({ path, operation }) =>
    operation === undefined ? [] : [[path, operation]],
  ),
  ...Object.entries(objectOperations),
  ['stream', statusStreamOperation],
];

it.each(operations)('the operation of %s is valid', (_name, source) => {
  expect(validate(baseSchema, parse(source ?? ''))).toEqual([]);
});
