#!/usr/bin/env bash
# cspell:ignore vevent
# A backslash before an "n" becomes a line break.
#
# Version: node-ical 0.27.2, compared with ical.js 2.2.1
# Behavior: of the text `C:\\new`, the last backslash and the letter after it are read as `\n`. The result has one
#   backslash, a line break, and "ew". Before other letters, the same backslash is read correctly.
# Expected: `C:\new`. In iCalendar, `\\` stands for one backslash, and what follows is not escaped by it.
# Why it matters: a path, a share such as `\\server\news` or a regular expression in a location or a description
#   is broken in two, and only if a part of it starts with an "n".
# Output: node-ical "C:\\\new" "C:\\old" ical.js "C:\\new" "C:\\old"
# Source: RFC 5545, section 3.3.11, https://www.rfc-editor.org/rfc/rfc5545.html#section-3.3.11;
#   https://github.com/icalendar/icalendar/pull/323 (the same fault, fixed in another library)
set -euo pipefail
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder"
npm init -y >npm.log
npm install --no-audit --no-fund --silent node-ical@0.27.2 ical.js@2.2.1 >>npm.log

cat >finding.mjs <<'JS'
import ICAL from 'ical.js';
import nodeIcal from 'node-ical';

const calendars = ['new', 'old'].map((name) =>
  [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'BEGIN:VEVENT',
    'UID:1',
    'DTSTART:20300101T000000Z',
    String.raw`LOCATION:C:\\${name}`,
    'END:VEVENT',
    'END:VCALENDAR',
    '',
  ].join('\r\n'),
);

function readByIcalJs(calendar) {
  const component = new ICAL.Component(ICAL.parse(calendar));
  return component.getFirstSubcomponent('vevent').getFirstPropertyValue('location');
}

const quoted = (read) => calendars.map((calendar) => JSON.stringify(read(calendar))).join(' ');
const seen = [
  `node-ical ${quoted((calendar) => nodeIcal.sync.parseICS(calendar)['1'].location)}`,
  `ical.js ${quoted(readByIcalJs)}`,
].join(' ');
console.log(seen);
const expected = String.raw`node-ical "C:\\\new" "C:\\old" ical.js "C:\\new" "C:\\old"`;
process.exitCode = seen === expected ? 0 : 1;
JS
node finding.mjs
