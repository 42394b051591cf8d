import { expect, it } from 'vitest';
import { isApple, keyCaps, keyText, modHeld } from '../../../src/renderer/ui/keys';

it.each([
  ['mod+k', true, '⌘K'],
  ['mod+k', false, 'Ctrl+K'],
  ['mod+shift+m', true, '⌘⇧M'],
  ['mod+shift+m', false, 'Ctrl+Shift+M'],
  ['mod+.', false, 'Ctrl+.'],
  ['enter', true, '↵'],
  ['esc', false, 'Esc'],
])('%s (Apple: %s) is printed %s', (keys, apple, text) => expect(keyText(keys, apple)).toBe(text));

it('knows the platform and its modifier', () => {
  expect(isApple('MacIntel')).toBe(true);
  expect(isApple('Linux x86_64')).toBe(false);
  expect(modHeld({ metaKey: true, ctrlKey: false }, true)).toBe(true);
  expect(modHeld({ metaKey: true, ctrlKey: false }, false)).toBe(false);
  expect(keyCaps('', false)).toEqual([]);
});
