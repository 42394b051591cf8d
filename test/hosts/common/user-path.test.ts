import { expect, test } from 'vitest';
import { changedRegistry } from '../../../src/main/hosts/common/command-line/user-path';

const FOLDER = 'C:\\Users\\Zoë\\Lathe\\resources\\bin';
const exportOf = (line: string) =>
  `Windows Registry Editor Version 5.00\r\n\r\n[HKEY_CURRENT_USER\\Environment]\r\n"TEMP"="x"\r\n${line}\r\n\r\n[HKEY_CURRENT_USER\\Environment\\Other]\r\n"Path"="not this"\r\n`;

/** A value as `reg.exe` writes one that is too long for a line. */
const hexOf = (kind: number, text: string) =>
  (Buffer.from(`${text}\0`, 'utf16le').toString('hex').match(/../g) ?? [])
    .join(',')
    .replace(/.{60},/g, '$&\\\r\n  ')
    .replace(/^/, `"Path"=hex(${kind}):`);

/** The text and the kind of the value that is written; null when nothing is. */
function written(exported: string, act: 'add' | 'remove') {
  const changed = changedRegistry(exported, FOLDER, act);
  if (!changed.ok) return changed.error.code;
  if (changed.value === null) return null;
  const [, kind, digits = ''] = /"Path"=hex\((\d)\):([\da-f,]+)\r\n$/.exec(changed.value) ?? [];
  const text = Buffer.from(digits.replaceAll(',', ''), 'hex').toString('utf16le');
  return [Number(kind), text];
}

const long = Array.from({ length: 400 }, (_, at) => `C:\\tools\\${at}`).join(';');

test.each([
  ['a text', '"Path"="C:\\\\a \\"b\\";D:\\\\c"', [1, `C:\\a "b";D:\\c;${FOLDER}\0`]],
  ['names of variables', hexOf(2, '%USERPROFILE%\\bin;'), [2, `%USERPROFILE%\\bin;${FOLDER}\0`]],
  ['a long one', hexOf(2, long), [2, `${long};${FOLDER}\0`]],
  ['another spelling of its name', '"PATH"="C:\\\\a"', [1, `C:\\a;${FOLDER}\0`]],
  ['none', '', [2, `${FOLDER}\0`]],
  ['one that has it', hexOf(1, `c:\\users\\zoë\\LATHE\\resources\\bin\\;C:\\a`), null],
  ['no text', '"Path"=dword:00000001', 'not_text'],
])('%s: the folder is added once, and all else stays', (_, line, expected) => {
  expect(written(exportOf(line), 'add')).toEqual(expected);
});

test.each([
  ['one that has it', hexOf(2, `%A%;${FOLDER};C:\\b`), [2, '%A%;C:\\b\0']],
  ['one without it', hexOf(2, '%A%;C:\\b'), null],
  ['none', '', null],
  ['no text', '"Path"=hex(7):00,00', 'not_text'],
])('%s: the folder is removed, and all else stays', (_, line, expected) => {
  expect(written(exportOf(line), 'remove')).toEqual(expected);
});
