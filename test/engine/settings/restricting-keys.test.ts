import { expect, test } from 'vitest';
import { readSettings } from '../../../src/main/engine/settings/read';
import {
  denyingFields,
  isLimit,
  limitMeant,
  mayTighten,
  meansPermissions,
  PERMISSIONS,
  restrictionMeant,
  TOP,
} from '../../../src/main/engine/settings/restricting-keys';
import {
  FIELDS,
  type FieldRule,
  PERMISSION_FIELDS,
} from '../../../src/main/engine/settings/schema';
import { USED_ELSEWHERE } from '../../../src/main/engine/settings/used-elsewhere';

const RULES: Readonly<Record<string, FieldRule>> = { ...FIELDS, ...PERMISSION_FIELDS };

test('of the fields that are known, only those that take something away count as such', () => {
  const counted = [...TOP, ...PERMISSIONS, ...USED_ELSEWHERE].filter(
    (name) => limitMeant(name) !== null || restrictionMeant(name) !== null,
  );
  const limits = Object.keys(RULES).filter((name) => isLimit(RULES[name] ?? ({} as FieldRule)));
  expect(new Set(counted)).toEqual(new Set([...limits, 'ask', 'deny']));
  expect([...TOP].filter(meansPermissions)).toEqual(['permissions']);
  expect([...USED_ELSEWHERE].filter((name) => meansPermissions(name) || mayTighten(name))).toEqual(
    [],
  );
});

test.each([
  '{"enabledMcpjsonServers": ["github"]}',
  '{"enabledMcpJsonServers": ["github"]}',
  '{"enableMcpjsonServers": ["github"]}',
  '{"enableAutoMode": true}',
  '{"enableBypassPermissionsMode": "disable"}',
])('what lets something be done takes nothing away: %s', (text) => {
  const { fields, permissions, rules } = readSettings(text, 'userSettings', 's.json');
  expect({ fields, permissions, rules }).toEqual({ fields: {}, permissions: {}, rules: [] });
});

test.each([
  '{"autoUpdate": "never"}',
  '{"confirm": "ask"}',
  '{"telemetry": "off"}',
  '{"updateMode": "never"}',
  '{"updatePolicy": "never"}',
  '{"permissionMode": "ask"}',
  '{"assistant": {"mode": "ask"}}',
  '{"modes": {"ask": {"model": "opus"}, "code": {}}}',
  '{"modes": ["ask", "code"]}',
  '{"agents": [{"name": "a", "mode": "ask"}]}',
  '{"files.autoSave": "never", "files": {"onConflict": "ask"}}',
  '{"browser": {"cookies": "block", "popups": {"default": "block"}}}',
  '{"keys": {"edit": "ctrl+e", "ask": "ctrl+k"}}',
  '{"cSpell.words": ["deny", "block"]}',
  '{"lineWrap": ["error", "never"]}',
  '{"bannerText": "hello", "bandwidth": "low", "blockquoteStyle": "plain"}',
  '{"neverShow": "tips", "never_remind": "weekly", "blockStyle": "plain", "denyMessage": "Ask Ada first."}',
  '{"hooks2": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "x"}]}]}}',
])('a field of another program that says how it works asks for nothing: %s', (text) => {
  expect(readSettings(text, 'userSettings', 's.json').rules).toEqual([]);
});

test.each([
  '{"bashPolicy": "deny"}',
  '{"profiles": {"build": {"permission": {"edit": "deny", "bash": {"rm *": "ask"}}}}}',
  '{"profiles": {"tools": {"bash": "never"}}}',
  '{"profiles": {"deny": ["Bash(x)"]}}',
  '{"profiles": {"ask": ["Bash(x)"]}}',
  '{"guards": [{"match": "rm", "then": "block"}]}',
  '{"toolRules": [["Bash", "deny"]]}',
  '{"permissions": {"bash": "ask"}}',
  '{"sandbox": {"network": {"fallback": "deny"}}}',
  '{"blockeddomains": ["a.example"]}',
  '{"neverRun": ["rm"]}',
  '{"neverRun": "rm"}',
  '{"blockHost": "evil"}',
  '{"neverShow": "secrets/**"}',
  '{"neverDisplay": [".env"]}',
  '{"blockFormat": "rm *"}',
  '{"blockTextCommand": "sed"}',
  '{"neverFormatDisk": "mkfs"}',
  '{"neverWarn": "Bash"}',
  '{"blockText": "mcp__github"}',
])('what may be a rule of another program is no way to work: %s', (text) => {
  const { rules } = readSettings(text, 'userSettings', 's.json');
  expect(rules.map((rule) => rule.text)).toContain('mcp__*');
});

