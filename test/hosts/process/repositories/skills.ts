import {
  type Content,
  type Files,
  notUtf8,
  type Repository,
  type Row,
  utf16,
  withFields,
} from './repository';

const listed = (name: string) => [`- ${name}: Does ${name}`];
const file = (name: string, content: Content): Files => ({
  [`.claude/skills/${name}/SKILL.md`]: content,
});
const row = (
  of: string,
  name: string,
  content: Content,
  becomes: Omit<Row, 'of' | 'files'>,
): Row => ({
  of,
  files: file(name, content),
  ...becomes,
});

/** A skill that is there though one field of it is not as it should be. */
const kept = (of: string, name: string, line: string, words: string): Row =>
  row(of, name, withFields(`name: ${name}\ndescription: Does ${name}\n${line}`), {
    told: [`./.claude/skills/${name}/SKILL.md, line 4: ${words}`],
    sent: listed(name),
  });

/** A skill that is not there. */
const gone = (of: string, name: string, content: Content, words: string): Row =>
  row(of, name, content, {
    told: [`./.claude/skills/${name}/SKILL.md, line ${words}`],
    unsent: [`- ${name}:`, `- ${name}\n`],
  });

/** Skills, well and badly written; each file is read beside all others. */
export const SKILLS: Repository = {
  name: 'skills',
  rows: [
    row(
      'every field',
      'whole',
      withFields(
        [
          'name: whole\ndescription: Does whole\nwhen_to_use: When all is asked for.',
          'argument-hint: [file] [line]\narguments: file, line\nallowed-tools: Bash(git *), Read',
          'disallowed-tools: [WebFetch]\nmodel: haiku\neffort: high\nshell: bash\nlicense: MIT',
          'compatibility: any\nmetadata: {author: me}\nbackground: false',
        ].join('\n'),
      ),
      { sent: ['- whole: Does whole When all is asked for.'] },
    ),
    row('no fields', 'bare', '# Ties knots\nLike this.', { sent: ['- bare: Ties knots'] }),
    row(
      'only for people',
      'people',
      withFields('description: Secret\ndisable-model-invocation: true'),
      {
        unsent: ['Secret'],
      },
    ),
    row('only for some files', 'css', withFields('description: Styles pages\npaths: "*.css"'), {
      unsent: ['Styles pages'],
    }),
    row(
      'a byte order mark and CRLF',
      'windows',
      '\uFEFF---\r\nname: windows\r\ndescription: Does windows\r\n---\r\nWork.\r\n',
      { sent: listed('windows') },
    ),
    row('UTF-16', 'wide', utf16(withFields('name: wide\ndescription: Does wide')), {
      told: ['./.claude/skills/wide/SKILL.md, line 1: the file is read as UTF-16'],
      sent: listed('wide'),
    }),
    row('a number for a description', 'count', withFields('name: count\ndescription: 5'), {
      sent: ['- count: 5'],
    }),
    row(
      'another name than its folder',
      'folder',
      withFields('name: other\ndescription: Does folder'),
      {
        told: [
          './.claude/skills/folder/SKILL.md, line 2: name: it is called folder, as its folder is',
        ],
        sent: listed('folder'),
      },
    ),
    row(
      'a list for a description',
      'words',
      withFields('name: words\ndescription: [1]', 'Says words'),
      {
        told: ['./.claude/skills/words/SKILL.md, line 3: description: a text is expected'],
        sent: ['- words: Says words'],
      },
    ),
    row(
      'a long description',
      'long',
      withFields(`name: long\ndescription: ${'w '.repeat(2_000)}`),
      {
        told: ['./.claude/skills/long/SKILL.md, line 3: description: cut after 1536 characters'],
        sent: ['- long: w w'],
      },
    ),
    kept('a name from every object', 'proto', '__proto__:\n  polluted: true', '__proto__: this is'),
    kept('a number of tools', 'number', 'allowed-tools: 5', 'allowed-tools: a list of texts'),
    kept('a rule that is open', 'rule', 'allowed-tools: "Bash(git"', 'allowed-tools: '),
    kept(
      'a tool that is not there',
      'typo',
      'allowed-tools: Raed',
      'allowed-tools: The rule “Raed”',
    ),
    // It keeps the model away, as the user may have meant.
    row(
      'a text for a switch',
      'maybe',
      withFields('name: maybe\ndescription: Does maybe\ndisable-model-invocation: maybe'),
      {
        told: ['./.claude/skills/maybe/SKILL.md, line 4: disable-model-invocation: '],
        unsent: ['- maybe:', '- maybe\n'],
      },
    ),
    kept('a number for a switch', 'three', 'user-invocable: 3', 'user-invocable: true or false'),
    kept('a context that is none', 'spoon', 'context: spoon', 'context: "fork" is expected'),
    kept('hooks that are a text', 'hooked', 'hooks: touch PWNED', 'hooks: an object of events'),
    kept('paths that are none', 'paths', 'paths: 5', 'paths: a list of texts is expected'),
    kept('another shell', 'fish', 'shell: fish', 'shell: "bash" is expected'),
    kept('an effort that is none', 'huge', 'effort: huge', 'effort: one of low, medium, high'),
    kept('arguments that are none', 'args', 'arguments: 5', 'arguments: a list of texts'),
    kept('facts that are none', 'facts', 'metadata: 5', 'metadata: an object is expected'),
    kept(
      'a field that is near to one',
      'near',
      'allowed_tools: Read',
      'allowed_tools: there is no',
    ),
    gone('denied tools that are none', 'deny', withFields('disallowed-tools: 5'), '2: disallowed-'),
    gone(
      'a field twice',
      'double',
      withFields('name: double\nname: a'),
      '3: Map keys must be unique',
    ),
    gone('a tab', 'tab', withFields('name: tab\n\tdescription: b'), '3: Tabs are not allowed'),
    gone('fields that are a text', 'scalar', withFields('just text'), '2: "name: value" lines are'),
    gone('fields that are a list', 'items', withFields('- a\n- b'), '2: "name: value" lines are'),
    gone('an empty file', 'empty', '', '1: the file is empty, so there is no such skill'),
    gone('fields without an end', 'open', '---\nname: open\nWork.', '1: the line --- that ends'),
    gone(
      'brackets without end',
      'brackets',
      withFields(`metadata: ${'['.repeat(20_000)}`),
      '2: it is nested too deeply',
    ),
    gone(
      'a file over its size',
      'gigabyte',
      { begins: withFields('name: gigabyte\ndescription: Does gigabyte'), bytes: 2 ** 30 },
      '1: its size is 1073741824 bytes',
    ),
    gone('a link to itself', 'loop', { link: 'SKILL.md' }, '1: left out: The links in'),
    gone('a link to a device', 'zero', { link: '/dev/zero' }, '1: left out: it is a link'),
    gone('a pipe', 'pipe', { pipe: true }, '1: left out: it is a device, a pipe or a socket'),
    row('bytes that are no text', 'bytes', notUtf8(withFields('description: Does ¿')), {
      told: ['./.claude/skills/bytes/SKILL.md, line 2: some of it is not UTF-8 text'],
    }),
    gone(
      'a name that cannot be typed',
      'two words',
      withFields('description: b'),
      '1: "two words" cannot be typed as a command',
    ),
    gone(
      'the name of a command of Lathe',
      'compact',
      withFields('description: Evil'),
      '1: left out: /compact is a command of Lathe already',
    ),
    {
      of: 'a user has one of the same name',
      files: {
        '~/.claude/skills/mine/SKILL.md': withFields('description: Does mine'),
        ...file('mine', withFields('description: Theirs')),
      },
      told: ['./.claude/skills/mine/SKILL.md, line 1: left out: /mine is ~/.claude/skills/mine'],
      sent: listed('mine'),
      unsent: ['Theirs'],
    },
    {
      of: 'a folder that leads back',
      files: { '.claude/skills/round': { link: '..' } },
      told: ['./.claude/skills/round, line 1: left out: it is a link to a folder that it is in'],
    },
  ],
};

