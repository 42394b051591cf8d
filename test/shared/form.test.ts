import { expect, it } from 'vitest';
import { type FormField, formProblems } from '../../src/shared/form';

const common = { name: 'f', title: 'F', required: true } as const;
const text = (more: object = {}): FormField => ({ type: 'text', ...common, ...more });
const number = (more: object = {}): FormField => ({
  type: 'number',
  integer: false,
  ...common,
  ...more,
});
const choice = (more: object = {}): FormField => ({
  type: 'choice',
  multiple: false,
  options: [
    { value: 'a', title: 'A' },
    { value: 'b', title: 'B' },
  ],
  ...common,
  ...more,
});
const many = (more: object = {}) => choice({ multiple: true, ...more });

it.each<[string, FormField, unknown, string | null]>([
  ['a text', text(), 'x', null],
  ['nothing where something is needed', text(), undefined, 'This is needed.'],
  ['nothing where nothing is needed', text({ required: false }), undefined, null],
  ['a number for a text', text(), 3, 'Write a text.'],
  ['a short text', text({ minLength: 3 }), '👋👋', 'Write at least 3 characters.'],
  ['a long text', text({ maxLength: 1 }), '👋', null],
  ['an address of mail', text({ format: 'email' }), 'a@b', null],
  [
    'no address of mail',
    text({ format: 'email' }),
    'a b@c',
    'Write an address such as ann@example.com.',
  ],
  ['no address', text({ format: 'uri' }), 'x', 'Write an address such as https://example.com.'],
  ['a day', text({ format: 'date' }), '2028-02-29', null],
  ['a day that is none', text({ format: 'date' }), '2026-02-30', 'Write a day such as 2026-11-23.'],
  ['a time', text({ format: 'date-time' }), '2026-11-23T09:30:00Z', null],
  [
    'a day as a time',
    text({ format: 'date-time' }),
    '2026-11-23',
    'Write a time such as 2026-11-23T09:30:00Z.',
  ],
  ['a number', number(), 1.5, null],
  ['what is no number', number(), Number.NaN, 'Write a number.'],
  ['a part of a number', number({ integer: true }), 1.5, 'Write a whole number.'],
  ['a small number', number({ minimum: 2 }), 1, 'Write 2 or more.'],
  ['a large number', number({ maximum: 2 }), 3, 'Write 2 or less.'],
  ['yes', { type: 'boolean', ...common }, true, null],
  ['a word for yes', { type: 'boolean', ...common }, 'yes', 'Choose yes or no.'],
  ['a choice', choice(), 'a', null],
  ['a choice that is none', choice(), 'c', 'There is no such choice.'],
  ['several for one', choice(), ['a'], 'Choose one.'],
  ['several', many(), ['a', 'b'], null],
  ['one twice', many(), ['a', 'a'], 'Choose each once.'],
  ['too few', many({ minimum: 1 }), [], 'Choose at least 1.'],
  ['too many', many({ maximum: 1 }), ['a', 'b'], 'Choose at most 1.'],
])('%s', (_, field, value, message) => {
  const values = value === undefined ? {} : { f: value as string };
  expect(formProblems([field], values).map((one) => one.message)).toEqual(
    message === null ? [] : [message],
  );
});

it('names what no field asks for, also under names of the language', () => {
  expect(formProblems([text({ name: 'toString' })], {})).toEqual([
    { name: 'toString', message: 'This is needed.' },
  ]);
  expect(formProblems([], { x: 1 })).toEqual([{ name: 'x', message: 'There is no such field.' }]);
});
