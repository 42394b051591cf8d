import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Returns an answer of Markdown, as a model writes it, of about `characters`: prose, lists, tables and code. */
export function longMarkdown(characters) {
  const parts = [];
  let length = 0;
  for (let i = 1; length < characters; i += 1) {
    const part = KINDS[i % KINDS.length](i);
    parts.push(part);
    length += part.length;
  }
  return parts.join('').slice(0, characters);
}

const sentence = (i) =>
  `Berth ${i} takes the \`${i % 24}:10\` ferry, which **loads** before the [tide table](https://example.com/${i}) turns, and the pilot is told in \`src/tides/berth-${i}.ts:${i}\` when it does. `;

const lines = (count, make) => Array.from({ length: count }, (_, i) => make(i)).join('\n');

const KINDS = [
  (i) => `## Part ${i}\n\n${sentence(i).repeat(3)}\n\n`,
  (i) => `${sentence(i).repeat(4)}\n\n`,
  (i) => `${lines(6, (k) => `- ${sentence(i + k)}`)}\n\n`,
  (i) =>
    `\`\`\`ts\n${lines(40, (k) => `export const berth${i}_${k} = (at: Date, load = ${k}): string => \`ferry \${at.getHours()} of \${load}\`; // ${k}`)}\n\`\`\`\n\n`,
  (i) =>
    `| Berth | Ferry | Load |\n| --- | --- | ---: |\n${lines(12, (k) => `| ${k} | ${i}:${k}0 to the island | ${k * i} |`)}\n\n`,
  (i) =>
    `\`\`\`python\n${lines(25, (k) => `def load_${i}_${k}(ferries: list[str]) -> int:\n    """Counts what waits."""\n    return len([f for f in ferries if f.startswith("${k}")])\n`)}\n\`\`\`\n\n`,
  (i) => `> ${sentence(i)}\n\n1. ${sentence(i)}\n2. ${sentence(i + 1)}\n\n`,
];

const USAGE = { inputTokens: 900, outputTokens: 300, cacheReadTokens: 0, cacheWriteTokens: 0 };

/** Returns the events of one query: a prompt, a Read, a command and an answer. Four messages on screen. */
function query(i, at) {
  const [asks, answers] = [`msg_a${i}`, `msg_b${i}`];
  const block = (messageId, index, content) => ({
    type: 'block_finished',
    messageId,
    model: 'claude-sonnet-5-5',
    index,
    block: content,
  });
  const finished = (messageId, stopReason) => ({
    type: 'message_finished',
    messageId,
    model: 'claude-sonnet-5-5',
    stopReason,
    usage: USAGE,
    costUsd: 0.004,
  });
  const output = lines(30, (k) => `line ${k} of ${i}: the ferry is loaded`);
  return [
    { type: 'query_started', queryId: `q${i}` },
    {
      type: 'user_message',
      id: `u${i}`,
      content: [{ type: 'text', text: `Question ${i}: which ferry is late?` }],
    },
    block(asks, 0, { type: 'text', text: sentence(i) }),
    block(asks, 1, {
      type: 'tool_use',
      id: `call${i}`,
      name: 'Bash',
      input: { command: `grep -n late log-${i}.txt` },
    }),
    finished(asks, 'tool_use'),
    {
      type: 'call_settled',
      callId: `call${i}`,
      tool: 'Bash',
      title: { verb: 'Bash', target: `grep -n late log-${i}.txt` },
      status: 'done',
      content: [{ type: 'text', text: output }],
      isError: false,
      view: {
        kind: 'shell',
        command: `grep -n late log-${i}.txt`,
        tail: output,
        totalLines: 30,
        exitCode: 0,
        background: false,
      },
      durationMs: 120,
    },
    block(answers, 0, {
      type: 'text',
      text: `Answer ${i}. ${sentence(i).repeat(2)}\n\n\`\`\`ts\nconst late = ${i};\n\`\`\`\n\n- ${sentence(i)}\n- ${sentence(i + 1)}`,
    }),
    finished(answers, 'end_turn'),
    {
      type: 'query_finished',
      queryId: `q${i}`,
      terminal: 'completed',
      text: `Answer ${i}.`,
      turns: 2,
      usage: USAGE,
      costUsd: 0.008,
      durationMs: 2400,
      apiMs: 2000,
      denials: [],
      stopReason: 'end_turn',
    },
  ].map((event, k) => ({ at: at + k, event }));
}

/**
 * Writes the log of a session of three days ago with `messages` messages (prompts, answers and results) into `$LATHE_HOME`. Gives its title
 * and its last answer.
 */
export function writeLongSession({ home, project }, messages) {
  const queries = messages / 4;
  const at = Date.now() - 3 * 86_400_000;
  const id = '01890000-0000-7000-8000-000000000001';
  const title = 'A session of many messages';
  const events = [
    { at, event: { type: 'session_started', version: 1, cwd: project, createdAt: at } },
    { at, event: { type: 'title_changed', title } },
    ...Array.from({ length: queries }, (_, i) => query(i + 1, at + i * 20)).flat(),
  ];
  const slug = project.replace(/[^A-Za-z0-9]/g, '-');
  const file = join(home, '.lathe', 'projects', slug, `${id}.jsonl`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, events.map((event) => `${JSON.stringify(event)}\n`).join(''));
  utimesSync(file, at / 1000, at / 1000);
  return { title, lastAnswer: `Answer ${queries}.` };
}
