import { BrowserWindow } from 'electron'

import { currentLocale, text, type TextKey } from './texts.ts'

/** The user's choices after a failed start. */
export type Action =
  | 'try-again'
  | 'bundled-git'
  | 'choose-git'
  | 'choose-folder'
  | 'show-log'
  | 'copy-details'
  | 'quit'

const labels: Record<Action, TextKey> = {
  'try-again': 'start.try_again',
  'bundled-git': 'start.bundled_git',
  'choose-git': 'start.choose_git',
  'choose-folder': 'start.choose_folder',
  'show-log': 'start.show_log',
  'copy-details': 'start.copy_details',
  quit: 'start.quit',
}

// The page has no scripts. A button is a link to this host, which does not exist. The window prevents the navigation
// and reads the name of the action from the URL.
const ACTIONS = 'https://action.invalid/'

const escapeHtml = (text: string) =>
  text.replace(/[&<>"]/g, (character) => `&#${String(character.charCodeAt(0))};`)

function startPageHtml(title: string, sentence: string, actions: readonly Action[]): string {
  const buttons = actions
    .map((action) => `<a href="${ACTIONS}${action}">${text(labels[action])}</a>`)
    .join(' ')
  return `<!doctype html><html lang="${currentLocale()}"><head><meta charset="utf-8"><title>Deskforge</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<style>
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif }
body { margin: 0; min-height: 100vh; display: grid; align-content: center; justify-content: center }
main { max-width: 34rem; padding: 2rem }
h1 { font-size: 1.3rem; margin: 0 0 .5rem }
p { margin: 0 0 1.5rem; overflow-wrap: anywhere }
a { display: inline-block; margin: 0 .4rem .4rem 0; padding: .35rem .9rem; border: 1px solid; border-radius: 6px; color: inherit; text-decoration: none }
</style></head><body><main><h1>${escapeHtml(title)}</h1><p role="alert">${escapeHtml(sentence)}</p>${buttons}</main></body></html>`
}

/** The window before the instance runs. It shows that the start takes longer, or why it failed. */
export class StartPage {
  #window: BrowserWindow | undefined
  #answer: (action: Action) => void = () => undefined

  #open(): BrowserWindow {
    if (this.#window) return this.#window
    const window = new BrowserWindow({
      width: 720,
      height: 420,
      title: 'Deskforge',
      webPreferences: { contextIsolation: true, sandbox: true, nodeIntegration: false, javascript: false },
    })
    // Before the start of the instance the menu would be Electron's own, with links to pages about Electron.
    window.setMenu(null)
    window.webContents.setWindowOpenHandler(() => ({ action: 'deny' }))
    window.webContents.on('will-navigate', (event) => {
      event.preventDefault()
      const name = event.url.startsWith(ACTIONS) ? event.url.slice(ACTIONS.length) : ''
      if (name in labels) this.#answer(name as Action)
    })
    window.on('closed', () => {
      this.#window = undefined
      this.#answer('quit')
    })
    this.#window = window
    return window
  }

  #show(title: string, sentence: string, actions: readonly Action[]): void {
    const page = `data:text/html;charset=utf-8,${encodeURIComponent(startPageHtml(title, sentence, actions))}`
    // Loading rejects if another page replaces this one. Only the last page matters.
    this.#open()
      .loadURL(page)
      .catch(() => undefined)
  }

  /** Shows that the start takes longer than usual. */
  waiting(sentence: string): void {
    this.#show(text('start.starting'), sentence, [])
  }

  /** Shows why the instance did not start, and resolves with the user's choice. Closing the window means `quit`. */
  ask(sentence: string, actions: readonly Action[]): Promise<Action> {
    return new Promise((resolve) => {
      this.#answer = resolve
      this.#show(text('start.failed'), sentence, actions)
    })
  }

  close(): void {
    this.#answer = () => undefined
    this.#window?.destroy()
    this.#window = undefined
  }
}
