import type { Sandbox } from '../../src/main/engine/ports-sandbox';

/** A system without a sandbox. */
export const noSandbox: Sandbox = {
  availability: async () => ({ state: 'missing', why: 'This test has none.', fix: '' }),
  open: () => {
    throw new Error('This test has no sandbox.');
  },
};
