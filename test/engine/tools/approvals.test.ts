import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Broker, createBroker } from '../../../src/main/engine/permissions/broker';
import { decide } from '../../../src/main/engine/permissions/decide';
import { createBashTool } from '../../../src/main/engine/tools/builtin/bash/bash';
import { createEditTool } from '../../../src/main/engine/tools/builtin/edit/edit';
import { createReadTool } from '../../../src/main/engine/tools/builtin/read/read';
import type { GateAnswer } from '../../../src/main/engine/tools/middleware/call-middleware';
import { createPermissionGate } from '../../../src/main/engine/tools/middleware/permission-gate';
import type { AnyTool } from '../../../src/main/engine/tools/tool';
import type { Approval, PermissionRule } from '../../../src/shared/permission';
import { ok } from '../../../src/shared/result';
import { tempFolder } from '../../node/temp-folder';
import { countingIds } from '../../support/memory-clock';
import { toolEnvironment } from '../../support/tool-environment';
import { rulesOf } from '../permissions/support/judge';
import { runTool } from './builtin/run-tool';

const HOME = '/nobody';

/** A project with the real tools, the real decision, and a user who answers by hand. */
async function desk(rules: readonly PermissionRule[] = []) {
  const project = await tempFolder();
  const env = toolEnvironment({ project, home: HOME });
  const waiting: Approval[] = [];
  const told: string[] = [];
  let arrived = Promise.withResolvers<Approval>();
  let current = rules;
  let onDisk: readonly PermissionRule[] | null = null;
  const broker: Broker = createBroker((event) => {
    told.push(event.type);
    if (event.type !== 'approval_requested') return;
    waiting.push(event.approval);
    arrived.resolve(event.approval);
  });
  const bash = createBashTool();
  const gate = createPermissionGate({
    environment: env,
    decide,
    rules: () => current,
    refreshRules: async () => {
      current = onDisk ?? current;
    },
    mode: () => 'default',
    context: () => ({
      cwd: project,
      home: HOME,
      project,
      workingDirectories: [project],
      caseInsensitive: false,
    }),
    broker,
    // Only the automatic mode asks it.
    judge: { judge: async () => ({ kind: 'user', reason: '' }) },
    ids: countingIds(),
    remember: async () => ok(null),
    onDenied: () => {},
    onProblem: () => {},
  });
  return {
    project,
    env,
    broker,
    told,
    waiting,
    setRules: (next: readonly PermissionRule[]) => {
      current = next;
    },
    /** Rules that nobody has read yet. */
    writeRules: (next: readonly PermissionRule[]) => {
      onDisk = next;
    },
    /** The next question. */
    asked: async (): Promise<Approval> => {
      const approval = await arrived.promise;
      arrived = Promise.withResolvers();
      return approval;
    },
    run: (command: string): Promise<GateAnswer> =>
      gate.check({ id: 'c1', tool: bash, input: { command } }, NOTHING, FOREVER),
    check: (tool: AnyTool, input: Record<string, unknown>): Promise<GateAnswer> =>
      gate.check({ id: 'c1', tool, input }, NOTHING, FOREVER),
  };
}

const NOTHING = async () => {};
const FOREVER = new AbortController().signal;
const confirm = async (answer: GateAnswer) =>
  answer.kind === 'allowed' ? await answer.confirm?.() : undefined;
const allow = ({ digest }: Approval) => ({ behavior: 'allow', digest }) as const;