const GUARD = '[{"matcher": "Bash", "hooks": [{"type": "command", "command": "x"}]}]';

test.each([
  `{"Hooks": {"PreToolUse": ${GUARD}}}`,
  `{"hook": {"permissionRequest": ${GUARD}}}`,
  `{"hoks": {"Stop": [], "PreToolUse": ${GUARD}}}`,
  `{"PreToolUse": ${GUARD}}`,
  `{"hooks": {"preToolUse": ${GUARD}}}`,
  `{"hooks": {"PreToolUze": ${GUARD}}}`,
  ...['pre_tool_use', 'PreToolUes', 'PreToolUses', 'onPreToolUse', 'PreToolUse:', 'toolUse'].map(
    (name) => `{"hooks": {"${name}": ${GUARD}}}`,
  ),
  ...['pre_tool_use', 'PreToolUes', 'permission-request'].map((name) => `{"${name}": ${GUARD}}`),
  '{"hooks": {"PreToolUse": "#!/bin/sh"}}',
  '{"hooks": {"PreToolUse": ["//host/guard.exe"]}}',
  '{"hooks": {"PreToolUse": {"matcher": "Bash", "hooks": [{"type": "command", "command": "x"}]}}}',
  '{"hooks": {"PreToolUse": "./guard.sh"}}',
  '{"hooks": {"PreToolUse": ["./guard.sh"]}}',
  '{"hooks": {"PermissionRequest": [{"type": "command", "command": "x"}]}}',
  '{"hooks": {"PreToolUse": [{"hooks": "./guard.sh"}]}}',
  '{"hooks": {"PreToolUse": [{"matcher": "Bash", "hook": [{"type": "command", "command": "x"}]}]}}',
  ...[
    '{"command": "./guard.sh"}',
    '{"type": "Command", "command": "./guard.sh"}',
    '{"type": "comand", "command": "./guard.sh", "retries": 1}',
    '{"type": "shell", "command": "./guard.sh", "timeout": 5}',
    '{"type": "webhook", "url": "http://localhost/x"}',
    '{"type": "wasm", "module": "guard.wasm"}',
    '{"type": "container", "command": "./guard.sh", "image": "debian"}',
    '{"type": 1, "command": "./guard.sh"}',
    '{"type": "command", "cmd": "./guard.sh"}',
    '{"type": "command", "command": ["./guard.sh"]}',
    '{"type": "command", "command": "./guard.sh", "args": "--all"}',
    '{"type": "http", "url": "localhost/x"}',
    '{"type": "mcp_tool", "tool": "guard"}',
    '"./guard.sh"',
    '[{"type": "command", "command": "./guard.sh"}]',
  ].map((hook) => `{"hooks": {"PreToolUse": [{"hooks": [${hook}]}]}}`),
  `{"hooks": [{"PreToolUse": ${GUARD}}]}`,
  `{"hooks": {"hooks": {"PreToolUse": ${GUARD}}}}`,
  `{"h\u043e\u043eks": {"PreToolUse": ${GUARD}}}`,
  `{"hooks": {"Hooks": [{"PreToolUse": ${GUARD}}]}}`,
  '{"hooks": [{"event": "PermissionRequest", "command": "./guard.sh"}]}',
  ...['hooks ', 'hooks:', 'hoo\u200bks', '\u200bhooks'].map(
    (name) => `{"${name}": {"PreToolUse": ${GUARD}}}`,
  ),
  `{"hooks": {"PreToolUse": ${GUARD}} x}`,
  `{"hooks": {"PreToolUse ${GUARD}}}`,
])('a guard that nobody runs as it is written holds every call: %s', (text) => {
  const { rules, problems } = readSettings(text, 'projectSettings', 's.json');
  expect(rules.map((rule) => rule.text)).toContain('mcp__*');
  expect(problems.map(({ message }) => message).join()).toContain('asks before every call');
});

