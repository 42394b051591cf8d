import { useState } from 'react';
import {
  type AttentionKind,
  TERMINAL_DEFAULTS,
  type TerminalPreferences,
  type Theme,
} from '../../shared/settings';
import { ZOOM_STEPS } from '../../shared/zoom';
import { setPreferences } from '../store/settings';
import { useLathe, useScreen } from '../store/use-lathe';
import { Row, Segmented, Switch, TextField } from '../ui/Fields';
import { Picker } from '../ui/Menu';
import { TerminalProfiles } from './TerminalProfiles';

const THEMES: readonly { readonly value: Theme; readonly label: string }[] = [
  { value: 'system', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
];

const CODE_SIZES = [11, 12, 13, 14, 15, 16, 18, 20, 22, 24];
const TERMINAL_SIZES = [9, 10, 11, 12, 13, 14, 15, 16, 18, 20, 24, 28];
const SCROLLBACKS = [0, 500, 1_000, 5_000, 10_000, 20_000, 50_000];

/** Theme, sizes and fonts of the window. They hold at once in every window. */
export function LookPanel() {
  const lathe = useLathe();
  const theme = useScreen((s) => s.app?.preferences.theme ?? 'system');
  const zoom = useScreen((s) => s.app?.preferences.zoom ?? 1);
  const codeSize = useScreen((s) => s.app?.preferences.codeSize ?? 13);
  const version = useScreen((s) => s.info?.version ?? '');
  const percent = ZOOM_STEPS.find((step) => step === Math.round(zoom * 100)) ?? 100;
  return (
    <div className="flex flex-col gap-5">
      <Row title="Theme" text="System follows the light or dark side of your desktop.">
        <Segmented
          label="Theme"
          value={theme}
          options={THEMES}
          onChange={(next) => setPreferences(lathe, { theme: next })}
        />
      </Row>
      <Row title="Zoom" text="The size of everything on this screen.">
        <div className="w-28">
          <Picker
            label="Zoom"
            value={String(percent)}
            options={ZOOM_STEPS.map((step) => ({ value: String(step), label: `${step} %` }))}
            onChange={(next) => setPreferences(lathe, { zoom: Number(next) / 100 })}
          />
        </div>
      </Row>
      <Row title="Code size" text="Code in conversations, diffs and files.">
        <SizePicker
          label="Code size"
          value={codeSize}
          sizes={CODE_SIZES}
          onChange={(next) => setPreferences(lathe, { codeSize: next })}
        />
      </Row>
      <PageFont part="interface" title="Interface font" usual="Inter" />
      <PageFont part="code" title="Code font" usual="JetBrains Mono" />
      <p className="text-meta text-ink-3">Lathe {version}</p>
    </div>
  );
}

/** The places where the search in conversations looks. */
export function SearchPanel() {
  const lathe = useLathe();
  const others = useScreen((s) => s.app?.preferences.searchesOthers) ?? true;
  return (
    <div className="flex flex-col gap-5">
      <Switch
        label="Search sessions of other agents too"
        hint="Those of Claude Code and Codex on this computer, to read only. Nothing of them is kept while this is off."
        checked={others}
        onChange={(searchesOthers) => void setPreferences(lathe, { searchesOthers })}
      />
    </div>
  );
}

/** Font, size, scrollback and cursor of terminals, and their text for screen readers. */
export function TerminalPanel() {
  const lathe = useLathe();
  const chosen = useScreen((s) => s.app?.preferences.terminal) ?? {};
  const looks = { ...TERMINAL_DEFAULTS, ...chosen };
  const set = (change: TerminalPreferences) =>
    void setPreferences(lathe, { terminal: { ...chosen, ...change } });
  return (
    <div className="flex flex-col gap-5">
      <FontRow
        title="Font"
        text="Names of fonts of this computer, with commas between them."
        usual="JetBrains Mono"
        saved={looks.fontFamily}
        onSave={(fontFamily) => set({ fontFamily })}
      />
      <Row title="Size" text="Grows with the zoom of the window.">
        <SizePicker
          label="Size"
          value={looks.fontSize}
          sizes={TERMINAL_SIZES}
          onChange={(fontSize) => set({ fontSize })}
        />
      </Row>
      <Row
        title="Scrollback"
        text="Lines above the screen. The output file of a task has all of them."
      >
        <div className="w-32">
          <Picker
            label="Scrollback"
            value={String(looks.scrollback)}
            options={withValue(SCROLLBACKS, looks.scrollback).map((lines) => ({
              value: String(lines),
              label: lines === 0 ? 'None' : `${lines.toLocaleString('en')} lines`,
            }))}
            onChange={(next) => set({ scrollback: Number(next) })}
          />
        </div>
      </Row>
      <Row title="Cursor">
        <Segmented
          label="Cursor"
          value={looks.cursorStyle}
          options={CURSORS}
          onChange={(cursorStyle) => set({ cursorStyle })}
        />
      </Row>
      <Switch
        label="The cursor blinks"
        hint="Never while your system asks for less motion."
        checked={looks.cursorBlink}
        onChange={(cursorBlink) => set({ cursorBlink })}
      />
      <Switch
        label="Text for screen readers"
        hint="Puts what a terminal prints into the page as text too. Costs speed with much output."
        checked={looks.screenReader}
        onChange={(screenReader) => set({ screenReader })}
      />
      <TerminalProfiles />
    </div>
  );
}

const CURSORS = [
  { value: 'bar', label: 'Bar' },
  { value: 'block', label: 'Block' },
  { value: 'underline', label: 'Underline' },
] as const;

const KINDS: readonly (readonly [AttentionKind, string, string])[] = [
  ['approval', 'Lathe asks something', 'A command, an edit or a plan waits for your answer.'],
  ['finished', 'Work is done', 'An answer is there that took longer than a few seconds.'],
  ['failed', 'Work has stopped', 'An error or a limit ended it.'],
  [
    'hook',
    'A hook has something to say',
    'A hook sends a notification, which its window shows, too.',
  ],
];

/** The kinds of events that are told while no window has the focus. */
export function NotificationsPanel() {
  const lathe = useLathe();
  const silenced = useScreen((s) => s.app?.preferences.silenced) ?? [];
  const host = useScreen((s) => s.info?.host ?? 'web');
  const set = (kind: AttentionKind, wanted: boolean) =>
    void setPreferences(lathe, {
      silenced: [...silenced.filter((one) => one !== kind), ...(wanted ? [] : [kind])],
    });
  return (
    <div className="flex flex-col gap-5">
      <p className="text-code text-ink-2">
        {host === 'electron'
          ? 'While no window of Lathe has the focus, the system tells you when'
          : 'The desktop app tells you, while none of its windows has the focus, when'}
      </p>
      {KINDS.map(([kind, label, hint]) => (
        <Switch
          key={kind}
          label={label}
          hint={hint}
          checked={!silenced.includes(kind)}
          onChange={(wanted) => set(kind, wanted)}
        />
      ))}
    </div>
  );
}

/** Sets what only the desktop app does: spelling, its icon among those of the system, new versions. */
export function DesktopPanel() {
  const lathe = useLathe();
  const chosen = useScreen((s) => s.app?.preferences.desktop) ?? {};
  const apple = useScreen((s) => s.info?.platform === 'darwin');
  const updates = useScreen((s) => s.info?.updates === true);
  const set = (change: typeof chosen) =>
    void setPreferences(lathe, { desktop: { ...chosen, ...change } });
  return (
    <div className="flex flex-col gap-5">
      <Switch
        label={apple ? 'Show Lathe in the menu bar' : 'Show Lathe in the system tray'}
        hint="Its menu lists the sessions that work or wait for you."
        checked={chosen.tray === true}
        onChange={(tray) => set({ tray })}
      />
      <Switch
        label="Check spelling"
        hint={
          apple
            ? 'Of prompts, by the system.'
            : 'Of prompts, on this computer. The dictionary is fetched once from a server of Google.'
        }
        checked={chosen.spelling ?? apple}
        onChange={(spelling) => set({ spelling })}
      />
      {apple ? null : (
        <Switch
          label="Use the title bar of the system"
          hint="With the menu in it, for window managers that tile. Counts from the next start of Lathe."
          checked={chosen.systemTitleBar === true}
          onChange={(systemTitleBar) => set({ systemTitleBar })}
        />
      )}
      {updates ? (
        <Switch
          label="Look for new versions"
          hint="Once a day. Nothing is fetched or installed before you say so."
          checked={chosen.updates ?? true}
          onChange={(wanted) => set({ updates: wanted })}
        />
      ) : null}
    </div>
  );
}

/** Returns a list of numbers with one more in its place, if it is not there. */
const withValue = (list: readonly number[], value: number): readonly number[] =>
  list.includes(value) ? list : [...list, value].toSorted((a, b) => a - b);

function SizePicker({
  label,
  value,
  sizes,
  onChange,
}: {
  readonly label: string;
  /** Pixels. */
  readonly value: number;
  readonly sizes: readonly number[];
  readonly onChange: (value: number) => void;
}) {
  return (
    <div className="w-28">
      <Picker
        label={label}
        value={String(value)}
        options={withValue(sizes, value).map((size) => ({
          value: String(size),
          label: `${size} px`,
        }))}
        onChange={(next) => onChange(Number(next))}
      />
    </div>
  );
}

/** The characters that names of fonts have, several with commas between them. */
const FAMILY = /^[\p{L}\p{N} ._-]{0,100}$/u;
const FAMILIES = /^[\p{L}\p{N} ._,-]{0,200}$/u;

/** The font of one part of the page; empty means ours. */
function PageFont({
  part,
  title,
  usual,
}: {
  readonly part: 'interface' | 'code';
  readonly title: string;
  readonly usual: string;
}) {
  const lathe = useLathe();
  const fonts = useScreen((s) => s.app?.preferences.fonts) ?? {};
  return (
    <FontRow
      title={title}
      text="The name of a font of this computer."
      usual={usual}
      saved={fonts[part] ?? ''}
      isName={(typed) => FAMILY.test(typed)}
      onSave={(name) => void setPreferences(lathe, { fonts: { ...fonts, [part]: name } })}
    />
  );
}

/** A font by its name. It takes effect on Enter and when the focus leaves. */
function FontRow({
  title,
  text,
  usual,
  saved,
  isName = (typed) => FAMILIES.test(typed),
  onSave,
}: {
  readonly title: string;
  readonly text: string;
  readonly usual: string;
  readonly saved: string;
  readonly isName?: (typed: string) => boolean;
  readonly onSave: (name: string) => void;
}) {
  const [state, setState] = useState({ saved, typed: saved });
  const typed = state.saved === saved ? state.typed : saved;
  const fits = isName(typed.trim());
  const commit = () => {
    if (fits && typed.trim() !== saved) onSave(typed.trim());
  };
  return (
    <Row title={title} text={text}>
      <div className="w-44">
        <TextField
          label={title}
          hideLabel
          value={typed}
          placeholder={usual}
          onChange={(next) => setState({ saved, typed: next })}
          onBlur={commit}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && !event.nativeEvent.isComposing) commit();
          }}
          {...(fits ? {} : { error: 'This is not the name of a font.' })}
        />
      </div>
    </Row>
  );
}
