import { type RecordedRequest, type Script, startScriptedApi } from '../../support/scripted-api';
import { error } from '../../support/scripted-api-replies';
import { type Finished, lathe, linesOf, makeWorkspace } from './lathe';

/** A run of the built command line against a server that misbehaves. */
export interface Played extends Finished {
  readonly requests: readonly RecordedRequest[];
  /** When each request came, milliseconds. */
  readonly at: readonly number[];
  /** What the API would have refused of the bodies sent. */
  readonly refusals: readonly string[];
}

/** The answers of a server, and how the run begins. */
export interface Scene {
  readonly script: Script;
  readonly format?: 'text' | 'json' | 'stream-json';
  readonly env?: Readonly<Record<string, string>>;
  readonly words?: readonly string[];
}

/** Plays a scene to its end. */
export async function play({
  script,
  format = 'stream-json',
  env,
  words = [],
}: Scene): Promise<Played> {
  const workspace = await makeWorkspace();
  const at: number[] = [];
  const startedAt = performance.now();
  const api = await startScriptedApi((request, number) => {
    at.push(performance.now() - startedAt);
    if (typeof script === 'function') return script(request, number);
    return script[number] ?? error(400, 'the scene has no answer left');
  });
  try {
    const run = lathe(
      workspace,
      [
        '-p',
        'go',
        '--output-format',
        format,
        ...(format === 'stream-json' ? ['--verbose'] : []),
        '--trust',
        '--allowedTools',
        'Bash(echo *)',
        ...words,
      ],
      { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'sk-test-0123456789', ...env },
    );
    run.child.stdin.end();
    const finished = await run.finished;
    // Servers differ in their port only.
    const stdout = finished.stdout.replaceAll(new URL(api.url).host, 'api.test');
    const stderr = finished.stderr.replaceAll(new URL(api.url).host, 'api.test');
    return { ...finished, stdout, stderr, requests: api.requests, at, refusals: api.refusals };
  } finally {
    await api.close();
    await workspace.remove();
  }
}

/** The end of one prompt of a session. */
export interface Turn {
  readonly lines: ReturnType<typeof linesOf>;
  readonly requests: readonly RecordedRequest[];
  /** When each request came, milliseconds. */
  readonly at: readonly number[];
}

/** One session in which each script answers a prompt of its own: what a run gets over leaves it as it was. */
export async function converse(scripts: readonly Script[]) {
  const workspace = await makeWorkspace();
  const turns = scripts.map(() => ({
    lines: '',
    requests: [] as RecordedRequest[],
    at: [] as number[],
  }));
  let now = 0;
  const api = await startScriptedApi((request) => {
    const [script, turn] = [scripts[now], turns[now]];
    turn?.at.push(performance.now());
    const number = (turn?.requests.push(request) ?? 0) - 1;
    const answer = typeof script === 'function' ? script(request, number) : script?.[number];
    return answer ?? error(400, 'the scene has no answer left');
  });
  try {
    const streams = [
      '--input-format',
      'stream-json',
      '--output-format',
      'stream-json',
      '--verbose',
    ];
    const run = lathe(workspace, [...streams, '--trust', '--allowedTools', 'Bash(echo *)'], {
      ANTHROPIC_BASE_URL: api.url,
      ANTHROPIC_API_KEY: 'sk-test-0123456789',
    });
    const ask = () =>
      now < scripts.length
        ? run.child.stdin.write('{"type":"user","message":{"role":"user","content":"go"}}\n')
        : run.child.stdin.end();
    let rest = '';
    run.child.stdout.on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const turn = turns[now];
        if (turn) turn.lines += `${line}\n`;
        if (JSON.parse(line).type !== 'result') continue;
        now += 1;
        ask();
      }
    });
    ask();
    const { code, stderr } = await run.finished;
    const told = turns.map((turn): Turn => ({ ...turn, lines: linesOf(turn.lines) }));
    return { code, stderr, refusals: api.refusals, turns: told };
  } finally {
    await api.close();
    await workspace.remove();
  }
}
