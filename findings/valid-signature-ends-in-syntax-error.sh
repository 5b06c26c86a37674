#!/usr/bin/env bash
# A message with a valid signature is a SyntaxError if its body is not JSON (standardwebhooks 1.1.1).
#
# Behavior: `verify` parses the body after the signature was found valid, and lets the error of
# JSON.parse pass. `sign` signs the same body without objection.
# A good guess: `verify` throws only WebhookVerificationError, so a receiver answers 400 to that, and
# everything else is a fault of its own: a 500, after which the sender repeats the message for days.
# The specification signs `id.timestamp.payload`, whatever the payload is, and recommends JSON only.
# The signature has to be compared by other means, or the body wrapped by the sender.
# Seen: json=accepted text=SyntaxError wrong=WebhookVerificationError
# Source: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
# ("Signature scheme"), https://www.npmjs.com/package/standardwebhooks
set -euo pipefail
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder"
npm init -y >npm.log && npm install --no-audit --no-fund --silent standardwebhooks@1.1.1 >>npm.log

cat >finding.mjs <<'JS'
import { Webhook } from 'standardwebhooks';

const webhook = new Webhook(`whsec_${Buffer.alloc(32, 7).toString('base64')}`);

/** Returns what `verify` does with a body that was signed as `signed`. */
function resultOf(body, signed = body) {
  const now = new Date();
  const headers = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': webhook.sign('msg_1', now, signed),
  };
  try {
    webhook.verify(body, headers);
    return 'accepted';
  } catch (error) {
    return error.constructor.name;
  }
}

const seen = [
  `json=${resultOf('{"name":"example.com"}')}`,
  `text=${resultOf('name=example.com')}`,
  `wrong=${resultOf('{}', '[]')}`,
].join(' ');
console.log(seen);
process.exitCode = seen === 'json=accepted text=SyntaxError wrong=WebhookVerificationError' ? 0 : 1;
JS
node finding.mjs
