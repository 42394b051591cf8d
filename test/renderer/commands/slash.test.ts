import { describe, expect, it } from 'vitest';
import { ownCommandOf, slashChoices } from '../../../src/renderer/commands/slash';
import type { CommandInfo } from '../../../src/shared/contract';
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
        'contents',
        'context',
        'cost',
        'effort',
        'export',
        'health',
        'help',
        'hooks',
        'limits',
        'mcp',
        'memory',
        'mode',
        'model',
        'permissions',
        'plugins',
        'quit',
        'rename',
        'rewind',
        'settings',
      ],
    ],
    ['/co', ['contents', 'context', 'cost']],
    ['/CO', ['contents', 'context', 'cost']],
    ['/new', ['clear']],
    ['/re', ['rename', 'rewind', 'clear']],
    ['/context ', []],
    ['/usr/bin', []],
    ['hello /', []],
    ['', []],
  ])('%j', (draft, names) =>
    expect(slashChoices(draft, []).map((choice) => choice.name)).toEqual(names),
  );
});

const HOST: readonly CommandInfo[] = [
  { name: 'compact', description: 'Summarise', argumentHint: 'focus' },
  { name: 'init', description: 'Write a memory file', argumentHint: '' },
  { name: 'model', description: 'Choose the model', argumentHint: 'name' },
  { name: 'review:pr', description: 'Review a change', argumentHint: '[number]' },
];

it('offers the commands of the host beside those of the window, each name once', () => {
  expect(slashChoices('/', HOST).map(({ name }) => name)).toEqual([
    ...[
      'clear',
      'compact',
      'contents',
      'context',
      'cost',
      'effort',
      'export',
      'health',
      'help',
      'hooks',
      'init',
      'limits',
      'mcp',
      'memory',
    ],
    ...[
      'mode',
      'model',
      'permissions',
      'plugins',
      'quit',
      'rename',
      'review:pr',
      'rewind',
      'settings',
    ],
  ]);
  expect(slashChoices('/rev', HOST)).toEqual([
    { name: 'review:pr', title: 'Review a change', argument: '[number]' },
  ]);
});

it.each([
  ['name', '[name]'],
  ['[issue] [priority]', '[issue] [priority]'],
  ['<folder>', '<folder>'],
  ['', undefined],
])('shows the hint %j as %j', (argumentHint, argument) => {
  const [found] = slashChoices('/go', [{ name: 'go', description: 'Goes', argumentHint }]);
  expect(found?.argument).toBe(argument);
});

it.each([
  ['/model opus', [], { id: 'model', argument: 'opus' }],
  ['/clear', [], { id: 'newSession', argument: '' }],
  ['/new', [], { id: 'newSession', argument: '' }],
  ['/RESET', HOST, { id: 'newSession', argument: '' }],
  ['/new', [{ name: 'new', description: 'My own', argumentHint: '' }], null],
  ['/context', [], { id: 'usage', argument: '' }],
  ['/unknown', [], null],
  ['/etc/hosts says', [], null],
  // What both have: alone it is the window's, with an argument the host's.
  ['/model', HOST, { id: 'model', argument: '' }],
  ['/model a b', HOST, null],
  ['/compact a b', HOST, null],
  ['/init', HOST, null],
] as const)('the own command in %j', (text, host, command) =>
  expect(ownCommandOf(text, host)).toEqual(command),
);
