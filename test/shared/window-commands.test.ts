import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { COMMANDS as IN_SESSION } from '../../src/main/engine/input/commands';
import { COMMANDS } from '../../src/shared/window-commands';

const PAGE = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'keys.md'), 'utf8');
const ROWS = PAGE.split('\n').filter((line) => line.startsWith('| `'));

/** Draws a key as the page has it. */
const drawn = (key: string): string => (key.includes('`') ? `\`\` ${key} \`\`` : `\`${key}\``);

describe('docs/keys.md', () => {
  test('has each command with the keys it has when nobody chose others', () => {
    const expected = COMMANDS.filter(({ id }) => !/^session\d$/.test(id)).map(
      ({ id, title, keys }) =>
        ['', ` \`${id}\` `, ` ${title} `, ` ${keys.map(drawn).join(', ')} `, '']
          .join('|')
          .replace('|  |', '| |'),
    );
    const rows = ROWS.filter((row) => !/^\| `(\/|session1)/.test(row));
    expect(rows.toSorted()).toEqual(expected.toSorted());
  });

  test('has each command that begins with a slash', () => {
    const names = [
      ...COMMANDS.flatMap(({ slash }) => (slash === undefined ? [] : [slash])),
      ...IN_SESSION.map(({ name }) => name),
    ];
    const rows = ROWS.flatMap((row) => /^\| `\/([a-z-]+)/.exec(row)?.[1] ?? []);
    expect(rows).toEqual([...new Set(names)].toSorted());
  });
});
