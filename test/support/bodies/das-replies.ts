/** Returns replies in the documented format of each availability service. */
export const dasReplies = {
  eu: (label: string, status: string, code = '0') =>
    crlf(
      '% .eu Domain Availability Server 1.0',
      '%',
      '% (c) 2005 (http://www.eurid.eu)',
      '%',
      `%% RC = ${code}`,
      `Domain: ${label}`,
      `Status: ${status}`,
    ),
  be: (name: string, status: string, code = '0') =>
    crlf(
      '% .be Domain Availability Server 4.0',
      '',
      `%% RC=${code}`,
      `Domain: ${name}`,
      `Status: ${status}`,
    ),
  ch: (code: string, ...text: string[]) => crlf(`${code}: ${text[0] ?? 'Text'}`, ...text.slice(1)),
  lt: (name: string, status: string) =>
    `% .lt registry DAS service\nDomain: ${name}\nStatus: ${status}\n`,
};

function crlf(...lines: string[]): string {
  return lines.map((line) => `${line}\r\n`).join('');
}
