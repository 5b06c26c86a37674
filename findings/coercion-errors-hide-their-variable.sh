#!/usr/bin/env bash
# The usual way to unwrap errors of scalars loses the name of the variable (graphql 17.1.0).
#
# Behavior: graphql 17 sets `originalError` on the error about a variable that is missing, to an inner
# error without the variable's name. graphql 16 sets none there.
# A good guess: an error whose `originalError` is set was thrown by own code, so that its own error
# may be shown instead, as plugins and error formatters do. With 17 this turns the complete message
# into a fragment that names neither variable nor place.
# Seen with 16.15.0: no original error. Seen with 17.1.0: the outer message names $names, the inner
# one does not.
# Source: https://www.npmjs.com/package/graphql (`getVariableValues`), in both versions.
set -euo pipefail
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder"
npm init -y >npm.log
npm install --no-audit --no-fund --silent old@npm:graphql@16.15.0 new@npm:graphql@17.1.0 >>npm.log

cat >finding.mjs <<'JS'
import * as older from 'old';
import * as newer from 'new';

/** Returns whether the outer and the inner message of the error name the variable. */
function namesOfVariable({ buildSchema, parse, execute }) {
  const schema = buildSchema('type Query { count(names: [String!]!): Int }');
  const document = parse('query ($names: [String!]!) { count(names: $names) }');
  const [error] = execute({ schema, document, variableValues: {} }).errors;
  const inner = error.originalError?.message;
  return [error.message.includes('$names'), inner === undefined ? undefined : inner.includes('$names')];
}

const seen = `16: ${namesOfVariable(older)} 17: ${namesOfVariable(newer)}`;
console.log(seen);
process.exitCode = seen === '16: true, 17: true,false' ? 0 : 1;
JS
node finding.mjs
