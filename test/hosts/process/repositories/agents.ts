import { type Content, notUtf8, type Repository, type Row, utf16, withFields } from './repository';

/** Makes the row of one file of agents, which calls its agent as the file is called. */
function row(of: string, name: string, content: Content, becomes: Omit<Row, 'of' | 'files'>): Row {
  return { of, files: { [`.claude/agents/${name}.md`]: content }, ...becomes };
}
const listed = (name: string) => [`- ${name}: Helps ${name}`];

/** An agent that is there though one field of it is not as it should be. */
const kept = (of: string, name: string, line: string, words: string): Row =>
  row(of, name, withFields(`name: ${name}\ndescription: Helps ${name}\n${line}`), {
    told: [`./.claude/agents/${name}.md, line 4: ${words}`],
    sent: listed(name),
  });

/** An agent that is not there. */
const gone = (of: string, name: string, content: Content, words: string): Row =>
  row(of, name, content, {
    told: [`./.claude/agents/${name}.md, line ${words}`],
    unsent: [`- ${name}:`, `Helps ${name}`],
  });
const goneBy = (of: string, name: string, line: string, words: string): Row =>
  gone(of, name, withFields(`name: ${name}\ndescription: Helps ${name}\n${line}`), `4: ${words}`);

/** Kinds of sub-agents, well and badly defined. */
export const AGENTS: Repository = {
  name: 'agents',
  rows: [
    row(
      'every field',
      'whole',
      withFields(
        [
          'name: whole\ndescription: Helps whole',
          'tools: Read, Grep, mcp__files__read\ndisallowedTools: [Bash]\nmodel: haiku',
          'permissionMode: plan\nmaxTurns: 7\nskills: [style]\nmemory: project\nbackground: true',
          'effort: high\ncolor: green\nisolation: worktree\ninitialPrompt: Begin',
          'mcpServers: [files]\nhooks: {Stop: [{hooks: [{type: command, command: "true"}]}]}',
        ].join('\n'),
      ),
      { sent: listed('whole') },
    ),
    row('a folder of its own', 'deep/inner', withFields('name: inner\ndescription: Helps inner'), {
      sent: listed('inner'),
    }),
    row(
      'a byte order mark and CRLF',
      'windows',
      '\uFEFF---\r\nname: windows\r\ndescription: Helps windows\r\n---\r\nWork.\r\n',
      { sent: listed('windows') },
    ),
    row(
      'a description with a colon',
      'colon',
      withFields('name: colon\ndescription: Helps colon: always # really'),
      { sent: ['- colon: Helps colon: always'] },
    ),
    row('a text about agents', 'README', '# Agents\nSee the wiki.', { unsent: ['See the wiki'] }),
    {
      of: 'a user has one of the same name',
      files: {
        '~/.claude/agents/twice.md': withFields('name: twice\ndescription: Mine'),
        '.claude/agents/twice.md': withFields('name: twice\ndescription: Helps twice'),
      },
      sent: listed('twice'),
      unsent: ['- twice: Mine'],
    },
    kept('a tool that is not there', 'typo', 'tools: Bash, Raed', 'tools: there is no tool Raed'),
    kept('a part of a tool', 'part', 'tools: Bash(git *)', 'tools: Bash(git *) counts as Bash'),
    kept(
      'a mode that would make it freer',
      'free',
      'permissionMode: bypassPermissions',
      'permissionMode: bypassPermissions is not taken from a definition',
    ),
    kept('a mode that is none', 'wild', 'permissionMode: yolo', 'permissionMode: one of default'),
    kept('a number for a model', 'five', 'model: 5', 'model: a text is expected'),
    kept('turns below one', 'minus', 'maxTurns: -1', 'maxTurns: a whole number from 1'),
    kept('turns without end', 'endless', 'maxTurns: .inf', 'maxTurns: a whole number from 1'),
    kept('a name from every object', 'proto', '__proto__: {a: 1}', '__proto__: this is no name'),
    kept('a merge of YAML', 'merge', '<<: {tools: Bash}', '<<: this is no name of a field'),
    kept('a field that is near to one', 'near', 'tool: Read', 'tool: there is no such field (did'),
    kept('a memory of nobody', 'notes', 'memory: global', 'memory: one of user, project, local'),
    kept('a colour that is none', 'plaid', 'color: plaid', 'color: one of red, blue'),
    kept('hooks that are a text', 'hooked', 'hooks: touch PWNED', 'hooks: an object of events'),
    kept('a number for servers', 'served', 'mcpServers: 5', 'mcpServers: names of servers, or'),
    kept('a number for skills', 'skilled', 'skills: 5', 'skills: names of skills are expected'),
    kept('a text for a switch', 'maybe', 'background: maybe', 'background: true or false'),
    kept('an effort that is none', 'huge', 'effort: huge', 'effort: one of low, medium, high'),
    kept('a list for a prompt', 'begun', 'initialPrompt: [1]', 'initialPrompt: a text is expected'),
    goneBy('a number of tools', 'number', 'tools: 5', 'tools: names of tools are expected'),
    goneBy('a map of tools', 'map', 'tools: {a: b}', 'tools: names of tools are expected'),
    goneBy('a list in the list of tools', 'nested', 'tools: [[Bash]]', 'tools: names of tools'),
    goneBy('denied tools that are none', 'denied', 'disallowedTools: 5', 'disallowedTools: names'),
    goneBy('an isolation that is none', 'jail', 'isolation: jail', 'isolation: "worktree"'),
    gone('no name', 'nameless', withFields('description: Helps nameless'), '1: name: a text is'),
    gone('no description', 'mute', withFields('name: mute'), '1: description: a text is expected'),
    gone(
      'a list for a description',
      'listed',
      withFields('name: listed\ndescription: [a]'),
      '3: description: a text is expected, so there is no agent "listed"',
    ),
    gone(
      'a name that is a path',
      'path',
      withFields('name: ../../etc\ndescription: Helps path'),
      '2: name: letters, digits',
    ),
    gone(
      'a name with a control character',
      'bell',
      withFields('name: "a\\u0007b"\ndescription: Helps bell'),
      '2: name: letters, digits',
    ),
    gone(
      'a field twice',
      'double',
      withFields('name: double\nname: other\ndescription: Helps double'),
      '3: Map keys must be unique',
    ),
    gone(
      'a tab',
      'tab',
      withFields('name: tab\n\tdescription: Helps tab'),
      '3: Tabs are not allowed',
    ),
    gone(
      'aliases that grow',
      'bomb',
      withFields(
        'a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: [*b,*b,*b,*b,*b,*b,*b,*b]\nname: bomb\ndescription: Helps bomb',
      ),
      '4: c: ',
    ),
    gone(
      'a tag that makes an object of a program',
      'tag',
      withFields('name: tag\ndescription: !!python/object/apply:os.system ["touch PWNED"]'),
      '3: description: a text is expected',
    ),
    gone(
      'brackets without end',
      'brackets',
      withFields(`name: brackets\ndescription: Helps brackets\ntools: ${'['.repeat(20_000)}`),
      '2: it is nested too deeply',
    ),
    gone('an empty file', 'empty', '', '1: the file is empty, so it defines no agent'),
    gone('no fields', 'bare', 'Just text.', '1: it does not begin with fields'),
    gone(
      'fields without an end',
      'open',
      '---\nname: open\ndescription: Helps open\nWork.',
      '1: the line --- that ends the fields is missing',
    ),
    gone(
      'a file over its size',
      'gigabyte',
      { begins: withFields('name: gigabyte\ndescription: Helps gigabyte'), bytes: 2 ** 30 },
      '1: ./.claude/agents/gigabyte.md has a size of more than 524288 bytes',
    ),
    gone('a link to itself', 'loop', { link: 'loop.md' }, '1: left out: The links in'),
    gone('a link out of the project', 'out', { link: '/etc/passwd' }, '1: left out: it is a link'),
    gone('a link to a device', 'zero', { link: '/dev/zero' }, '1: left out: it is a link'),
    gone('a pipe', 'pipe', { pipe: true }, '1: left out: it is a device, a pipe or a socket'),
    row(
      'bytes that are no text',
      'bytes',
      notUtf8('---\nname: bytes\ndescription: Helps ¿\n---\n'),
      {
        told: ['./.claude/agents/bytes.md, line 3: some of it is not UTF-8 text'],
      },
    ),
    row('UTF-16', 'wide', utf16(withFields('name: wide\ndescription: Helps wide')), {
      told: ['./.claude/agents/wide.md, line 1: the file is read as UTF-16'],
      sent: listed('wide'),
    }),
    row(
      'two byte order marks',
      'marks',
      `\uFEFF\uFEFF${withFields('name: marks\ndescription: Helps marks')}`,
      {
        told: ['./.claude/agents/marks.md, line 1: the file begins with more than one byte order'],
        sent: listed('marks'),
      },
    ),
    {
      of: 'two files of one name',
      files: {
        '.claude/agents/a/same.md': withFields('name: same\ndescription: Helps same'),
        '.claude/agents/b/same.md': withFields('name: same\ndescription: Another'),
      },
      told: ['./.claude/agents/b/same.md, line 1: name: left out: ./.claude/agents/a/same.md'],
      sent: listed('same'),
      unsent: ['- same: Another'],
    },
    {
      of: 'a folder that leads back',
      files: { '.claude/agents/round': { link: '.' } },
      told: ['./.claude/agents/round, line 1: left out: it is a link to a folder that it is in'],
    },
  ],
};
