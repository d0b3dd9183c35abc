/** Numbers and names as a person reads them. The same words as the command line's. */

/** `1,234,567` */
export function count(value: number): string {
  return value.toLocaleString('en-US');
}

/** `1 line`, `2,000 lines` */
export function counted(value: number, singular: string, plural = `${singular}s`): string {
  return `${count(value)} ${value === 1 ? singular : plural}`;
}

const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB'];

/** A size in decimal units: `812 bytes`, `1.2 MB`, `300 MB`. */
export function bytes(value: number): string {
  let unit = 0;
  let size = value;
  while (size >= 999.5 && unit < UNITS.length - 1) {
    size /= 1000;
    unit += 1;
  }
  if (unit === 0) {
    return counted(value, 'byte');
  }
  return `${size < 9.95 ? size.toFixed(1) : Math.round(size)} ${UNITS[unit] ?? ''}`;
}

/** `3.2 s`, `48 s`, `2 min 5 s` */
export function duration(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  if (seconds < 60) {
    return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
  }
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}

/** A text on one line, at most so many characters long. */
export function clip(text: string, length: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const characters = Array.from(line);
  return characters.length <= length ? line : `${characters.slice(0, length - 1).join('')}…`;
}

/** Text that Markdown shows as it stands: no link, image, command or HTML comes to life. */
export function escapeMarkdown(text: string): string {
  return text
    .replace(/[\\`*_{}[\]<>#|~&$!]/g, '\\$&')
    .replace(/^(\s*)([-+=])/gm, '$1\\$2')
    .replace(/^(\s*\d+)([.)])/gm, '$1\\$2')
    .replace(/:(?=\/\/)/g, '\\:')
    .replace(/\b(www)\./gi, '$1\\.');
}

/** A fence of backticks that is longer than any inside the text. */
export function fence(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map((match) => match[0].length));
  return '`'.repeat(longest + 1);
}
