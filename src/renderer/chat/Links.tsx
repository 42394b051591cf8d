import { type ReactNode, useContext, useRef } from 'react';
import { MarkdownContext } from './CodeBlock';
import { type FileMention, fileMention, fileTarget } from './file-mentions';

interface LinkProps {
  readonly href: string;
  readonly text: string;
  readonly children: ReactNode;
}

/** A link written by the model: to an address, or to a file that opens as one that is named in prose does. */
export function AnyLink({ href, text, children }: LinkProps) {
  const { onOpenFile } = useContext(MarkdownContext);
  const file = safeHref(href) === null ? fileTarget(href) : null;
  if (file === null || onOpenFile === undefined)
    return <SafeLink {...{ href: safeHref(href) ?? '', text, children }} />;
  return (
    <>
      <FileLink file={file}>
        <span className="link">
          <LinkWords>{children}</LinkWords>
        </span>
      </FileLink>
      {namesOther(text, file.path) ? <span className="text-waits"> ({file.path})</span> : null}
    </>
  );
}

/** Code in a line; a file that it names opens. */
export function InlineCode({ children }: { readonly children: ReactNode }) {
  const { onOpenFile } = useContext(MarkdownContext);
  const file = typeof children === 'string' && onOpenFile ? fileMention(children) : null;
  if (file === null) return <code>{children}</code>;
  return (
    <FileLink file={file}>
      <code className="link">{children}</code>
    </FileLink>
  );
}

/** A pointer that moves further while it is pressed selects words. CSS pixels. */
const DRAG_PX = 4;

function FileLink({
  file: { path, line },
  children,
}: {
  readonly file: FileMention;
  readonly children: ReactNode;
}) {
  const { onOpenFile } = useContext(MarkdownContext);
  const pressed = useRef({ x: 0, y: 0 });
  const open = () => onOpenFile?.(path, line);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a line breaks around a button, before the full stop that follows it
    <span
      role="button"
      tabIndex={0}
      className="rounded-sm"
      title={`Open ${path}`}
      data-path={path}
      onPointerDown={({ clientX, clientY }) => {
        pressed.current = { x: clientX, y: clientY };
      }}
      onClick={({ detail, clientX, clientY }) => {
        const { x, y } = pressed.current;
        // A pointer that was dragged over words selects them; a click without a pointer has no place.
        if (detail === 0 || Math.hypot(clientX - x, clientY - y) <= DRAG_PX) open();
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== ' ') return;
        event.preventDefault();
        open();
      }}
    >
      {children}
    </span>
  );
}

/** The words of a link. Files that they name are no links of their own. */
function LinkWords({ children }: { readonly children: ReactNode }) {
  const { onOpenFile: _, ...rest } = useContext(MarkdownContext);
  return <MarkdownContext value={rest}>{children}</MarkdownContext>;
}

/** Tells whether the words of a link name a file that is not the one it opens. */
function namesOther(text: string, path: string): boolean {
  const named = fileMention(text.trim())?.path.replace(/^(?:\.?\/)+/, '');
  return named !== undefined && !`/${path}`.endsWith(`/${named}`);
}

/**
 * A link to an address. `href` is already checked; '' means it leads nowhere and is shown as text.
 * The true target is its title, and stands beside it when the text names another place.
 */
export function SafeLink({ href, text, children }: LinkProps) {
  if (href === '') return <span className="text-ink-2">{children}</span>;
  const other = misleadingHost(text, href);
  return (
    <>
      <a href={href} title={href} target="_blank" rel="noreferrer noopener nofollow">
        <LinkWords>{children}</LinkWords>
      </a>
      {other === null ? null : <span className="text-waits"> ({other})</span>}
    </>
  );
}

/** Schemes a link from the model may have. Everything else is shown as text. docs/security.md 9 */
const SCHEMES = new Set(['http:', 'https:', 'mailto:']);

/** Returns the true target of a link, normalised, or null when it must not be followed (other schemes, relative, broken). */
export function safeHref(href: string): string | null {
  if (!URL.canParse(href)) return null;
  const url = new URL(href);
  return SCHEMES.has(url.protocol) ? url.href : null;
}

/**
 * Returns the host a link really leads to, when its text names another one ("bank.com" → "evil.example");
 * null when text and target agree or the text names none.
 */
export function misleadingHost(text: string, href: string): string | null {
  const named = /(?:^|\s|\/\/)((?:[\p{L}\p{N}-]+\.)+\p{L}{2,})(?=$|[\s/:?#])/u.exec(
    text.trim(),
  )?.[1];
  if (named === undefined || !URL.canParse(href)) return null;
  const url = new URL(href);
  const host = url.protocol === 'mailto:' ? (url.pathname.split('@').at(-1) ?? '') : url.hostname;
  return bare(hostOf(named)) === bare(host) ? null : host;
}

const bare = (host: string): string => host.toLowerCase().replace(/^www\./, '');

const hostOf = (name: string): string =>
  URL.canParse(`https://${name}`) ? new URL(`https://${name}`).hostname : name;
