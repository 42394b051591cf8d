import { describe, expect, it } from 'vitest';
import {
  type ComposerKey,
  composerIntent,
  isIdleEscape,
  keyHints,
  NOT_RECALLING,
  recallStep,
} from '../../../src/renderer/chat/composer-keys';
import { createKeymap, NO_BINDINGS } from '../../../src/shared/keymap';

const KEYMAP = createKeymap(NO_BINDINGS, false);

describe('composerIntent', () => {
  const key = (over: Partial<ComposerKey>): ComposerKey => ({
    ...{ key: 'Enter', code: '', mod: false, other: false, alt: false, shift: false },
    composing: false,
    caretAtStart: true,
    caretAtEnd: true,
    empty: true,
    running: false,
    queued: false,
    recalling: false,
    revising: false,
    menu: false,
    sinceEscape: Number.POSITIVE_INFINITY,
    ...over,
  });
  it.each<[string, Partial<ComposerKey>, string]>([
    ['Enter sends', {}, 'submit'],
    ['Shift+Enter makes a line', { shift: true }, 'none'],
    ['Enter of an input method is its own', { composing: true }, 'none'],
    ['mod+Enter steers what runs', { mod: true, running: true }, 'steer'],
    ['mod+Enter sends when nothing runs', { mod: true }, 'submit'],
    ['↑ at the start looks back', { key: 'ArrowUp' }, 'older'],
    ['↑ elsewhere moves the caret', { key: 'ArrowUp', caretAtStart: false }, 'none'],
    ['↑ takes back what is queued', { key: 'ArrowUp', queued: true }, 'takeBack'],
    ['↑ does not overwrite a draft', { key: 'ArrowUp', queued: true, empty: false }, 'older'],
    ['Shift+↑ selects', { key: 'ArrowUp', shift: true }, 'none'],
    ['↓ while looking back', { key: 'ArrowDown', recalling: true }, 'newer'],
    ['↓ otherwise moves the caret', { key: 'ArrowDown' }, 'none'],
    ['Esc leaves the history', { key: 'Escape', recalling: true, running: true }, 'leaveHistory'],
    ['Esc stops', { key: 'Escape', running: true }, 'stop'],
    [
      'Esc gives up an earlier prompt first',
      { key: 'Escape', running: true, revising: true },
      'none',
    ],
    [
      'Esc of an input method is its own',
      { key: 'Escape', composing: true, running: true },
      'none',
    ],
    ['mod+. stops beside it', { key: '.', mod: true, running: true, revising: true }, 'stop'],
    ['one Esc alone does nothing', { key: 'Escape' }, 'none'],
    ['Esc Esc rewinds', { key: 'Escape', sinceEscape: 300 }, 'rewind'],
    ['slow Esc Esc does not', { key: 'Escape', sinceEscape: 900 }, 'none'],
    ['Ctrl+R searches', { key: 'r', mod: true, ctrl: true }, 'search'],
    ['Ctrl+R searches on Apple too', { key: 'r', other: true, ctrl: true }, 'search'],
    ['⌘R is not it', { key: 'r', mod: true }, 'none'],
    ['mod+. stops', { key: '.', mod: true, running: true }, 'stop'],
    ['↓ moves in the list of commands', { key: 'ArrowDown', menu: true }, 'menuDown'],
    ['↑ moves in the list of commands', { key: 'ArrowUp', menu: true }, 'menuUp'],
    ['Tab completes the command', { key: 'Tab', menu: true }, 'menuComplete'],
    ['Enter runs the command', { menu: true }, 'menuPick'],
    ['Shift+Enter is not for the list', { menu: true, shift: true }, 'none'],
    ['Esc closes the list first', { key: 'Escape', menu: true, running: true }, 'menuClose'],
    ['Tab is Tab without a list', { key: 'Tab' }, 'none'],
    ['. is a full stop', { key: '.', running: true }, 'none'],
  ])('%s', (_, over, intent) => expect(composerIntent(KEYMAP, key(over))).toBe(intent));

  it.each<[string, Partial<ComposerKey>, boolean]>([
    ['that does nothing', {}, true],
    ['that is slow after another', { sinceEscape: 900 }, true],
    ['that opens the list of prompts', { sinceEscape: 300 }, false],
    ['that ends the edit of an earlier prompt', { revising: true }, false],
    ['that stops', { running: true }, false],
    ['that leaves the history', { recalling: true }, false],
    ['that closes the list', { menu: true }, false],
    ['of an input method', { composing: true }, false],
  ])('an Esc %s may be the first of two, or not', (_, over, begins) => {
    const pressed = key({ key: 'Escape', ...over });
    expect(isIdleEscape(pressed, composerIntent(KEYMAP, pressed))).toBe(begins);
  });
});

it('says that Esc stops, but not while it gives up an earlier prompt', () => {
  const hints = (revising: boolean) =>
    keyHints(KEYMAP, { running: true, revising, draft: '' }, false);
  expect(hints(false)).toEqual(['Esc stops']);
  expect(hints(true)).toEqual([]);
});

it('walks through the history and back to the draft', () => {
  const history = ['one', 'two'];
  const first = recallStep(NOT_RECALLING, history, 'draft', 'older');
  expect(first?.text).toBe('two');
  const second = recallStep(first?.recall ?? NOT_RECALLING, history, 'two', 'older');
  expect(second?.text).toBe('one');
  expect(recallStep(second?.recall ?? NOT_RECALLING, history, 'one', 'older')).toBeNull();
  const back = recallStep(first?.recall ?? NOT_RECALLING, history, 'two', 'newer');
  expect(back).toEqual({ recall: NOT_RECALLING, text: 'draft' });
  expect(recallStep(NOT_RECALLING, history, 'draft', 'newer')).toBeNull();
  expect(recallStep(NOT_RECALLING, [], '', 'older')).toBeNull();
});
