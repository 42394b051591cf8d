import { expect, it } from 'vitest';
import { type FileKey, fileIntent } from '../../../src/renderer/approvals/file-keys';

const press = (key: string, more: Partial<FileKey> = {}) =>
  fileIntent({
    key,
    repeat: false,
    mod: false,
    plain: true,
    at: 1,
    count: 3,
    others: false,
    guardLeft: 0,
    ...more,
  });
const MOD = { mod: true, plain: false };

it.each([
  ['down goes to the next file', press('ArrowDown'), { kind: 'select', at: 2 }],
  ['up goes to the one before', press('ArrowUp'), { kind: 'select', at: 0 }],
  ['the end goes round', press('ArrowDown', { at: 2 }), { kind: 'select', at: 0 }],
  ['the beginning goes round', press('ArrowUp', { at: 0 }), { kind: 'select', at: 2 }],
  ['on to other questions', press('ArrowDown', { at: 2, others: true }), { kind: 'leave', by: 1 }],
  ['back to them', press('ArrowUp', { at: 0, others: true }), { kind: 'leave', by: -1 }],
  ['not with a modifier', press('ArrowDown', { plain: false }), { kind: 'none' }],
  ['one is allowed', press('Enter', MOD), { kind: 'allowOne' }],
  ['Enter alone means all', press('Enter'), { kind: 'none' }],
  ['one is denied', press('Delete'), { kind: 'denyOne' }],
  ['also by Backspace', press('Backspace'), { kind: 'denyOne' }],
  ['deleting a word is no answer', press('Backspace', MOD), { kind: 'none' }],
  ['a key left over from typing', press('Backspace', { guardLeft: 1 }), { kind: 'stray' }],
  ['a held key', press('Enter', { ...MOD, repeat: true }), { kind: 'stray' }],
  ['too early', press('Enter', { ...MOD, guardLeft: 400 }), { kind: 'stray' }],
  ['any other key', press('x'), { kind: 'none' }],
] as const)('%s', (_, intent, expected) => expect(intent).toEqual(expected));
