import { expect, test } from 'vitest';
import { readMcpLayer } from '../../../src/main/engine/settings/mcp-servers';
import { readSettings, type SettingsLayer } from '../../../src/main/engine/settings/read';

const read = (text: string): SettingsLayer => readSettings(text, 'userSettings', 's.json');
const rules = (text: string) =>
  read(text).rules.map(({ behavior, text: rule }) => `${behavior} ${rule}`);

/** Tells whether every call asks, and whether that is told. */
const asksEverything = (text: string) => ({
  asks: rules(text).includes('ask mcp__*'),
  isTold: read(text).problems.some(({ message }) => message.includes('asks before every call')),
});
const ASKS = { asks: true, isTold: true };
const GOES_ON = { asks: false, isTold: false };

test.each([
  '{"permissions": {"deny" ["Bash(touch:*)"]}}',
  '{"permissions": {"deny" = ["Bash(touch:*)"]}}',
  '{"permissions": {"deny" => ["Bash(touch:*)"]}}',
  '{"permissions": {"deny", ["Bash(touch:*)"]}}',
  '{"permissions": {"deny"; ["Bash(touch:*)"]}}',
  '{"permissions": {deny ["Bash(touch:*)"]}}',
  '{"permissions": {\'deny\' ["Bash(touch:*)"]}}',
  '{"permissions": {"deny: ["Bash(touch:*)"]}}',
  '{"permissions": {deny": ["Bash(touch:*)"]}}',
  '{"permissions": {"allow: ["Read"], "deny": ["Bash(touch:*)"]}}',
  '{"permissions": {"allow: [Read], deny: [Bash(touch:*)]", "ask": []} x}',
  '{"permissions": {"deny" /* x */ : [Bash(touch:*), "Bash(b)"]}}',
  '{"permissions": {"deny" // x\n : [Bash(touch:*), "Bash(b)"]}}',
  '{"permissions": {"Deny": [Bash(touch:*), "Bash(b)"]}}',
  '{"permissions": {"DENY": [Bash(touch:*), "Bash(b)"]}}',
  '{"permissions": {"denied": [Bash(touch:*), "Bash(b)"]}}',
  '{"permissions": {"den\\u0079": [Bash(touch:*), "Bash(b)"]}}',
  '{"permissions": {"\\u0064eny" ["Bash(touch:*)"]}}',
  '{"permissions": {"dney" ["Bash(touch:*)"]}}',
  '{"permissions": {"disallow": [\'Bash(touch:*)\', "Bash(b)"]}}',
  '{"disallowedTools": [Bash(touch:*), "Bash(b)"]}',
  '{"permissions" {"deny": ["Bash(touch:*)"]}}',
  '{"permissions": ["deny": ["Bash(touch:*)"]]}',
  '{"permissions": "deny": ["Bash(touch:*)"]}',
  '{"permissions": ["Bash(touch:*)"] x}',
  '{"permissions": {"ask" ["Bash(touch:*)"]}}',
  '{"permissions": {"blocklist" ["Bash(touch:*)"]}}',
  '{"permissions": {"deny_tools": [Bash(touch:*)]}}',
  '{"permissions": {"rules": ["Bash(touch:*)"]} x}',
  '{"permissions": {"deny": ["Bash(a)"], "deny": [Bash(touch:*)]}}',
  '{"permissions": {"deny": ["Bash(a)" Bash(touch:*)]}}',
  '{"permissions": {"disableBypassPermissionsMode": "disable"} x}',
  '{"disableAutoMode": "disable" x}',
  '{"mcpServers": {"a": {"tools": [{"name": "t", "permission_policy": "always_deny"}]}} x}',
  '{"sandbox": {"filesystem": {"denyRead": ["~/secret"]}} x}',
  '{"sandbox": {"enabled": true} "model": "opus"}',
  '{"model": opus, "sandbox": {"enabled": true}}',
  '{"sandbox": {"enabled": yes}}',
  '{"sandbox": {"enabled" true}}',
  '{"sandbox": {"enabled": false x, "network": {}}}',
  '{"sandbox" {"enabled": true}}',
  '{"sandbox: {"enabled": true}}',
  "{'sandbox': {'enabled': true}}",
  '{"model": opus, "Sandbox": "on"}',
])('THREATS 4: what a text that is no JSON may deny beside what is read asks: %s', (text) => {
  expect(asksEverything(text)).toEqual(ASKS);
});