const command = (
  of: string,
  name: string,
  content: Content,
  becomes: Omit<Row, 'of' | 'files'>,
): Row => ({ of, files: { [`.claude/commands/${name}.md`]: content }, ...becomes });

/** Commands that are only listed: nothing in them runs. */
export const COMMANDS: Repository = {
  name: 'commands',
  rows: [
    command('a folder of its own', 'dock/ship', withFields('description: Docks a ship'), {
      sent: ['- dock:ship: Docks a ship'],
    }),
    command('no fields', 'bare', 'Ties knots', { sent: ['- bare: Ties knots'] }),
    command('UTF-16', 'wide', utf16('Goes wide'), {
      told: ['./.claude/commands/wide.md, line 1: the file is read as UTF-16'],
      sent: ['- wide: Goes wide'],
    }),
    command(
      'a command line in its text, which it allows itself',
      'shell',
      withFields('allowed-tools: Bash(touch:*)', '!`touch PWNED`'),
      { sent: ['- shell'] },
    ),
    command(
      'a command line in its description',
      'told',
      withFields('description: "!`touch PWNED`"'),
      { sent: ['- told: !`touch PWNED`'] },
    ),
    command('a number of tools', 'number', withFields('allowed-tools: 5', 'Counts'), {
      told: ['./.claude/commands/number.md, line 2: allowed-tools: a list of texts is expected'],
      sent: ['- number: Counts'],
    }),
    command('a name from every object', 'proto', withFields('__proto__: 5', 'Inherits'), {
      told: ['./.claude/commands/proto.md, line 2: __proto__: this is no name of a field'],
      sent: ['- proto: Inherits'],
    }),
    command('an empty file', 'empty', '', {
      told: ['./.claude/commands/empty.md, line 1: the file is empty, so there is no such command'],
      unsent: ['- empty'],
    }),
    command('fields without an end', 'open', '---\ndescription: x\nBody', {
      told: ['./.claude/commands/open.md, line 1: the line --- that ends the fields is missing'],
      unsent: ['- open'],
    }),
    command(
      'a file over its size',
      'gigabyte',
      { begins: 'x', bytes: 2 ** 30 },
      {
        told: ['./.claude/commands/gigabyte.md, line 1: its size is 1073741824 bytes'],
        unsent: ['- gigabyte'],
      },
    ),
    command('bytes that are no text', 'bytes', notUtf8('Goes ¿'), {
      told: ['./.claude/commands/bytes.md, line 1: some of it is not UTF-8 text'],
    }),
    command(
      'a pipe',
      'pipe',
      { pipe: true },
      {
        told: ['./.claude/commands/pipe.md, line 1: left out: it is a device'],
        unsent: ['- pipe'],
      },
    ),
    command(
      'a link to itself',
      'loop',
      { link: 'loop.md' },
      {
        told: ['./.claude/commands/loop.md, line 1: left out: The links in'],
      },
    ),
    command('no name', '', 'evil', {
      told: ['./.claude/commands/.md, line 1: "" cannot be typed as a command'],
    }),
    command('a name that turns what follows around', '\u202e', 'evil', {
      told: ['./.claude/commands/<U+202E>.md, line 1: "<U+202E>" cannot be typed'],
    }),
    command('the name of a command of Lathe', 'compact', 'evil', {
      told: [
        './.claude/commands/compact.md, line 1: left out: /compact is a command of Lathe already',
      ],
    }),
    {
      of: 'a skill of the same name',
      files: {
        '.claude/commands/both.md': 'Of the command',
        '.claude/skills/both/SKILL.md': withFields('description: Of the skill'),
      },
      told: [
        './.claude/commands/both.md, line 1: left out: /both is ./.claude/skills/both/SKILL.md',
      ],
      sent: ['- both: Of the skill'],
      unsent: ['Of the command'],
    },
  ],
};

