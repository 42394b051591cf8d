import { type Content, type Repository, type Row, withFields } from './repository';

const HOOKS: readonly (readonly [of: string, hooks: string, told: string])[] = [
  ['an event that is none', '"Nope": []', 'hooks.Nope: there is no such event'],
  ['a text for groups', '"Stop": "touch PWNED"', 'hooks.Stop: a list is expected'],
  ['a number for a group', '"SubagentStop": [5]', 'hooks.SubagentStop[0]: '],
  [
    'no command',
    '"SessionEnd": [{"hooks": [{"type": "command"}]}]',
    'hooks.SessionEnd[0].hooks[0]',
  ],
  [
    'a kind that is none',
    '"PreCompact": [{"hooks": [{"type": "magic", "command": "a"}]}]',
    'hooks.PreCompact[0].hooks[0].type: ',
  ],
  [
    'a matcher that is no expression',
    '"PostToolUse": [{"matcher": "(Bash", "hooks": [{"type": "command", "command": "true"}]}]',
    'hooks.PostToolUse[0].matcher: ',
  ],
  [
    'a matcher of a tool that is not there',
    '"PreToolUse": [{"matcher": "Raed", "hooks": [{"type": "command", "command": "true"}]}]',
    'there is no tool Raed',
  ],
  [
    'a time below nothing',
    '"Notification": [{"hooks": [{"type": "command", "command": "true", "timeout": -1}]}]',
    'hooks.Notification[0].hooks[0].timeout: ',
  ],
];
const GOOD_HOOK =
  '"SessionStart": [{"hooks": [{"type": "command", "command": "echo The lamp burns"}]}]';
const HOOK_LINES = [GOOD_HOOK, ...HOOKS.map(([, hooks]) => hooks)].join(',\n');

/** Hooks in the settings of a project, each beside one that works. */
export const HOOK_SETTINGS: Repository = {
  name: 'hooks',
  files: { '.claude/settings.json': `{"hooks": {\n${HOOK_LINES}\n}}` },
  rows: [
    { of: 'one that works', sent: ['The lamp burns'] },
    ...HOOKS.map(([of, , told], at) => ({
      of,
      told: [`./.claude/settings.json, line ${at + 3}: `, told],
    })),
  ],
};

const manifest = (of: string, folder: string, content: Content, told: string): Row => ({
  of,
  files: {
    [`plugins/${folder}/.claude-plugin/plugin.json`]: content,
    [`plugins/${folder}/commands/run.md`]: `Runs ${folder}`,
  },
  told: [told],
  unsent: [`Runs ${folder}`],
});

const ROWS: readonly Row[] = [
  {
    of: 'all that one can bring',
    files: {
      'plugins/whole/.claude-plugin/plugin.json': '{"name": "whole", "version": "1.0.0"}',
      'plugins/whole/commands/greet.md': 'Greets people',
      'plugins/whole/skills/paint/SKILL.md': withFields('description: Paints walls'),
      'plugins/whole/agents/checker.md': withFields('name: checker\ndescription: Checks walls'),
      'plugins/whole/hooks/hooks.json': `{"hooks": {${GOOD_HOOK.replace('lamp burns', 'stove is on')}}}`,
    },
    sent: [
      '- whole:greet: Greets people',
      '- whole:paint: Paints walls',
      '- whole:checker: Checks walls',
      'The stove is on',
    ],
  },
  {
    of: 'an agent that gives itself a mode',
    files: {
      'plugins/loose/.claude-plugin/plugin.json': '{"name": "loose"}',
      'plugins/loose/agents/free.md': withFields(
        'name: free\ndescription: Goes free\npermissionMode: acceptEdits',
      ),
    },
    told: ['permissionMode: an agent of a plugin cannot have this'],
    sent: ['- loose:free: Goes free'],
  },
  manifest('no name', 'nameless', '{}', 'plugins/nameless/.claude-plugin/plugin.json'),
  manifest(
    'a name that is a path',
    'path',
    '{"name": "../up"}',
    'plugins/path/.claude-plugin/plugin',
  ),
  manifest(
    'JSON without an end',
    'open',
    '{"name": "open"',
    'plugins/open/.claude-plugin/plugin.json',
  ),
  manifest('a list', 'list', '[]', 'plugins/list/.claude-plugin/plugin.json'),
  manifest('a pipe', 'pipe', { pipe: true }, 'plugins/pipe/.claude-plugin/plugin.json'),
];

/** Plugins of folders that the command line names. */
export const PLUGINS: Repository = {
  name: 'plugins',
  words: ROWS.flatMap(({ files = {} }) => {
    const [first = ''] = Object.keys(files);
    return ['--plugin-dir', first.split('/').slice(0, 2).join('/')];
  }),
  rows: ROWS,
};