test.each([
  '{"permissions": {"deny": ["Bash(x)"] "allow": ["Bash"]}}',
  '{"permissions": {"deny": ["Bash(x)"], "ask": ["Read"]} "model": "opus"}',
  '{"permissions": {"denied": ["Bash(x)"]} "model": "opus"}',
  '{"deny": ["Bash(x)"] "model": "opus"}',
  '{"permissions": {"defaultMode": "ask"} "model": "opus"}',
  '{"permissions": {"allow": ["Bash(deny:*)", "Bash(ask)"]} "model": "opus"}',
  '{"env": {"A" "b"}, "hooks": {"Stop": []}}',
  '{"model": opus, "env": {"DENO_DIR": "x", "TASKS": "1"}}',
  '{"sandbox": {"enabled": false} "model": "opus"}',
  '{"model": opus, "sandbox": {"enabled": "off", "excludedCommands": ["docker"]}}',
  '{"model": opus, "sandbox": {"excludedCommands": ["docker"]}}',
  '{"model": opus, "sandbox": false}',
  '{"model": opus, "mailbox": "x", "sandbox2": {"enabled": true}}',
  '{"model": opus, "sandbox": {"enabled": false, "allowUnsandboxedCommands": true}}',
  '// deny: nothing\n{"model": opus, "language": "en"}',
])('a text that is no JSON and loses no denial asks for nothing else: %s', (text) => {
  expect(asksEverything(text)).toEqual(GOES_ON);
});

test.each([
  ['{"permissions": {"blocklist": ["Bash(x)"]}}', 'deny Bash(x)'],
  ['{"permissions": {"deny_tools": ["Bash(x)"]}}', 'deny Bash(x)'],
  ['{"permissions": {"denyRules": ["Bash(x)"]}}', 'deny Bash(x)'],
  ['{"permissions": {"deniedCommands": ["Bash(x)"]}}', 'deny Bash(x)'],
  ['{"permissions": {"toolsDenied": ["Bash(x)"]}}', 'deny Bash(x)'],
  ['{"permissions": {"\uff44\uff45\uff4e\uff59": ["Bash(x)"]}}', 'deny Bash(x)'],
  ['{"permissions": {"d\u0435ny": ["Bash(x)"]}}', 'deny Bash(x)'],
  ['{"permissions": {"alwaysAsk": ["Bash(x)"]}}', 'ask Bash(x)'],
  ['{"permissions": {"aks": ["Bash(x)"]}}', 'ask Bash(x)'],
  ['{"permission": {"deny": ["Bash(x)"]}}', 'deny Bash(x)'],
  ['{"toolPermissions": {"deny": ["Bash(x)"]}}', 'deny Bash(x)'],
  ['{"denny": ["Bash(x)"]}', 'deny Bash(x)'],
  ['{"ask": ["Bash(x)"]}', 'ask Bash(x)'],
  ['{"deniedTools": ["Bash(x)"]}', 'deny Bash(x)'],
  ['{"permissions.deny": ["Bash(x)"]}', 'deny Bash(x)'],
])('a list under another name that means denials counts: %s', (text, rule) => {
  expect(rules(text)).toEqual([rule]);
  expect(read(text).problems).toHaveLength(1);
});

