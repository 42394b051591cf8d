import { createHash } from 'node:crypto';
import path from 'node:path';
import type { Files } from '../ports';
import type { FullFinding } from './findings';

/** Bounds of the look into `.claude`: more is named as one finding, so that nothing hides behind them. */
const MAX_FILES = 300;
const MAX_DEPTH = 5;
const MAX_FILE_BYTES = 512 * 1024;

/** Frontmatter that makes an agent, skill or command run something or need no permission. CONVENTIONS 6. */
const ACTIVE_FRONTMATTER =
  /^(hooks|mcpServers|allowed-tools|tools|permissionMode|shell|model|isolation)\s*:/m;

/** The agents, skills and commands of a folder that would run or be allowed something. */
export async function findFolderScripts(files: Files, project: string): Promise<FullFinding[]> {
  const found: FullFinding[] = [];
  const budget = { left: MAX_FILES };
  for (const [folder, kind] of FOLDERS) {
    const root = path.join(project, '.claude', folder);
    await search(files, root, kind, MAX_DEPTH, budget, found);
  }
  if (budget.left < 0) {
    const file = path.join(project, '.claude');
    const detail = `more than ${MAX_FILES} files of agents, skills and commands`;
    found.push({ kind: 'other', what: '.claude', detail, content: detail, file });
  }
  return found;
}

const FOLDERS = [
  ['agents', 'agents'],
  ['skills', 'skills'],
  ['commands', 'skills'],
] as const;

async function search(
  files: Files,
  folder: string,
  kind: 'agents' | 'skills',
  depth: number,
  budget: { left: number },
  found: FullFinding[],
): Promise<void> {
  const listed = await files.list(folder);
  if (!listed.ok || depth === 0) return;
  for (const entry of [...listed.value].sort((a, b) => a.name.localeCompare(b.name))) {
    if (--budget.left < 0) return;
    const file = path.join(folder, entry.name);
    if (entry.kind === 'directory') await search(files, file, kind, depth - 1, budget, found);
    else if (entry.kind !== 'other') {
      const finding = await judge(files, file, kind);
      if (finding) found.push(finding);
    }
  }
}

async function judge(
  files: Files,
  file: string,
  kind: 'agents' | 'skills',
): Promise<FullFinding | null> {
  const bytes = await files.read(file, MAX_FILE_BYTES);
  const text = bytes.ok ? new TextDecoder().decode(bytes.value) : '';
  const content = bytes.ok ? createHash('sha256').update(bytes.value).digest('hex') : 'unreadable';
  const what = path.basename(file);
  if (!file.endsWith('.md')) return { kind, what, detail: 'a file it can run', content, file };
  const frontmatter = /^---\r?\n([\s\S]*?)\r?\n---/.exec(text)?.[1] ?? '';
  const active = ACTIVE_FRONTMATTER.exec(frontmatter)?.[1];
  const inline = /!`([^`\n]+)`/.exec(text)?.[1];
  if (!active && !inline) return null;
  const detail = inline ? `runs ${inline}` : `sets ${active}`;
  return { kind, what, detail: detail.slice(0, 300), content, file };
}
