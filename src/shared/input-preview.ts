import { fromProject } from './tool-call';

/** The part of an input that a preview looks at. Characters. */
const MAX_PREVIEW = 65_536;

/**
 * Parses a tool input whose JSON is still streaming: complete fields, and the beginning of a text that is being received.
 * For showing only: what runs is the finished block's strictly parsed input. The cost grows with the length, so call it
 * when something is drawn, not for every delta.
 */
export function previewInput(json: string): Readonly<Record<string, unknown>> {
  const text = json.slice(0, MAX_PREVIEW);
  const { inString, closers, safe } = scan(text);
  const openEnd = inString ? `${text.replace(/\\(u[0-9a-fA-F]{0,3})?$/, dropOdd(text))}"` : text;
  return parse(openEnd + closers) ?? parse(safe) ?? {};
}

/** Keeps the backslash of a whole `\\` at the end, drops one that only begins an escape. */
const dropOdd = (text: string) => (match: string) => {
  const run = /\\+$/.exec(text)?.[0].length ?? 1;
  return match === '\\' && run % 2 === 0 ? match : '';
};

/** Finds what closes the text; `safe` is its longest beginning that is whole, closed. */
function scan(text: string): { inString: boolean; closers: string; safe: string } {
  let inString = false;
  let closers = '';
  let safe = '';
  for (let i = 0; i < text.length; i += 1) {
    const c = text[i];
    if (inString) {
      if (c === '\\') i += 1;
      else if (c === '"') inString = false;
    } else if (c === '"') inString = true;
    else if (c === '{' || c === '[') {
      closers = (c === '{' ? '}' : ']') + closers;
      safe = text.slice(0, i + 1) + closers;
    } else if (c === '}' || c === ']') {
      closers = closers.slice(1);
      safe = text.slice(0, i + 1) + closers;
    } else if (c === ',') safe = text.slice(0, i) + closers;
  }
  return { inString, closers, safe };
}

function parse(json: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? { ...value }
      : null;
  } catch {
    return null;
  }
}

/** The fields that name what a call is about, the most telling first. */
const TARGETS = [
  'file_path',
  'notebook_path',
  'command',
  'pattern',
  'url',
  'query',
  'description',
  'path',
];

/** Longer targets are cut on the line of a call. Characters. */
const MAX_TARGET = 300;

/**
 * Returns what a call is about, as far as its input has been received, with paths told from the root of `project`;
 * '' while nothing tells, and while a path has not come to its end in the project.
 */
export function previewTarget(json: string, project: string): string {
  const input = previewInput(json);
  const target = TARGETS.map((name) => input[name]).find(
    (value) => typeof value === 'string' && value !== '',
  );
  if (typeof target !== 'string' || project.startsWith(target)) return '';
  return fromProject(target, project).slice(0, MAX_TARGET);
}
