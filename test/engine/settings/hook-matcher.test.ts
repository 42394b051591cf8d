import { expect, test } from 'vitest';
import { readMatcher } from '../../../src/main/engine/settings/hook-matcher';

const fits = (matcher: string, subject: string): boolean | string => {
  const read = readMatcher(matcher);
  return read.ok ? read.value(subject) : read.error;
};

test.each([
  ['', 'Bash', true],
  ['*', 'anything', true],
  [' * ', 'anything', true],
  ['Bash', 'Bash', true],
  ['Bash', 'BashOutput', false],
  ['Bash', 'bash', false],
  ['Edit|Write', 'Write', true],
  ['Edit|Write', 'NotebookEdit', false],
  ['Edit, Write', 'Edit', true],
  ['Edit ,Write|Read', 'Read', true],
  ['permission_prompt|idle_prompt', 'idle_prompt', true],
  ['mcp__memory__store', 'mcp__memory__store', true],
  ['mcp__memory__store', 'mcp__memory__store_all', false],
  ['my-tool', 'my-tool', true],
  // Anything else is a pattern that may fit anywhere.
  ['mcp__memory__.*', 'mcp__memory__store', true],
  ['Notebook.*', 'NotebookEdit', true],
  ['.ote', 'NotebookEdit', true],
  ['^Note$', 'NotebookEdit', false],
  ['^(Edit|Write)$', 'Write', true],
  ['Edit|Write.*', 'NotebookEdit', true],
])('%j fits %j: %j', (matcher, subject, expected) => {
  expect(fits(matcher, subject)).toBe(expected);
});

test.each([
  ['mcp__(', /no regular expression/],
  ['[', /no regular expression/],
  ['(a+)+$', /for ever/],
  ['(a|aa)+$', /for ever/],
  ['(.*)*x', /for ever/],
  [`.${'x'.repeat(2000)}`, /longer than 1000/],
])('%j is refused', (matcher, why) => {
  expect(fits(matcher, 'aaaa')).toMatch(why);
});

test('a pattern never looks at more than a name can be', () => {
  expect(fits('.x', `${'a'.repeat(5_000)}x`)).toBe(false);
});