test.each([
  '{"permissions": {"rules": ["Bash(x)"]}}',
  '{"permissions": {"rules": [{"tool": "Bash", "behavior": "deny"}]}}',
  '{"permissions": {"rules": {"deny": ["Bash(x)"]}}}',
  '{"permissions": {"permissions": {"deny": ["Bash(x)"]}}}',
  '{"permissions": {"tools": {"Bash": "deny"}}}',
  '{"permission": {"bash": {"touch *": "deny"}}}',
  '{"permisions": ["Bash(x)"]}',
  '{"settings": {"permissions": {"deny": ["Bash(x)"]}}}',
  '{"rules": [{"tool": "Bash", "action": "deny"}]}',
  '{"permissions": {"denyRead": ["~/secret"]}}',
  '{"permissions": {"deny": ["rm -rf *"]}}',
  '{"permissions": {"deny": ["Bash(touch:* Read(x)"]}}',
  '{"permissions": {"blocklist": {"Bash": true}}}',
  '{"permissions": {"deny": ["Bash(touch:*)|Read(x)"]}}',
  '{"permissions": {"deny": ["Bash(touch:*) || mcp__github"]}}',
  '{"permissions": {"deny": ["Bash(touch:*) and Read(x)"]}}',
  '{"permissions": {"ask": ["Bash(touch:*) & Edit"]}}',
])('what may deny something and is in no list that is read asks: %s', (text) => {
  expect(asksEverything(text)).toEqual(ASKS);
});

test.each([
  '{"permissions": {"allow": ["Bash(x)"], "deny": [], "ask": []}}',
  '{"permissions": {"deny": ["Bash(echo $(date) | tee x)", "Bash((a) and b)", "Read(app/(shop)/Cart)"]}}',
  '{"permissions": {"allowed": ["Bash(x)"]}}',
  '{"permissions": {"autoApprove": ["Bash(x)"]}}',
  '{"permissions": {"whitelist": ["Bash(x)"]}}',
  '{"permissions": {"comment": "we deny little here"}}',
  '{"permissions": {"version": 2, "strict": true}}',
  '{"permissions": {"deny": []}, "colour": {"deny": []}}',
  '{"theme": "dark", "tui": {"mode": "block"}, "delay": 5}',
  '{"autoMode": {"soft_deny": ["x"], "allow": ["y"]}}',
  '{"pluginConfigs": {"a@b": {"options": {"deny": ["x"]}}}}',
  '{"hooks": {"PreToolUse": []}, "statusLine": {"command": "deny"}}',
])('what denies nothing asks for nothing: %s', (text) => {
  expect(asksEverything(text)).toEqual(GOES_ON);
});

const fields = (text: string) => read(text).fields;
const ALL_SERVERS = [{}];
const A = { serverName: 'a' };
const B = { serverName: 'b' };

test.each<[string, readonly object[]]>([
  ['{"deniedMcpServers": [{"serverName":"a"}], "deniedMcpServers": [{"serverName":"b"}]}', [A, B]],
  ['{"deniedMcpServers": [{"serverName":"a"}], "deniedMcpServers": []}', [A]],
  ['{"deniedMcpServers": [{"serverName":"a"}], "deniedMcpServers": "b"}', [A, {}]],
  ['{"DeniedMcpServers": [{"serverName":"a"}]}', [A]],
  ['{"deniedMCPServer": [{"serverName":"a"}]}', [A]],
  ['{"blockedMcpServers": [{"serverName":"a"}]}', [A]],
  ['{"deniedServers": [{"serverName":"a"}]}', [A]],
  ['{"permissions": {"deniedMcpServers": [{"serverName":"a"}]}}', [A]],
  ['{"deniedMcpServers": [{"serverName":"a","serverurl":"https://x.example"}]}', ALL_SERVERS],
  ['{"deniedMcpServers": ["a"]}', ALL_SERVERS],
  ['{"deniedMcpServers": [{"serverName":"a"}] x}', ALL_SERVERS],
  ['{"deniedMcpServers" [{"serverName":"a"}]}', ALL_SERVERS],
  ['{"denied\\u004dcpServers": [{"serverName":a}]}', ALL_SERVERS],
  ['{"allowedMcpServers": [{"serverName":"a"}] x}', ALL_SERVERS],
  ['{"model": "opus", "den', ALL_SERVERS],
  ["{'model': 'opus'}", ALL_SERVERS],
])('THREATS 4: no denial of a tool server is lost: %s', (text, denied) => {
  expect(fields(text).deniedMcpServers).toEqual(denied);
  expect(read(text).problems.length).toBeGreaterThan(0);
});

