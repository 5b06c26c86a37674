#!/usr/bin/env bash
# cspell:ignore RRULE
# A yearly event of February 29 also takes place on March 1 (ical.js 2.2.1).
#
# Behavior: the iterator of FREQ=YEARLY without other parts returns March 1 in each year that has no
# February 29. FREQ=MONTHLY from the 31st omits the months without one, as it should.
# A good guess: ordinary years are omitted. RFC 5545, section 3.3.10: "Recurrence rules may generate
# recurrence instances with an invalid date (e.g., February 30) [...] such recurrence instances MUST be
# ignored". So the renewal date of a name that was registered on a leap day is shown a day late in
# three of four years, and a reader of the same feed that follows the RFC shows none.
# Seen: yearly 2024-02-29 2025-03-01 2026-03-01 monthly 2024-01-31 2024-03-31 2024-05-31
# Source: https://www.rfc-editor.org/rfc/rfc5545.html#section-3.3.10,
# https://www.npmjs.com/package/ical.js
set -euo pipefail
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder"
npm init -y >npm.log && npm install --no-audit --no-fund --silent ical.js@2.2.1 >>npm.log

cat >finding.mjs <<'JS'
import ICAL from 'ical.js';

/** Returns the first three dates of an event that recurs. */
function datesOf(start, frequency) {
  const lines = [
    'BEGIN:VCALENDAR',
    'BEGIN:VEVENT',
    'UID:1',
    `DTSTART;VALUE=DATE:${start}`,
    `RRULE:FREQ=${frequency}`,
    'END:VEVENT',
    'END:VCALENDAR',
  ];
  const calendar = new ICAL.Component(ICAL.parse(lines.join('\r\n')));
  const dates = new ICAL.Event(calendar.getFirstSubcomponent('vevent')).iterator();
  return [1, 2, 3].map(() => dates.next().toString()).join(' ');
}

const seen = `yearly ${datesOf('20240229', 'YEARLY')} monthly ${datesOf('20240131', 'MONTHLY')}`;
console.log(seen);
const expected =
  'yearly 2024-02-29 2025-03-01 2026-03-01 monthly 2024-01-31 2024-03-31 2024-05-31';
process.exitCode = seen === expected ? 0 : 1;
JS
node finding.mjs
