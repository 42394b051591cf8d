import { expect, test } from 'vitest';
import { Prompts } from '../../src/shared/prompt-marks';
import { createTerminal, writeTo } from '../support/terminal-state';

const [PROMPT, RUN, END] = ['\x1b]133;A\x07', '\x1b]133;C\x07', '\x1b]133;D;0\x07'];
const [OUTER_RUN, OUTER_END] = ['\x1b]133;C;aid=a\x07', '\x1b]133;D;0;aid=a\x07'];
const ALL = '\x1b[?2004h\x1b[?1003h\x1b[?1004h';

test.each([
  ['at a prompt', `${PROMPT}${ALL}`, true],
  ['while a command runs', `${PROMPT}${RUN}${ALL}`, true],
  ['left by a command', `${PROMPT}${RUN}${ALL}${END}`, false],
  [
    'left by a command, and taken at the next prompt',
    `${PROMPT}${RUN}${ALL}${END}${PROMPT}${ALL}`,
    true,
  ],
  [
    'left by the command of a prompt that is gone',
    `${PROMPT}${RUN}\x1b[2J\x1b[3J\x1bc${ALL}${END}`,
    false,
  ],
  [
    'where a prompt says in its own text how the one before ended',
    `${PROMPT}${RUN}${END}${PROMPT}${ALL}${END}`,
    true,
  ],
  ['of another machine that says no code', `${PROMPT}${RUN}${ALL}\x1b]133;D\x07${PROMPT}`, true],
  [
    'of a shell in a shell, whose prompt says how the command before ended',
    `${PROMPT}${OUTER_RUN}${ALL}${END}${PROMPT}`,
    true,
  ],
  ['left by a command of a shell with a name', `${PROMPT}${OUTER_RUN}${ALL}${OUTER_END}`, false],
  [
    'left by a command of a shell in a shell',
    `${PROMPT}${OUTER_RUN}${PROMPT}${RUN}${ALL}${END}${PROMPT}`,
    false,
  ],
  [
    'left by a command that two integrations of one shell tell of',
    `${PROMPT}${RUN}${OUTER_RUN}${ALL}${END}${OUTER_END}${PROMPT}`,
    false,
  ],
  ['left by a shell in a shell', `${PROMPT}${OUTER_RUN}${PROMPT}${RUN}${ALL}${OUTER_END}`, false],
])('modes of a program %s', async (_, output, isOn) => {
  const terminal = createTerminal();
  const prompts = new Prompts(terminal);
  await writeTo(terminal, output);
  const { bracketedPasteMode, mouseTrackingMode, sendFocusMode } = terminal.modes;
  expect([bracketedPasteMode, mouseTrackingMode !== 'none', sendFocusMode]).toEqual([
    isOn,
    isOn,
    isOn,
  ]);
  expect(prompts.list().length).toBeLessThan(3);
});
