import { implement } from '@orpc/server';
import { configuredContract } from '../../../src/shared/contract-configured';
import { ok } from '../../../src/shared/result';
import type { ToolServerDetails, ToolServerView } from '../../../src/shared/tool-server';

const os = implement(configuredContract);

/** The details of a server that offers and said nothing. */
export const EMPTY_DETAILS: ToolServerDetails = {
  ...{ instructions: '', tools: [], prompts: [], resources: [], log: [], printed: '' },
};

const server = (name: string, rest: Partial<ToolServerView>): ToolServerView => ({
  ...{ name, state: 'connected', transport: 'stdio', target: `npx -y ${name}-mcp`, program: '' },
  ...{ file: '/home/you/app/.mcp.json', problem: null, tools: 0, prompts: 0, resources: null },
  ...{ signIn: null, offering: 1, revision: 1 },
  ...rest,
});

const signIn = { signedIn: false, page: null, problem: null };

/** A server in each state. */
const SERVERS: readonly ToolServerView[] = [
  server('docs', {
    ...{ state: 'needs_sign_in', transport: 'http', target: 'https://docs.example/mcp', signIn },
    problem: 'It wants you to sign in.',
  }),
  server('issues', {
    ...{ program: 'issue-tracker 2.4.0', file: '/home/you/.claude.json' },
    ...{ tools: 12, prompts: 2, resources: { count: 5 } },
  }),
  server('mail', {
    ...{ state: 'needs_sign_in', transport: 'sse', target: 'https://mail.example/sse' },
    signIn: { ...signIn, page: 'https://accounts.example/authorize?client_id=lathe&state=abc' },
  }),
  server('metrics', {
    state: 'failed',
    problem:
      'The tool server "metrics" did not start. It ended with exit code 1. It printed:\nError: no such database',
  }),
  server('music', {
    state: 'denied',
    problem:
      'The tool server "music" did not start. It is denied by deniedMcpServers in /etc/claude-code/managed-settings.json.',
  }),
  server('notes', { state: 'connecting' }),
  server('old', { state: 'off' }),
  server('strange', { state: 'waits_for_trust' }),
  server('tickets', {
    ...{ transport: 'http', target: 'https://tickets.example/mcp', tools: 3 },
    signIn: { ...signIn, signedIn: true },
  }),
  server('unused', { state: 'off_in_settings' }),
  server('rust:rust-analyzer', {
    ...{ target: 'rust-analyzer', file: '/home/you/.lathe/plugins/rust/.lsp.json' },
    ...{ program: 'rust-analyzer 1.90.0', languages: ['.rs'] },
  }),
  server('go:gopls', {
    ...{ state: 'idle', target: 'gopls', file: '/home/you/.lathe/plugins/go/.lsp.json' },
    languages: ['.go'],
  }),
];

const at = Date.UTC(2026, 10, 21, 9, 30);

const DETAILS: ToolServerDetails = {
  instructions: 'Search before you open an issue, so that none is there twice.',
  tools: [
    { name: 'search', detail: 'Finds issues by words, labels and people.' },
    { name: 'open', detail: 'Opens an issue.' },
  ],
  prompts: [{ name: 'triage', detail: 'Sorts new issues by how urgent they are.' }],
  resources: [{ name: 'issues://open', detail: 'Open issues' }],
  log: [
    { at, level: 'info', from: 'lathe', text: 'Connecting.' },
    { at: at + 900, level: 'info', from: 'lathe', text: 'Connected: 12 tools.' },
    { at: at + 60_000, level: 'warning', from: 'server', text: 'api: 80 of 100 requests are used' },
    { at: at + 90_000, level: 'error', from: 'server', text: 'api: the rate limit is reached' },
  ],
  printed: 'listening on standard input',
};

/** Answers about tool servers. */
export const fakeServers = (did: (what: string, input: unknown) => void) => ({
  watch: os.toolServers.watch.handler(async function* ({ signal }) {
    yield SERVERS;
    await new Promise((resolve) => signal?.addEventListener('abort', resolve, { once: true }));
  }),
  details: os.toolServers.details.handler(() => ok(DETAILS)),
  act: os.toolServers.act.handler(({ input }) => {
    did('toolServers.act', input);
    return ok(null);
  }),
});
