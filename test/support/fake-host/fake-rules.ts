import { implement } from '@orpc/server';
import { contract } from '../../../src/shared/contract';
import { ok } from '../../../src/shared/result';

const os = implement(contract.permissions);

/** Answers about rules: there are none. */
export const fakeRules = (did: (what: string, input: unknown) => void) => ({
  list: os.list.handler(() => ok({ mode: 'default', modeWhy: '', rules: [], problems: [] })),
  replay: os.replay.handler(() => ok({ considered: 0, changed: [], unchanged: 0, dead: null })),
  addRule: os.addRule.handler(({ input }) => {
    did('permissions.addRule', input);
    return ok(null);
  }),
  removeRule: os.removeRule.handler(({ input }) => {
    did('permissions.removeRule', input);
    return ok(null);
  }),
});
