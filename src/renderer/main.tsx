import '@xterm/xterm/css/xterm.css';
import './styles/index.css';
import './app/title-bar.css';
import './app/zoom.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { z } from 'zod';
import type { SavedFile } from '../shared/window-request';
import { connect } from './api/connect';
import { wait } from './api/keep-connected';
import { App, CrashScreen } from './app/App';
import { reachesNobody, terminalKey } from './commands/terminal-keys';
import { createCodeHighlighter } from './highlight/highlighter';
import { HighlighterContext } from './highlight/use-highlighted';
import { openAttachmentStorage } from './store/attachment-storage';
import { storageOr } from './store/browser-storage';
import { createPacedSchedule } from './store/frame-queue';
import { createLathe, type ShowRequest, type SignalRequest } from './store/lathe';
import { followRequest, goOn } from './store/projects';
import { tellSaved } from './store/session-export';
import { takeSignal } from './store/signals';
import { LatheContext } from './store/use-lathe';
import { afterFirstScreen } from './ui/after-first-screen';
import { onApple, pressOf } from './ui/keys';

// The page's policy forbids code from strings, which zod would otherwise probe for.
z.config({ jitless: true });

const lathe = createLathe({
  dial: connect(window),
  wait,
  schedule: createPacedSchedule({
    requestFrame: (callback) => requestAnimationFrame(callback),
    cancelFrame: (frame) => cancelAnimationFrame(frame),
    setTimer: (callback, ms) => window.setTimeout(callback, ms),
    clearTimer: (timer) => window.clearTimeout(timer),
    now: () => performance.now(),
  }),
  localStorage: storageOr(() => window.localStorage),
  sessionStorage: storageOr(() => window.sessionStorage),
  attachmentStorage: openAttachmentStorage(() => window.indexedDB),
  newId: () => window.crypto.randomUUID(),
  bridge: window.lathe ?? null,
  terminalKey: (event, keymap) =>
    terminalKey(keymap, pressOf(event, onApple()), onApple(), reachesNobody(event)),
  onLeave: (listener) => window.addEventListener('pagehide', listener),
  openLink: (target) => window.open(target, '_blank', 'noopener,noreferrer'),
});
const highlighter = createCodeHighlighter({ wait });

// A drop that misses its area must not navigate the window away.
for (const type of ['dragover', 'drop'] as const) {
  window.addEventListener(type, (event) => event.preventDefault());
}

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <LatheContext value={lathe}>
        <HighlighterContext value={highlighter}>
          <CrashScreen>
            <App />
          </CrashScreen>
        </HighlighterContext>
      </LatheContext>
    </StrictMode>,
  );
  const host = {
    onShow: (request: ShowRequest) => void followRequest(lathe, request),
    onSignal: (request: SignalRequest) => takeSignal(lathe, request),
    onSaved: (file: SavedFile) => tellSaved(lathe.store, file),
    onConnected: () => {
      void goOn(lathe);
      afterFirstScreen(() => void lathe.terminals.load());
    },
  };
  void lathe.start(host, new AbortController().signal);
}
