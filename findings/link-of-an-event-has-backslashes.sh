#!/usr/bin/env bash
# cspell:ignore vevent
# The link of an event gets backslashes.
#
# Version: ical-generator 11.1.2, read with ical.js 2.2.1
# Behavior: commas and semicolons in `url` are escaped as in text, although the line has `VALUE=URI`. Programs that
#   follow the standard leave the backslashes in the address.
# Expected: the address as it was given. iCalendar defines no encoding of URIs, and `\` is not allowed in them.
# Why it matters: an event that links to a list, such as `?names=a.com,b.com`, opens another page. Readers that
#   take the line for text undo it, so one calendar program works and the next does not.
# Output: URL;VALUE=URI:https://site.example/?names=a.com\,b.com -> https://site.example/?names=a.com\,b.com
# Source: RFC 5545, section 3.3.13, https://www.rfc-editor.org/rfc/rfc5545.html#section-3.3.13;
#   https://github.com/sebbo2002/ical-generator/issues/463 (the same for `organizer`, fixed)
set -euo pipefail
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder"
npm init -y >npm.log
npm install --no-audit --no-fund --silent ical-generator@11.1.2 ical.js@2.2.1 >>npm.log

cat >finding.mjs <<'JS'
import createCalendar from 'ical-generator';
import ICAL from 'ical.js';

const event = {
  id: 'event-1',
  start: new Date('2026-01-01T00:00:00Z'),
  summary: 'Two names expire',
  url: 'https://site.example/?names=a.com,b.com',
};
const text = createCalendar({ events: [event] }).toString();
const line = text.split('\r\n').find((each) => each.startsWith('URL'));
const read = new ICAL.Component(ICAL.parse(text)).getFirstSubcomponent('vevent');
const seen = `${line} -> ${read.getFirstPropertyValue('url')}`;
console.log(seen);
const address = 'https://site.example/?names=a.com\\,b.com';
process.exitCode = seen === `URL;VALUE=URI:${address} -> ${address}` ? 0 : 1;
JS
node finding.mjs
