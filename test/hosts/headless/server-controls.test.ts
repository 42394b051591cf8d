import { expect, it } from 'vitest';
import type { HeadlessSession } from '../../../src/main/app/headless-session';
import { createControls } from '../../../src/main/hosts/headless/control';
import { err, ok } from '../../../src/shared/result';
import { IDLE_SESSION } from '../../support/headless-session';

const NOTHING_WAITS = { ids: () => [], cancel: () => false };
type Server = ReturnType<HeadlessSession['toolServers']>[number];
const SERVER: Server = {
  ...{ name: 'in side', status: 'connected', info: null, tools: [], problem: null, source: 'sdk' },
};
const DENIED = { behavior: 'deny', text: 'mcp__off', source: 'managed' } as const;
const call = (more: object) => ({ subtype: 'mcp_call', tool: 'mcp__a__b', ...more });

it.each<[object, boolean, unknown]>([
  [call({ arguments: { n: 1 } }), true, { content: [{ type: 'text', text: 'mcp__a__b {"n":1}' }] }],
  [call({}), true, { content: [{ type: 'text', text: 'mcp__a__b {}' }] }],
  [call({ tool: 'mcp__none__b' }), false, 'there is no tool mcp__none__b'],
  [call({ tool: 'Bash' }), false, /"tool" must be the whole name of a tool/],
  [call({ arguments: [1] }), false, '"arguments" must be an object.'],
  [call({ tool: 'mcp__in_side__b' }), false, /the tools of "in side" itself/],
  [call({ tool: 'mcp__off__b' }), false, 'A rule denies mcp__off__b.'],
  [call({ check_permissions: true }), false, /with "check_permissions"/],
  [call({ check_permissions: 'yes' }), false, /with "check_permissions"/],
  [call({ output_files: [] }), false, /with "output_files"/],
  [{ subtype: 'mcp_authenticate' }, false, '"serverName" must be the name of a server.'],
  [
    { subtype: 'mcp_authenticate', serverName: 'a' },
    true,
    { authUrl: 'https://a/sign-in', requiresUserAction: true },
  ],
  [{ subtype: 'mcp_authenticate', serverName: 'done' }, true, { requiresUserAction: false }],
  [{ subtype: 'mcp_authenticate', serverName: 'b' }, false, 'No sign-in there.'],
  [
    { subtype: 'mcp_authenticate', serverName: 'a', redirectUri: 'https://x' },
    false,
    /an address of Lathe/,
  ],
  [{ subtype: 'mcp_clear_auth', serverName: 'a' }, true, {}],
  [{ subtype: 'mcp_clear_auth', serverName: 'b' }, false, 'No sign-in there.'],
  [{ subtype: 'file_suggestions', query: 'du' }, true, { suggestions: [{ path: 'duck.ts' }] }],
  [{ subtype: 'file_suggestions' }, false, '"query" must be a text.'],
  [{ subtype: 'set_prompt_suggestions_paused', paused: true }, true, {}],
  [{ subtype: 'set_prompt_suggestions_paused' }, false, '"paused" must be true or false.'],
])('carries out %j', async (request, fine, expected) => {
  const session: HeadlessSession = {
    ...IDLE_SESSION,
    toolServers: () => [SERVER],
    permissionRules: () => ({ rules: [DENIED], folders: [], managedOnly: false }),
    callTool: async (name, input) =>
      name.startsWith('mcp__none')
        ? err(`there is no tool ${name}`)
        : ok([{ type: 'text', text: `${name} ${JSON.stringify(input)}` }]),
    signIn: async (server) =>
      server === 'b' ? err('No sign-in there.') : ok(server === 'a' ? 'https://a/sign-in' : null),
    signOut: async (server) => (server === 'a' ? ok('Signed out.') : err('No sign-in there.')),
    findFiles: async (text) => ok([{ path: `${text}ck.ts`, marks: [] }]),
  };
  const ask = createControls(session, '0', () => {}, NOTHING_WAITS);
  const answer = await ask({ subtype: '', ...request });
  const told = answer.ok ? answer.value : answer.error.message;
  expect(answer.ok).toBe(fine);
  if (expected instanceof RegExp) expect(told).toMatch(expected);
  else expect(told).toEqual(expected);
});

it('pauses suggestions by a setting of the run, and takes that back', async () => {
  const set: unknown[] = [];
  const session: HeadlessSession = {
    ...IDLE_SESSION,
    applySettings: async (settings) => {
      set.push(settings);
      return ok({});
    },
  };
  const ask = createControls(session, '0', () => {}, NOTHING_WAITS);
  await ask({ subtype: 'set_prompt_suggestions_paused', paused: true });
  await ask({ subtype: 'set_prompt_suggestions_paused', paused: false });
  expect(set).toEqual([{ promptSuggestions: false }, { promptSuggestions: null }]);
});

it('lists hooks by event, and what keeps them from running, with nothing that hides in a text', async () => {
  const hook = { matcher: '', file: '/s.json', line: 1, off: null } as const;
  const session: HeadlessSession = {
    ...IDLE_SESSION,
    givenSettings: () => [{ source: 'managed', settings: { allowManagedHooksOnly: true } }],
    hooks: () => [
      { ...hook, event: 'Stop', type: 'command', run: 'a\u202eb', source: 'managed' },
      {
        ...{ ...hook, event: 'PreToolUse', matcher: 'Bash', type: 'http', run: 'http://x' },
        ...{ headers: { Authorization: 'secret' }, source: 'userSettings', off: 'managed only' },
      },
    ],
  };
  const ask = createControls(session, '0', () => {}, NOTHING_WAITS);
  const answer = await ask({ subtype: 'get_hooks_listing' });
  expect(JSON.stringify(answer)).not.toContain('secret');
  expect(answer).toMatchObject({
    value: {
      events: [
        { name: 'PreToolUse', summary: 'Pre tool use', supportsMatcher: true, hookCount: 1 },
        { name: 'Stop', supportsMatcher: false, hookCount: 1 },
      ],
      hooks: [
        { event: 'PreToolUse', matcher: 'Bash', source: 'userSettings', disabled: true },
        { event: 'Stop', source: 'policySettings', commandText: 'a\\u{202e}b' },
      ],
      policy: { managedOnly: true, disabledByPolicy: false, policyHookCount: 1 },
    },
  });
});
