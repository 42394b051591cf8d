import fc from 'fast-check';
import { expect, test } from 'vitest';
import { planPaste } from '../../../src/renderer/terminal/paste';

test.each([
  ['one line', 'ls -l', false, { text: 'ls -l', needsConsent: false, lines: 1, removed: 0 }],
  ['a line with its end', 'ls\n', false, { text: 'ls\r', needsConsent: true, lines: 1 }],
  ['two lines', 'a\r\nb', false, { text: 'a\rb', needsConsent: true, lines: 2 }],
  ['two lines, bracketed', 'a\nb', true, { text: '\x1b[200~a\rb\x1b[201~', needsConsent: false }],
  ['tabs stay', 'a\tb', false, { text: 'a\tb', removed: 0 }],
  ['unicode stays', 'größe 🚢', false, { text: 'größe 🚢', removed: 0 }],
  ['a bracket that ends early', 'a\x1b[201~\nrm -rf ~', true, { removed: 1 }],
  ['control keys', '\x03\x15evil', false, { text: 'evil', removed: 2 }],
])('%s', (_name, text, bracketed, expected) => {
  expect(planPaste(text, bracketed)).toMatchObject(expected);
});

test('THREATS 14: nothing pasted can act as a key or leave its brackets', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.boolean(), (text, bracketed) => {
      const { text: sent } = planPaste(text, bracketed);
      const body = bracketed ? sent.slice('\x1b[200~'.length, -'\x1b[201~'.length) : sent;
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
      expect(body).not.toMatch(/[\x00-\x08\x0a-\x0c\x0e-\x1f\x7f-\x9f]/);
    }),
  );
});

test('THREATS 14: a paste that runs lines by itself always asks', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const plan = planPaste(text, false);
      expect(plan.text.includes('\r') && !plan.needsConsent).toBe(false);
    }),
  );
});
