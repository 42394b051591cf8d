import type { Command } from '../../../../src/main/engine/input/commands';
import { ok } from '../../../../src/shared/result';

/** Repeats what it is given. */
export const toyCommand: Command = {
  name: 'repeat',
  description: 'Repeat what is said',
  argumentHint: '[words]',
  run: (args, { engine }) => engine.act(async () => ok(`You said: ${args}.`)),
};