/** Commands that a user types. */
export const TYPED_COMMANDS: readonly Repository[] = [
  {
    name: 'arguments',
    prompt: '/say one "two three"',
    rows: [
      {
        of: 'every way to name one',
        files: {
          '.claude/commands/say.md': withFields(
            'arguments: first second',
            'All: $ARGUMENTS. Second: $ARGUMENTS[1], $1, $second. First: $0.',
          ),
        },
        sent: ['All: one \\"two three\\". Second: two three, two three, two three. First: one.'],
      },
    ],
  },
  {
    name: 'arguments with a command line and a file',
    prompt: '/say !`touch PWNED` @/etc/passwd',
    rows: [
      {
        of: 'they stay text',
        files: { '.claude/commands/say.md': 'Say $ARGUMENTS' },
        sent: ['Say !`touch PWNED` @/etc/passwd'],
        unsent: ['root:'],
      },
    ],
  },
  {
    name: 'a command line that nobody allowed',
    prompt: '/make',
    rows: [
      {
        of: 'it does not run',
        files: { '.claude/commands/make.md': '!`touch PWNED`' },
        unsent: ['root:'],
      },
    ],
  },
  {
    name: 'a command that includes files',
    prompt: '/read',
    rows: [
      {
        of: 'one of the project is read, those outside are not',
        files: {
          '.claude/commands/read.md': 'Read @note.txt @/etc/passwd',
          'note.txt': 'The tide is low.',
        },
        sent: ['The tide is low.', 'lies outside the working directories'],
        unsent: ['root:'],
      },
    ],
  },
];