test.each([
  `{"_hooks": {"PreToolUse": ${GUARD}}}`,
  `{"hooks_off": {"PreToolUse": ${GUARD}}}`,
  `{"Hooks": {"Stop": ${GUARD}}}`,
  '{"Hooks": {"PreToolUse": []}}',
  '{"hook": "pre-commit", "tools": {}, "PreToolUse": []}',
  `{"hooks": {"postToolUse": ${GUARD}, "preCompact": ${GUARD}, "Nope": ${GUARD}}}`,
  '{"hooks": {"preToolUse": []}}',
  ...[
    '_PreToolUse',
    '//PreToolUse',
    '// PreToolUse',
    '#PreToolUse',
    'PreToolUse2',
    'PreToolUse_',
  ].map((name) => `{"hooks": {"${name}": ${GUARD}}}`),
  ...[
    'PreToolUseOff',
    'xPreToolUse',
    'oldPreToolUse',
    'PermissionRequest-1',
    '!permissionrequest',
  ].map((name) => `{"hooks": {"${name}": ${GUARD}}}`),
  ...['_PreToolUse', 'PreToolUse.1', 'toolUse'].map((name) => `{"${name}": ${GUARD}}`),
  `{"nohooks": {"PreToolUse": ${GUARD}}}`,
  '{"toolUse": {"maxPerTurn": 5}}',
  ...[
    '{"type": "command"}',
    '{"type": "command", "command": "", "timeout": 5}',
    '{"type": "command", "_command": "./guard.sh"}',
    '{"_type": "command", "//command": "./guard.sh"}',
    '{"type": "disabled", "command": "./guard.sh"}',
    '{"type": "_command", "command": "./guard.sh"}',
    '{"type": "command-off", "command": "./guard.sh"}',
    '{"type": "comand", "command": "./guard.sh", "async": true}',
    '{"command": "./guard.sh", "asyncRewake": true}',
    '"// ./guard.sh"',
    '{}',
  ].map((hook) => `{"hooks": {"PreToolUse": [{"hooks": [${hook}]}]}}`),
  '{"hooks": {"PreToolUse": [{"matcher": "Bash", "_hooks": [{"type": "command", "command": "x"}]}]}}',
  '{"hooks": {"PostToolUse": [{"hooks": [{"command": "x"}, "x", {"type": "Command", "command": "x"}]}]}}',
  '{"hooks": [{"Stop": [{"hooks": ["x"]}], "PreToolUse": []}]}',
  '{"hooks": ["pre-commit"]}',
  '{"hooks": {"PreToolUse": "disabled", "PermissionRequest": "off"}}',
  '{"hooks": {"PreToolUse": ["// disabled"], "PermissionRequest": ["# ./guard.sh", "off"]}}',
  '{"hooks": {"PreToolUse": "//disabled"}, "PermissionRequest": "none"}',
  '{"hooks": {"PreToolUse": {}, "PermissionRequest": null, "Stop": "x"}}',
  '{"hooks": {"PreToolUse": [{}, {"matcher": "x"}, {"hooks": []}], "Stop": [{"hook": ["x"]}]}}',
])('hooks that were switched off or guard nothing hold no call: %s', (text) => {
  expect(readSettings(text, 'userSettings', 's.json').rules).toEqual([]);
});

test('a misspelled key of guards is told with the one that may be meant', () => {
  const text = `{"Hooks": {"PreToolUse": ${GUARD}}}`;
  expect(readSettings(text, 'userSettings', 's.json').problems).toEqual([
    expect.objectContaining({ field: 'Hooks', message: expect.stringContaining('“hooks”') }),
  ]);
});

