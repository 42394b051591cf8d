import type { DurableEvent } from '../../../shared/agent-event';
import type { ResultContent, UserBlock } from '../../../shared/message';
import { pastedBody } from '../../../shared/paste';
import type { ExportFormat } from '../../../shared/session-export';
import type { StoredSession } from './list';
import type { LogLine } from './load';

/** One thing that a written-out session shows. */
interface ExportItem {
  readonly at: number;
  readonly who: 'user' | 'assistant' | 'tool' | 'note';
  /** Of a call: what it did. */
  readonly title?: string;
  readonly text: string;
  readonly failed?: true;
  /** The title of the sub-agent in whose conversation it stands. */
  readonly agent?: string;
  readonly images?: readonly ExportImage[];
}

/** An image as base64. */
interface ExportImage {
  readonly mediaType: string;
  readonly data: string;
}

/** Writes a session out piece by piece, so that nothing of it has to be kept. */
export interface SessionWriter {
  readonly begin: () => string;
  /** Returns what an event adds; empty when nothing. `agent`: the title of the sub-agent whose it is. */
  readonly add: (line: LogLine, agent?: string) => string;
  readonly end: () => string;
}

/** Creates the writer of a format. `mask` hides the secrets in a text. */
export function createSessionWriter(
  format: ExportFormat,
  session: Pick<StoredSession, 'id' | 'project' | 'title' | 'createdAt'>,
  mask: (text: string) => string,
): SessionWriter {
  const header = {
    id: session.id,
    title: mask(session.title) || 'Session',
    project: session.project,
    createdAt: new Date(session.createdAt).toISOString(),
  };
  const { begin, item, end } = FORMATS[format];
  let count = 0;
  return {
    begin: () => begin(header),
    add: ({ at, event }, agent) => {
      const shown = itemOf(at, event);
      if (shown === null) return '';
      count += 1;
      const { title, text } = shown;
      return item(
        {
          ...{ ...shown, text: mask(text) },
          ...(title === undefined ? {} : { title: mask(title) }),
          ...(agent === undefined ? {} : { agent: mask(agent) }),
        },
        count,
      );
    },
    end,
  };
}

function itemOf(at: number, event: DurableEvent): ExportItem | null {
  switch (event.type) {
    case 'user_message':
      return event.synthetic === true ? null : { at, who: 'user', ...contentOf(event.content) };
    case 'block_finished':
      return event.block.type === 'text' && event.block.text.trim() !== ''
        ? { at, who: 'assistant', text: event.block.text }
        : null;
    case 'call_settled': {
      const title = `${event.title.verb} ${event.title.target}`.trim();
      const item: ExportItem = { at, who: 'tool', title, ...contentOf(event.content) };
      return event.isError ? { ...item, failed: true } : item;
    }
    case 'compacted':
      return { at, who: 'note', text: `Older messages were summarised:\n\n${event.summary}` };
    case 'conversation_cleared':
      return { at, who: 'note', text: 'The conversation began anew here.' };
    case 'rewound':
      return { at, who: 'note', text: 'The conversation went back to before an earlier prompt.' };
    case 'notice':
      return event.level === 'info' ? null : { at, who: 'note', text: event.text };
    default:
      return null;
  }
}

/** Images that pages and viewers show. Others, and texts that are no base64, are only named. */
const SHOWN = /^image\/(?:png|jpeg|gif|webp)$/;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

function contentOf(
  blocks: readonly (UserBlock | ResultContent)[],
): Pick<ExportItem, 'text' | 'images'> {
  const images: ExportImage[] = [];
  const texts = blocks.map((block) => {
    if (block.type === 'text') return pastedBody(block.text) ?? block.text;
    if (block.type !== 'image') return `[${block.type}]`;
    const { media_type: mediaType, data } = block.source;
    if (SHOWN.test(mediaType) && BASE64.test(data)) images.push({ mediaType, data });
    return '[image]';
  });
  const text = texts.filter((one) => one !== '').join('\n\n');
  return images.length === 0 ? { text } : { text, images };
}

const sourceOf = ({ mediaType, data }: ExportImage): string => `data:${mediaType};base64,${data}`;