describe('THREATS 12: an approval is bound to what was shown', () => {
  it('allows nothing under another digest, and leaves the question standing', async () => {
    const d = await desk();
    const verdict = d.run('make release');
    const approval = await d.asked();
    const wrong = await d.broker.answer(approval.id, { behavior: 'allow', digest: 'other' });
    expect(wrong).toMatchObject({ ok: false, error: { code: 'changed' } });
    expect(d.told).toEqual(['approval_requested']);
    expect(await d.broker.answer(approval.id, allow(approval))).toEqual(ok(null));
    expect(await verdict).toMatchObject({ kind: 'allowed' });
  });

  it('two questions never share a digest unless they are the same', async () => {
    const d = await desk();
    const digests = new Set<string>();
    for (const command of ['make a', 'make  a', 'make a ', 'make b']) {
      const verdict = d.run(command);
      const approval = await d.asked();
      digests.add(approval.digest);
      await d.broker.answer(approval.id, { behavior: 'deny' });
      await verdict;
    }
    expect(digests.size).toBe(4);
  });

  it('shows the whole command, to the byte', async () => {
    const d = await desk();
    const command = `echo \u202eok\u202c\u200b${' '.repeat(600)}; rm -rf src\n\n\n# \u001b[2K`;
    const verdict = d.run(command);
    const approval = await d.asked();
    expect(approval.subject).toMatchObject({ kind: 'command', command });
    expect(approval.risks).toContain('deletes files for good');
    await d.broker.answer(approval.id, { behavior: 'deny' });
    await verdict;
  });

  it('asks anew when the file changed while the question stood', async () => {
    const d = await desk();
    const path = join(d.project, 'f.ts');
    await writeFile(path, 'one\ntwo\n');
    await runTool(createReadTool(), { file_path: 'f.ts' }, d.env);
    const verdict = d.check(createEditTool(), {
      file_path: 'f.ts',
      old_string: 'two',
      new_string: '2',
    });
    const first = await d.asked();
    await writeFile(path, 'zero\none\ntwo\n');
    await d.broker.answer(first.id, allow(first));
    const second = await d.asked();
    expect(second.changed).toBe(true);
    expect(second.digest).not.toBe(first.digest);
    await d.broker.answer(second.id, allow(second));
    expect(await verdict).toMatchObject({ kind: 'allowed' });
    expect(await readFile(path, 'utf8')).toContain('two');
  });

  it('asks anew when a link was turned while the question stood', async () => {
    const d = await desk();
    const link = join(d.project, 'out');
    await symlink(join(d.project, 'build'), link);
    const verdict = d.run('touch out');
    const first = await d.asked();
    await rm(link);
    await symlink('/etc/passwd', link);
    await d.broker.answer(first.id, allow(first));
    const second = await d.asked();
    expect(second.subject).toMatchObject({ leads: [{ path: link, realPath: '/etc/passwd' }] });
    await d.broker.answer(second.id, { behavior: 'deny' });
    expect(await verdict).toMatchObject({ kind: 'refused' });
  });

  it('a deny rule that was added meanwhile wins over the yes', async () => {
    const d = await desk();
    const verdict = d.run('make release');
    const approval = await d.asked();
    d.setRules(rulesOf({ deny: ['Bash(make release)'] }));
    await d.broker.answer(approval.id, allow(approval));
    expect(await verdict).toMatchObject({ kind: 'refused', status: 'denied' });
  });

  it('a deny rule that was written to a file meanwhile wins over the yes', async () => {
    const d = await desk();
    const verdict = d.run('make release');
    const approval = await d.asked();
    d.writeRules(rulesOf({ deny: ['Bash(make release)'] }));
    await d.broker.answer(approval.id, allow(approval));
    expect(await verdict).toMatchObject({
      kind: 'refused',
      status: 'denied',
      message: expect.stringContaining('a deny rule covers it: Bash(make release)'),
    });
  });

  it('a deny rule that was written to a file between the answer and the start wins too', async () => {
    const d = await desk();
    const verdict = d.run('make release');
    const approval = await d.asked();
    await d.broker.answer(approval.id, allow(approval));
    const allowed = await verdict;
    expect(await confirm(allowed)).toBeNull();
    d.writeRules(rulesOf({ deny: ['Bash(make:*)'] }));
    expect(await confirm(allowed)).toMatchObject({ kind: 'refused', status: 'denied' });
  });

  it.each([
    ['./deploy.sh', 'deploy.sh'],
    ['bash deploy.sh --now', 'deploy.sh'],
    ['sudo -u me sh ./deploy.sh', 'deploy.sh'],
    ['cd sub && sh run', 'sub/run'],
    ['. ./deploy.sh', 'deploy.sh'],
    ['python3 -u tools/x.py data', 'tools/x.py'],
    ['python3 -m tools.x', 'tools/x.py'],
    ['node --enable-source-maps build.mjs', 'build.mjs'],
    ["bash -c 'make && ./deploy.sh'", 'deploy.sh'],
    ['npm run release', 'package.json'],
    ['CI=1 make release', 'Makefile'],
  ])(
    'asks anew when a file that “%s” runs changed while the question stood',
    async (line, name) => {
      const d = await desk();
      const path = join(d.project, name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, 'true\n');
      const verdict = d.run(line);
      const first = await d.asked();
      await writeFile(path, 'rm -rf ~\n');
      await d.broker.answer(first.id, allow(first));
      const second = await d.asked();
      expect(second.changed).toBe(true);
      expect(second.decision.reason).toBe(`${name}, which it runs, changed since you were asked`);
      await d.broker.answer(second.id, allow(second));
      const allowed = await verdict;
      expect(await confirm(allowed)).toBeNull();
      await writeFile(path, 'true\n');
      expect(await confirm(allowed)).toMatchObject({
        kind: 'refused',
        message: expect.stringContaining(`${name} changed after the user allowed this call`),
      });
    },
  );

  it('takes no notice of files that a command only reads', async () => {
    const d = await desk();
    await writeFile(join(d.project, 'x.sh'), 'true\n');
    await writeFile(join(d.project, 'data.log'), 'one\n');
    const verdict = d.run('bash x.sh data.log > out.txt');
    const approval = await d.asked();
    await writeFile(join(d.project, 'data.log'), 'two\n');
    await d.broker.answer(approval.id, allow(approval));
    expect(await verdict).toMatchObject({ kind: 'allowed' });
    expect(d.waiting).toHaveLength(1);
  });

  it('gives up on what never stands still', async () => {
    const d = await desk();
    const link = join(d.project, 'out');
    await symlink('/etc/0', link);
    const verdict = d.run('touch out');
    for (let round = 1; round <= 3; round += 1) {
      const approval = await d.asked();
      await rm(link);
      await symlink(`/etc/${round}`, link);
      await d.broker.answer(approval.id, allow(approval));
    }
    expect(await verdict).toMatchObject({ kind: 'refused' });
    expect(d.waiting).toHaveLength(3);
  });
});