test.each([
  [`{"Hooks": {"PreToolUse": ${GUARD}}}`, 'a hook in it may be meant to stop calls'],
  [`{"PreToolUse": ${GUARD}}`, 'a hook in it may be meant to stop calls'],
  ['{"Sandbox": {"enabled": true}}', 'it may be meant to switch the sandbox on'],
  ['{"sandbox": {"enable": true}}', 'it may be meant to switch the sandbox on'],
  ['{"toolRules": [["Bash", "deny"]]}', 'something in it may be a denial'],
])('what is lost with a key that nobody reads is told: %s', (text, loss) => {
  const messages = readSettings(text, 'userSettings', 's.json').problems.map((one) => one.message);
  expect(messages).toEqual([expect.stringContaining(`, and ${loss}. Until`)]);
});

test.each([
  '{"sandbox": "on"}',
  '{"sandbox": true}',
  '{"sandbox": ["enabled"]}',
  '{"sandbox": "workspace-write"}',
  '{"sandbox": {"enabled": "yes"}}',
  '{"sandbox": {"enabled": 1}}',
  '{"sandbox": {"enable": true}}',
  '{"sandbox": {"Enabled": "true"}}',
  '{"Sandbox": {"enabled": true}}',
  '{"sandboxed": true}',
  '{"sandbox": {"enabeld": true}}',
  '{"sandbox": {"enabled ": true}}',
])('a sandbox that is wanted and cannot be read holds every call, told once: %s', (text) => {
  const { rules, problems } = readSettings(text, 'userSettings', 's.json');
  expect(rules.map((rule) => rule.text)).toContain('mcp__*');
  expect(problems.map(({ message }) => message)).toEqual([
    expect.stringContaining('asks before every call'),
  ]);
});

test.each([
  '{"sandbox": "off"}',
  '{"sandbox": false}',
  '{"sandbox": null}',
  '{"sandbox": []}',
  '{"sandbox": {"enabled": "false"}}',
  '{"sandbox": {"enabled": null}}',
  '{"sandbox": {"enable": false}}',
  '{"sandbox": {"disabled": true}}',
  '{"sandbox": {"disable": "yes"}}',
  '{"sandbox": {"enabled": false, "disabled": true}}',
  '{"sandbox": {"enabled": false, "enable": true}}',
  '{"sandbox": {"enabled": true, "Enabled": true}}',
  '{"sandbox": {"_enabled": true}}',
  '{"sandbox": {"labels": ["a"]}}',
  '{"mailbox": "x"}',
  '{"xsandbox": {"enabled": true}}',
  '{"sandbox": {"autoAllowBashIfSandboxed": "yes"}}',
  '{"Sandbox": {"excludedCommands": ["docker"]}}',
  '{"sandbox2": {"enabled": true}}',
  '{"sandboxes": {"a": {"enabled": true}}}',
])('a sandbox that nobody wants holds no call, told once: %s', (text) => {
  const { rules, problems } = readSettings(text, 'userSettings', 's.json');
  expect(rules).toEqual([]);
  expect(problems).toHaveLength(1);
});

test('a sandbox as it should be is told nothing about', () => {
  const text = '{"sandbox": {"enabled": true, "excludedCommands": ["docker *"]}}';
  expect(readSettings(text, 'userSettings', 's.json')).toMatchObject({
    ...{ rules: [], problems: [], sandbox: { enabled: true } },
    fields: { sandbox: { enabled: true } },
  });
});

test('a list of allowed tools takes none away, though its name is three letters from the one that does', () => {
  const known = ['tools', 'disallowedTools'];
  const names = ['allowedTools', 'AllowedTools', 'allowed_tools', 'disalowedTools', 'deniedTools'];
  expect(denyingFields(names, 'disallowedTools', known)).toEqual([
    'disallowedTools',
    'disalowedTools',
    'deniedTools',
  ]);
});
