import { implement } from '@orpc/server';
import { configuredContract } from '../../../src/shared/contract-configured';
import type { MemoryOverview } from '../../../src/shared/memory';
import type { PluginsOverview, PluginView } from '../../../src/shared/plugin';
import { ok } from '../../../src/shared/result';
import { fakeServers } from './fake-servers';

const os = implement(configuredContract);

const plugin = (name: string, rest: Partial<PluginView>): PluginView => ({
  ...{ id: `${name}@team`, name, version: '1.0.0', description: '', state: 'available' },
  ...{
    enabled: false,
    digest: `digest of ${name}`,
    approved: '',
    parts: [],
    options: [],
    problems: [],
  },
  from: '/home/you/team-plugins',
  ...rest,
});

/** Plugins in each state, with what they bring. */
const PLUGINS: PluginsOverview = {
  plugins: [
    plugin('formatter', {
      version: '2.1.0',
      description: 'Formats what was edited, and checks it before a commit',
      state: 'on',
      enabled: true,
      approved: 'digest of formatter',
      parts: [
        { kind: 'hook', name: 'PostToolUse (Edit|Write)', detail: '/home/you/format.sh --changed' },
        { kind: 'command', name: '/formatter:all', detail: 'Formats every file of the project' },
      ],
    }),
    plugin('reviewer', {
      description: 'Reviews a change before it is sent',
      parts: [
        { kind: 'hook', name: 'Stop', detail: '/home/you/remind.sh' },
        { kind: 'server', name: 'plugin_reviewer_issues', detail: 'node /home/you/issues.mjs' },
        {
          kind: 'skill',
          name: '/reviewer:review',
          detail: 'Reviews the change. Allows while in use: Bash(git diff *).',
        },
        { kind: 'agent', name: 'reviewer:critic', detail: 'Looks for what is wrong' },
      ],
    }),
    plugin('release', {
      version: '0.4.0',
      description: 'Makes releases',
      state: 'update',
      enabled: true,
      approved: 'before',
      parts: [{ kind: 'command', name: '/release:cut', detail: 'Cuts a release' }],
    }),
    plugin('notes', { version: '', state: 'broken', digest: '', problems: [broken()] }),
  ],
  marketplaces: [{ name: 'team', from: '/home/you/team-plugins', added: true, plugins: 4 }],
  problems: [],
};

function broken() {
  const file = '/home/you/team-plugins/notes/.claude-plugin/plugin.json';
  const message = `${file}, line 2: name: a name of letters, digits, "-" and "_" is expected.`;
  return { file, line: 2, field: 'name', message, level: 'error' as const };
}

/** Answers about plugins. */
const fakePlugins = (did: (what: string, input: unknown) => void) => ({
  list: os.plugins.list.handler(() => ok(PLUGINS)),
  act: os.plugins.act.handler(({ input }) => {
    did('plugins.act', input);
    return ok(null);
  }),
});

/** The memory of a project, with files that are left out. */
const MEMORY: MemoryOverview = {
  files: [
    { path: '/home/you/.claude/CLAUDE.md', kind: 'user', tokens: 120 },
    { path: '/home/you/app/CLAUDE.md', kind: 'project', tokens: 840 },
  ],
  notes: [],
  leftOut: [],
  outside: [
    {
      path: '/home/you/team/style.md',
      importedBy: '/home/you/app/CLAUDE.md',
      allowed: false,
    },
  ],
  places: {
    project: '/home/you/app/CLAUDE.md',
    local: '/home/you/app/CLAUDE.local.md',
    user: '/home/you/.claude/CLAUDE.md',
  },
};

/** Answers about memory. */
const fakeMemory = (did: (what: string, input: unknown) => void) => ({
  list: os.memory.list.handler(() => ok(MEMORY)),
  add: os.memory.add.handler(({ input }) => {
    did('memory.add', input);
    return ok(MEMORY.places[input.place]);
  }),
  allowImport: os.memory.allowImport.handler(({ input }) => {
    did('memory.allowImport', input);
    return ok(null);
  }),
});

/** Answers about what people configure. */
export const fakeConfigured = (did: (what: string, input: unknown) => void) => ({
  plugins: fakePlugins(did),
  memory: fakeMemory(did),
  toolServers: fakeServers(did),
});
