import { describe, expect, it } from 'vitest';
import {
  type DialogIntent,
  type DialogKey,
  dialogIntent,
  GUARD_MS,
  guardLeft,
} from '../../../src/renderer/approvals/guard';
import { createKeymap, NO_BINDINGS } from '../../../src/shared/keymap';

const KEYMAP = createKeymap(NO_BINDINGS, false);

describe('guardLeft', () => {
  const NEVER = Number.NEGATIVE_INFINITY;
  it.each([
    ['at once', 0, NEVER, 0, GUARD_MS],
    ['just before', 0, NEVER, 399, 1],
    ['over', 0, NEVER, 400, 0],
    ['stray typing waits anew', 0, 390, 400, 390],
    ['long ago', 0, 390, 5000, 0],
  ])('%s', (_, shown, stray, now, left) => expect(guardLeft(shown, stray, now)).toBe(left));
});

describe('dialogIntent', () => {
  const key = (over: Partial<DialogKey>): DialogKey => ({
    ...{ key: 'Enter', code: '', mod: false, other: false, alt: false, shift: false },
    repeat: false,
    composing: false,
    onFrame: true,
    panelOpen: false,
    several: false,
    guardLeft: 0,
    ...over,
  });
  it.each<[string, Partial<DialogKey>, DialogIntent]>([
    ['Enter approves', {}, 'allow'],
    ['Enter in the guard does not', { guardLeft: 1 }, 'stray'],
    ['a held Enter does not', { repeat: true }, 'stray'],
    ['Shift+Enter opens the rule', { shift: true }, 'always'],
    ['Shift+Enter in the guard opens nothing', { shift: true, guardLeft: 1 }, 'stray'],
    ['Ctrl+E opens the command', { key: 'e', mod: true }, 'edit'],
    ['Enter while a field is open is the field’s', { panelOpen: true }, 'none'],
    ['Ctrl+Enter does not', { mod: true }, 'none'],
    ['Enter of an input method does not', { composing: true }, 'none'],
    ['Enter on a button is the button’s', { onFrame: false }, 'none'],
    ['Esc denies', { key: 'Escape' }, 'deny'],
    ['Esc denies from a button too', { key: 'Escape', onFrame: false }, 'deny'],
    ['Esc closes a field first', { key: 'Escape', onFrame: false, panelOpen: true }, 'closePanel'],
    ['Tab opens the reason', { key: 'Tab' }, 'giveReason'],
    ['Tab moves on when a field is open', { key: 'Tab', panelOpen: true }, 'none'],
    ['Shift+Tab moves', { key: 'Tab', shift: true }, 'none'],
    ['↓ goes to the next question', { key: 'ArrowDown', several: true }, 'next'],
    ['↑ goes to the one before', { key: 'ArrowUp', several: true }, 'previous'],
    ['↓ scrolls when there is one', { key: 'ArrowDown' }, { pages: 1 }],
    ['typing that ran in', { key: 'y' }, 'stray'],
    ['typing outside the Latin script', { key: '日' }, 'stray'],
    ['space does not approve', { key: ' ' }, 'stray'],
    ['a bare modifier', { key: 'Shift' }, 'none'],
    ['a shortcut', { key: 'k', mod: true }, 'none'],
    ['typing in a field', { key: 'y', onFrame: false }, 'none'],
  ])('%s', (_, over, intent) => expect(dialogIntent(KEYMAP, key(over))).toEqual(intent));
});