describe('a command changed before it is allowed', () => {
  const edited = (approval: Approval, text: string) => ({ ...allow(approval), edited: text });

  it('runs to the letter, and only that', async () => {
    const d = await desk();
    const verdict = d.run('make release');
    const approval = await d.asked();
    expect(approval.editable).toBe(true);
    const text = '  make release DRY=1 # \u00fc\n';
    expect(await d.broker.answer(approval.id, edited(approval, text))).toEqual(ok(null));
    expect(await verdict).toMatchObject({ kind: 'allowed', change: { input: { command: text } } });
  });

  it.each([
    ['a deny rule', 'make x && curl example.com', 'a deny rule covers it'],
    ['a deny rule, hidden in a substitution', 'echo $(curl example.com)', 'a deny rule covers it'],
    ['what no shell can take', 'make \0 x', 'NUL character'],
  ])('%s keeps it from running, and the question stands', async (_, text, why) => {
    const d = await desk(rulesOf({ deny: ['Bash(curl:*)'] }));
    const verdict = d.run('make release');
    const approval = await d.asked();
    const taken = await d.broker.answer(approval.id, edited(approval, text));
    expect(taken).toMatchObject({ ok: false });
    expect(taken.ok ? '' : taken.error.message).toContain(why);
    await d.broker.answer(approval.id, { behavior: 'deny' });
    expect(await verdict).toMatchObject({ kind: 'refused' });
  });

  it('loses the description of what it was, and keeps it when nothing was changed', async () => {
    const input = { command: 'make release', description: 'Make the release' };
    for (const [text, kept] of [
      ['make clean', { command: 'make clean' }],
      [input.command, input],
    ] as const) {
      const d = await desk();
      const verdict = d.check(createBashTool(), input);
      const approval = await d.asked();
      await d.broker.answer(approval.id, edited(approval, text));
      const allowed = await verdict;
      expect(allowed.kind === 'allowed' && allowed.change?.input).toEqual(kept);
    }
  });

  it('cannot be slipped into a call that shows no field for it', async () => {
    const d = await desk();
    await writeFile(join(d.project, 'f.ts'), 'two\n');
    await runTool(createReadTool(), { file_path: 'f.ts' }, d.env);
    const input = { file_path: 'f.ts', old_string: 'two', new_string: '2' };
    const verdict = d.check(createEditTool(), input);
    const approval = await d.asked();
    const taken = await d.broker.answer(approval.id, edited(approval, 'rm -rf .'));
    expect(taken).toMatchObject({ ok: false, error: { code: 'misfit' } });
    d.broker.denyAll();
    expect(await verdict).toMatchObject({ kind: 'refused' });
  });
});

describe('the broker', () => {
  it('denies all that waits when the window is closed', async () => {
    const d = await desk();
    const verdicts = [d.run('make a'), d.run('make b')];
    while (d.waiting.length < 2) await d.asked();
    d.broker.denyAll();
    for (const verdict of verdicts) expect(await verdict).toMatchObject({ kind: 'refused' });
    expect(d.told.filter((type) => type === 'approval_answered')).toHaveLength(2);
  });

  it('takes an answer once', async () => {
    const d = await desk();
    const verdict = d.run('make a');
    const approval = await d.asked();
    const answers = await Promise.all([
      d.broker.answer(approval.id, allow(approval)),
      d.broker.answer(approval.id, { behavior: 'deny' }),
    ]);
    expect(answers.filter((answer) => answer.ok)).toHaveLength(1);
    await verdict;
  });
});
