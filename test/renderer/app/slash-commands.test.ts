import { describe, expect, it } from 'vitest';
import { slashChoices, slashCommandOf } from '../../../src/renderer/app/slash-commands';
import { parseSlash } from '../../../src/shared/slash';

describe('parseSlash', () => {
  it.each([
    ['/compact', { name: 'compact', rest: '' }],
    ['  /compact  ', { name: 'compact', rest: '' }],
    ['/Compact the tests\nand more ', { name: 'compact', rest: 'the tests\nand more' }],
    ['/plugin:thing x', { name: 'plugin:thing', rest: 'x' }],
    ['/usr/bin/env is a path', null],
    ['/', null],
    ['/ compact', null],
    ['//compact', null],
    ['please /compact', null],
    ['', null],
  ])('%j', (text, slash) => expect(parseSlash(text)).toEqual(slash));
});

describe('what the composer offers', () => {
  it.each([
    [
      '/',
      [
        'clear',
        'compact',
        'context',
        'effort',
        'help',
        'hooks',
        'mode',
        'model',
        'permissions',
        'rename',
        'settings',
      ],
    ],
    ['/co', ['compact', 'context']],
    ['/CO', ['compact', 'context']],
    ['/compact ', []],
    ['/usr/bin', []],
    ['hello /', []],
    ['', []],
  ])('%j', (draft, names) =>
    expect(slashChoices(draft).map((choice) => choice.name)).toEqual(names),
  );
});

it.each([
  ['/compact a b', { id: 'compact', rest: 'a b' }],
  ['/model opus', { id: 'model', rest: 'opus' }],
  ['/clear', { id: 'newSession', rest: '' }],
  ['/context', { id: 'usage', rest: '' }],
  ['/unknown', null],
  ['/etc/hosts says', null],
])('the command in %j', (text, command) => expect(slashCommandOf(text)).toEqual(command));