interface Header {
  readonly id: string;
  readonly title: string;
  readonly project: string;
  readonly createdAt: string;
}

interface Format {
  begin(header: Header): string;
  /** `count` is 1 for the first item. */
  item(item: ExportItem, count: number): string;
  end(): string;
}

const NAMES = { user: 'You', assistant: 'Assistant', tool: 'Tool', note: 'Note' } as const;

const MARKDOWN: Format = {
  begin: ({ title, project, createdAt, id }) =>
    `# ${oneLine(title)}\n\n- Project: ${oneLine(project)}\n- Begun: ${createdAt}\n- Session: ${id}\n`,
  item: ({ who, title, text, failed, agent, images = [] }) => {
    const shown = images.map((image) => `\n![Image](${sourceOf(image)})\n`).join('');
    const by = agent === undefined ? '' : `${oneLine(agent)} · `;
    if (who === 'tool') {
      const mark = failed === true ? ' (failed)' : '';
      const done = `${by}${oneLine(title ?? '')}`.replaceAll('*', '\\*');
      return `\n**${done}**${mark}\n\n${fenced(text)}\n${shown}`;
    }
    if (who === 'note') return `\n> ${text.replaceAll('\n', '\n> ')}\n`;
    return `\n## ${by}${NAMES[who]}\n\n${text.trim()}\n${shown}`;
  },
  end: () => '',
};

const oneLine = (text: string): string => text.replace(/\s+/g, ' ');

/** Puts a text into a fence that nothing in it closes. */
function fenced(text: string): string {
  const longest = (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${text}\n${fence}`;
}

const JSON_DOCUMENT: Format = {
  begin: (header) => `{"session":${JSON.stringify(header)},\n"items":[`,
  item: ({ at, ...item }, count) =>
    `${count === 1 ? '' : ','}\n${JSON.stringify({ at: new Date(at).toISOString(), ...item })}`,
  end: () => '\n]}\n',
};

/** One page without anything from outside: no script runs and nothing is loaded. */
const HTML: Format = {
  begin: ({ title, project, createdAt }) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>
:root { color-scheme: light dark; font: 15px/1.55 system-ui, sans-serif; }
body { max-width: 52rem; margin: 2rem auto; padding: 0 1rem; }
h2 { font-size: 0.85rem; margin: 1.5rem 0 0.3rem; opacity: 0.7; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: 0; font: inherit; }
.user pre { border: 1px solid #8884; border-radius: 6px; background: #8881; padding: 0.6rem 0.8rem; }
details { margin: 0.4rem 0; border: 1px solid #8884; border-radius: 6px; padding: 0.3rem 0.8rem; }
summary, details pre { font: 13px/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
.failed summary { color: #c5221f; }
.agent { margin-left: 1.5rem; }
img { display: block; max-width: 100%; margin: 0.6rem 0; }
.note { border-left: 3px solid #8886; padding-left: 0.8rem; opacity: 0.8; margin: 1rem 0; }
</style></head><body>
<h1>${escaped(title)}</h1>
<p>${escaped(project)} · ${createdAt}</p>
`,
  item: ({ who, title, text, failed, agent, images = [] }) => {
    const shown = images.map((image) => `<img alt="Image" src="${sourceOf(image)}">`).join('');
    const body = `<pre>${escaped(text)}</pre>${shown}`;
    const classes = `${who}${failed === true ? ' failed' : ''}${agent === undefined ? '' : ' agent'}`;
    const by = agent === undefined ? '' : `${escaped(agent)} · `;
    if (who === 'note') return `<div class="${classes}">${body}</div>\n`;
    if (who !== 'tool')
      return `<section class="${classes}"><h2>${by}${NAMES[who]}</h2>${body}</section>\n`;
    const summary = `<summary>${by}${escaped(title ?? '')}</summary>`;
    return `<details class="${classes}">${summary}${body}</details>\n`;
  },
  end: () => '</body></html>\n',
};

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

const escaped = (text: string): string => text.replace(/[&<>"]/g, (one) => ESCAPES[one] ?? one);

const FORMATS: Readonly<Record<ExportFormat, Format>> = {
  markdown: MARKDOWN,
  json: JSON_DOCUMENT,
  html: HTML,
};