test('an entry may say more than which server it denies', () => {
  const text = '{"deniedMcpServers": [{"serverName":"a","reason":"x"}]}';
  expect(fields(text).deniedMcpServers).toEqual([A]);
});

test.each(['{"model": "opus" "env": {}}', '{"mcpServers": {"a": {"command": "x"}} "env": {}}'])(
  'a text that is no JSON and denies no server lets them start: %s',
  (text) => {
    expect(fields(text).deniedMcpServers).toBeUndefined();
  },
);

test.each([
  '{"permissions":{"disableBypassPermissionsMode":"disable"},"permissions":{"allow":["Read"]}}',
  '{"permissions":{"disableBypassPermissionsMode":"disable","disableBypassPermissionsMode":"x"}}',
  '{"permisions":{"disableBypassPermissionsMode":"disable"}}',
  '{"permissions":{"disablebypassPermissionsMode":"disable"}}',
  '{"permissions":{"disableBypassPermisionMode":true}}',
  '{"disableBypassPermissionsMode":"disable"}',
  '{"disableBypassPermissionMode":"disable"}',
])('THREATS 4: what forbids a mode counts wherever it stands: %s', (text) => {
  expect(read(text).permissions.disableBypassPermissionsMode).toBe('disable');
  expect(read(text).problems.length).toBeGreaterThan(0);
});

test.each<[string, object]>([
  ['{"disableAutomode":"disable"}', { disableAutoMode: 'disable' }],
  ['{"deniedModels":["a"],"deniedModels":["b"]}', { deniedModels: ['a', 'b'] }],
  ['{"maxEffortLevel":"high","maxEffortLevel":"high"}', { maxEffortLevel: 'high' }],
  ['{"maxEffortLevel":"low","maxEffortLevel":"max"}', { maxEffortLevel: 'low' }],
  ['{"availableModels":["a"],"availableModels":["b"]}', { availableModels: [] }],
  ['{"disableSideloadFlags":true,"disableSideloadFlags":false}', { disableSideloadFlags: true }],
  [
    '{"disabledMcpjsonServers":["a"],"disabledMcpjsonServers":["b"]}',
    { disabledMcpjsonServers: ['a', 'b'] },
  ],
  ['{"disabledMcpjsonServer":["a"]}', { disabledMcpjsonServers: ['a'] }],
  ['{"disabledMcpjsonServers":"a"}', { disabledMcpjsonServers: ['*'] }],
  ['{"model":"a","model":"b"}', { model: 'b' }],
])('of repeated fields that only take something away the strictest counts: %s', (text, counts) => {
  expect(fields(text)).toEqual(counts);
  expect(read(text).problems).toHaveLength(1);
});

const server = (tools: string): string => `{"mcpServers":{"a":{"command":"x","tools":${tools}}}}`;

