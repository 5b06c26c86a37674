import { parse, validate } from 'graphql';
import { expect, it } from 'vitest';
import { baseSchema } from '../../../../src/app/schema.ts';
import { endpoints } from '../../../../src/app/endpoints.ts';
import { objectOperations } from '../../../../src/api/rest/objects.ts';
import { statusStreamOperation } from '../../../../src/api/rest/rows.ts';

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
