import { Bell, FolderOpen, Inbox, Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Button, IconButton, Kbd } from '../../../src/renderer/ui/Button';
import { Dialog } from '../../../src/renderer/ui/Dialog';
import { Segmented, Switch, TextArea, TextField } from '../../../src/renderer/ui/Fields';
import { Badge, Meter, StateGlyph, type WorkState } from '../../../src/renderer/ui/Marks';
import { Menu, Picker } from '../../../src/renderer/ui/Menu';
import { EmptyState, Notice } from '../../../src/renderer/ui/Notice';
import { Tabs } from '../../../src/renderer/ui/Tabs';

const STATES: readonly WorkState[] = [
  'waiting',
  'running',
  'done',
  'failed',
  'waits',
  'stopped',
  'refused',
];

/** Every part of the kit in its states. */
export function KitScene() {
  const [mode, setMode] = useState<'default' | 'plan'>('default');
  const [tab, setTab] = useState<'tasks' | 'changes'>('tasks');
  const [theme, setTheme] = useState<'system' | 'light' | 'dark'>('system');
  const [on, setOn] = useState(true);
  const [text, setText] = useState('sk-ant-…');
  const [dialog, setDialog] = useState(false);
  return (
    <main className="grid h-full grid-cols-2 content-start gap-6 overflow-auto bg-canvas p-6">
      <h1 className="sr-only">Kit</h1>
      <Part title="Buttons">
        <Button variant="primary">Open folder</Button>
        <Button icon={FolderOpen}>Browse</Button>
        <Button variant="ghost">Skip</Button>
        <Button variant="danger" icon={Trash2}>
          Remove
        </Button>
        <Button variant="primary" busy>
          Connecting
        </Button>
        <Button disabled>Disabled</Button>
        <Button size="sm">Small</Button>
        <Button size="lg" variant="primary">
          Large
        </Button>
        <IconButton icon={Bell} label="Notifications" keys="mod+n" />
        <IconButton icon={Bell} label="Notifications on" pressed />
      </Part>
      <Part title="States">
        {STATES.map((state) => (
          <span key={state} className="inline-flex items-center gap-1 text-meta text-ink-2">
            <StateGlyph state={state} /> {state}
          </span>
        ))}
      </Part>
      <Part title="Choosing">
        <Picker
          label="Mode"
          value={mode}
          onChange={setMode}
          look="inline"
          options={[
            { value: 'default', label: 'Ask before acting', description: 'Reading is free' },
            { value: 'plan', label: 'Plan', description: 'Nothing is changed' },
          ]}
        />
        <div className="w-56">
          <Picker
            label="Model"
            value={mode}
            onChange={setMode}
            options={[
              { value: 'default', label: 'Opus 5.5' },
              { value: 'plan', label: 'Sonnet 5.5' },
            ]}
          />
        </div>
        <Segmented
          label="Theme"
          value={theme}
          onChange={setTheme}
          options={[
            { value: 'system', label: 'System' },
            { value: 'light', label: 'Light' },
            { value: 'dark', label: 'Dark' },
          ]}
        />
        <Menu
          trigger={<Button>Menu</Button>}
          entries={[
            { kind: 'heading', id: 'h', label: 'Session' },
            { kind: 'item', id: 'a', label: 'Rename', keys: 'mod+r', onSelect: () => undefined },
            { kind: 'separator', id: 's' },
            {
              kind: 'item',
              id: 'b',
              label: 'Delete',
              icon: Trash2,
              danger: true,
              onSelect: () => undefined,
            },
          ]}
        />
        <Switch
          label="Keep terminals"
          hint="After the window closes"
          checked={on}
          onChange={setOn}
        />
      </Part>
      <Part title="Words">
        <Badge>neutral</Badge>
        <Badge tone="accent">offline demo</Badge>
        <Badge tone="done">trusted</Badge>
        <Badge tone="failed">failed</Badge>
        <Badge tone="waits">waits</Badge>
        <Kbd keys="mod+shift+k" />
        <Meter share={0.41} label="Context" />
        <Meter share={0.85} label="Context" />
        <Meter share={0.97} label="Context" />
      </Part>
      <Part title="Fields">
        <div className="w-72">
          <TextField
            label="API key"
            value={text}
            onChange={setText}
            hint="Kept in the keychain"
            mono
          />
        </div>
        <div className="w-72">
          <TextField
            label="Base URL"
            value="htp://x"
            onChange={setText}
            error="This is not a web address."
          />
        </div>
        <div className="w-72">
          <TextArea label="Note" value={text} onChange={setText} />
        </div>
      </Part>
      <Part title="Notices">
        <div className="flex w-full flex-col gap-2">
          <Notice level="info">Two sessions were imported.</Notice>
          <Notice level="warning" title="The connection is slow" onDismiss={() => undefined}>
            Answers may take longer.
          </Notice>
          <Notice
            level="error"
            title="The folder cannot be read"
            action={<Button size="sm">Try again</Button>}
          >
            Nothing was changed. Check its permissions.
          </Notice>
        </div>
      </Part>
      <Part title="Tabs and emptiness">
        <Tabs
          label="Panels"
          className="h-48 w-80 rounded-md border border-line"
          value={tab}
          onChange={setTab}
          tabs={[
            { id: 'tasks', label: 'Tasks', count: 2 },
            { id: 'changes', label: 'Changes' },
          ]}
        >
          <EmptyState
            icon={Inbox}
            title="No tasks"
            text="Work that runs in the background shows here."
          />
        </Tabs>
      </Part>
      <Part title="Dialog">
        <Button onClick={() => setDialog(true)}>Open dialog</Button>
        <Dialog
          open={dialog}
          onOpenChange={setDialog}
          title="Remove this session?"
          description="Its files stay as they are."
          size="sm"
          footer={
            <>
              <Button onClick={() => setDialog(false)}>Keep</Button>
              <Button variant="danger">Remove</Button>
            </>
          }
        >
          <p className="text-code text-ink-2">The log moves to the trash.</p>
        </Dialog>
      </Part>
    </main>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="flex flex-col gap-2">
      <h2 className="text-meta font-medium text-ink-3">{title}</h2>
      <div className="flex flex-wrap items-center gap-3">{children}</div>
    </section>
  );
}