test.each([
  [server('[{"name":"t","permission_policy":"always_deny"}]'), ['deny mcp__a__t']],
  [server('[{"name":"t","permission_policy":"always_ask"}]'), ['ask mcp__a__t']],
  [server('[{"name":"t","permission_policy":"always_allow"}]'), []],
  [server('[{"name":"t"}]'), []],
  [server('["t"]'), []],
  [server('[{"name":"t","permissionPolicy":"always_deny"}]'), ['deny mcp__a__t']],
  [
    server('[{"name":"t","permission":"always_allow","permission_policy":"always_deny"}]'),
    ['deny mcp__a__t'],
  ],
  [
    server('[{"name":"t","requiresPermission":true,"permission_policy":"always_deny"}]'),
    ['deny mcp__a__t'],
  ],
  [
    server('[{"name":"t","permission_policy":"always_allow","policy":"always_ask"}]'),
    ['ask mcp__a__t'],
  ],
  [server('[{"name":"t","permission_policy":"denied"}]'), ['ask mcp__a__t']],
  [server('[{"tool":"t","permission_policy":"always_deny"}]'), ['ask mcp__a']],
  [server('{"t":"always_deny"}'), ['ask mcp__a']],
  [
    `{"mcpServers":{"a":{"command":"x","tools":[{"name":"t","permission_policy":"always_deny"}],"tools":[]},"a":{"command":"y"}},"mcpServers":{}}`,
    ['deny mcp__a__t'],
  ],
])('THREATS 4: policies of the tools of a server are rules: %s', (text, expected) => {
  expect(rules(text)).toEqual(expected);
});

test('of several objects of servers in .mcp.json every policy counts', () => {
  const denied = server('[{"name":"t","permission_policy":"always_deny"}]').slice(1, -1);
  const layer = readMcpLayer(
    `{${denied}, "mcpServers":{"a":{"command":"y"}}}`,
    'projectSettings',
    'm',
  );
  expect(layer.rules).toMatchObject([{ behavior: 'deny', text: 'mcp__a__t' }]);
});

const sandbox = (text: string) => read(`{"sandbox": ${text}}`).sandbox;

test.each<[string, object]>([
  [
    '{"filesystem":{"denyRead":["~/a"]},"filesystem":{"denyRead":["~/b"]}}',
    { denyRead: ['~/a', '~/b'] },
  ],
  ['{"filesystem":{"denyRead":["~/a"]},"filesystem":{}}', { denyRead: ['~/a'] }],
  ['{"filesystem":{"denyWrite":["~/a"],"denyWrite":[]}}', { denyWrite: ['~/a'] }],
  ['{"filesystem":{"denyRead":"~/a"}}', { denyRead: ['~/a'] }],
  ['{"filesystem":{"denyread":["~/a"]}}', { denyRead: ['~/a'] }],
  ['{"filesystem":{"denyReads":["~/a"]}}', { denyRead: ['~/a'] }],
  ['{"network":{"deniedDomain":["a.example"]}}', { deniedDomains: ['a.example'] }],
  ['{"network":{"deniedDomains":["a.example"]},"network":{}}', { deniedDomains: ['a.example'] }],
  [
    '{"credentials":{"files":[{"path":"~/k","mode":"deny"}]},"credentials":{}}',
    { credentialFiles: ['~/k'] },
  ],
  ['{"filesystem":{"denyRead":["~/a"]}}, "sandbox": {}', { denyRead: ['~/a'] }],
  [
    '{"filesystem":{"allowWrite":["/a"]},"filesystem":{"allowWrite":["/b"]}}',
    { allowWrite: ['/b'] },
  ],
])('THREATS 4: what the sandbox denies counts from every place: %s', (text, counts) => {
  expect(sandbox(text)).toMatchObject(counts);
  expect(asksEverything(`{"sandbox": ${text}}`)).toEqual(GOES_ON);
});

test.each([
  '{"filesystem":{"denyRead":[{"path":"~/a"}]}}',
  '{"filesystem":{"denyRead":{"~/a":true}}}',
  '{"filesystem":["~/a"]}',
  '{"filesystem":{"blockedPaths":["~/a"]}}',
  '{"network":{"blockedDomains":["a.example"]}}',
  '{"network":{"deniedDomains":["https://a.example/"]}}',
  '{"denyRead":["~/a"]}',
  '{"credentials":{"files":"~/k"}}',
])('what the sandbox may deny and cannot be read asks: %s', (text) => {
  expect(asksEverything(`{"sandbox": ${text}}`)).toEqual(ASKS);
});
