import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { COMMANDS, routeInput } from '../../../src/main/engine/input/commands';

const here = { commands: new Set(['compact', 'model']), shell: true };
const prompt = { kind: 'prompt' };

describe('routeInput', () => {
  it.each([
    ['fix the tests', prompt],
    ['', prompt],
    ['/compact', { kind: 'command', name: 'compact', args: '' }],
    [
      '  /Compact the tests\nand more ',
      { kind: 'command', name: 'compact', args: 'the tests\nand more' },
    ],
    ['/unknown thing', prompt],
    ['/etc/hosts looks wrong', prompt],
    ['!npm test', { kind: 'shell', command: 'npm test' }],
    ['  ! ls -la', { kind: 'shell', command: 'ls -la' }],
    ['!', prompt],
    ['!!', { kind: 'shell', command: '!' }],
    ['what does !x mean?', prompt],
    ['```\n!rm -rf /\n```', prompt],
    ['~~~sh\n/compact\n~~~', prompt],
    ['＃ ！ls', prompt],
  ])('%j', (text, routed) => expect(routeInput(text, here)).toEqual(routed));

  it('runs no line where no user types', () => {
    expect(routeInput('!npm test', { ...here, shell: false })).toEqual(prompt);
    expect(routeInput('/compact', { ...here, shell: false })).toMatchObject({ kind: 'command' });
  });

  it('never loses a word: what is no command and no line is a prompt', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const routed = routeInput(text, here);
        if (routed.kind === 'shell') expect(text.trim().slice(1).trim()).toBe(routed.command);
        if (routed.kind === 'command') expect(here.commands.has(routed.name)).toBe(true);
      }),
    );
  });
});

it('commands are listed by name, each with what it does', () => {
  const names = COMMANDS.map(({ name }) => name);
  expect(names).toEqual([...names].sort());
  for (const { description, argumentHint } of COMMANDS) {
    expect(description).not.toBe('');
    expect(argumentHint).toMatch(/^(\[.+\]|<.+>|)$/);
  }
});
