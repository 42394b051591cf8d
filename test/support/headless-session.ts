import type { HeadlessSession } from '../../src/main/app/headless-session';
import { err, fault, ok } from '../../src/shared/result';

const NO_FILES = err(fault('no_checkpoints', 'Nothing is kept.'));

/** A session that answers nothing and has nothing, for tests that replace what they look at. */
export const IDLE_SESSION: HeadlessSession = {
  conversation: () => [],
  sessionId: 'ses',
  cwd: '/p',
  tools: () => [],
  model: () => 'opus',
  mode: () => 'default',
  outputStyle: 'default',
  apiKeySource: 'ANTHROPIC_API_KEY',
  problems: [],
  commands: () => [],
  models: [],
  agents: [],
  interrupt: () => {},
  configure: () => ok({}),
  updatePermissions: async () => {},
  toolServers: () => [],
  onToolServers: () => () => {},
  insideReady: async () => {},
  nameServers: () => {},
  namedServers: () => [],
  watchInputs: () => () => null,
  spent: () => ({}),
  structuredOutput: () => undefined,
  deferred: () => false,
  hasNews: () => false,
  onNews: () => () => {},
  agentsAtWork: () => false,
  reconnectServer: () => false,
  enableServer: () => false,
  stopTask: async () => ok({}),
  previewFiles: async () => NO_FILES,
  restoreFiles: async () => NO_FILES,
  contextUse: () => ({ usedTokens: 0, windowTokens: 200_000, compactAt: null }),
  async *submit() {},
  close: async () => null,
};
