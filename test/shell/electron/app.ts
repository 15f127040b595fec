import { EventEmitter } from 'node:events'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  unlinkSync,
  watch,
  writeFileSync,
  type FSWatcher,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { App, LoginItemSettings, RelaunchOptions, Settings } from 'electron'

import { refusable } from './event.ts'
import { endPages } from './link.ts'

type Offered = Pick<
  App,
  | 'addRecentDocument'
  | 'clearRecentDocuments'
  | 'exit'
  | 'getName'
  | 'getPath'
  | 'getPreferredSystemLanguages'
  | 'getVersion'
  | 'hasSingleInstanceLock'
  | 'isReady'
  | 'quit'
  | 'relaunch'
  | 'requestSingleInstanceLock'
  | 'setAppUserModelId'
  | 'setAsDefaultProtocolClient'
  | 'setBadgeCount'
  | 'setLoginItemSettings'
  | 'setName'
  | 'setPath'
  | 'whenReady'
>

/** The functions of a window that the end of the application needs; `window.ts` registers them. */
interface Closable {
  close(): void
  isDestroyed(): boolean
}

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

class StandInApp extends EventEmitter implements Offered {
  readonly isPackaged = false
  readonly windows = new Set<Closable>()
  badge = 0
  recentDocuments: string[] = []
  jumpList: unknown[] | null = []
  dock = undefined
  #name = 'electron'
  readonly #paths = new Map<string, string>()
  #login = { openAtLogin: false }
  #lock: string | undefined
  #watcher: FSWatcher | undefined
  #isReady = false
  #isQuitting = false
  readonly #ready = new Promise<void>((resolve) => {
    setImmediate(() => {
      this.#isReady = true
      this.emit('ready')
      resolve()
    })
  })

  whenReady = (): Promise<void> => this.#ready
  isReady = (): boolean => this.#isReady
  getName = (): string => this.#name
  getVersion = (): string => '0.0.0'
  hasSingleInstanceLock = (): boolean => this.#lock !== undefined
  setAsDefaultProtocolClient = (): boolean => true
  setAppUserModelId = (): void => undefined

  setJumpList(categories: unknown[] | null): void {
    this.jumpList = categories
  }

  releaseSingleInstanceLock(): void {
    if (this.#lock) rmSync(this.#lock, { force: true })
    this.#lock = undefined
  }

  getAppPath = (): string => process.cwd()
  getPreferredSystemLanguages = (): string[] => (process.env['STAND_IN_LANGUAGES'] ?? 'en-US').split(',')

  setName(name: string): void {
    this.#name = name
  }

  setPath(name: string, path: string): void {
    this.#paths.set(name, path)
  }

  getPath(name: string): string {
    const known = this.#paths.get(name)
    if (known !== undefined) return known
    const made = mkdtempSync(join(tmpdir(), 'deskforge-shell-'))
    process.on('exit', () => rmSync(made, { recursive: true, force: true }))
    this.#paths.set(name, made)
    return made
  }

  addRecentDocument(path: string): void {
    this.recentDocuments.push(path)
  }

  clearRecentDocuments(): void {
    this.recentDocuments = []
  }

  setBadgeCount(count = 0): boolean {
    this.badge = count
    return true
  }

  setLoginItemSettings(settings: Settings): void {
    this.#login = { openAtLogin: settings.openAtLogin === true }
  }

  getLoginItemSettings(): Pick<LoginItemSettings, 'openAtLogin'> {
    return this.#login
  }

  /** A journey starts the next process itself, with the printed arguments. */
  relaunch(options: RelaunchOptions = {}): void {
    console.log(`[relaunch] ${JSON.stringify(options)}`)
  }

  /** One process per `userData`. The second one leaves a file with its arguments for the first, and gets no lock. */
  requestSingleInstanceLock(): boolean {
    const folder = this.getPath('userData')
    mkdirSync(folder, { recursive: true })
    const lock = join(folder, 'StandInLock')
    const owner = Number(readdirSync(folder).includes('StandInLock') ? readFileSync(lock, 'utf8') : 0)
    if (owner > 0 && isRunning(owner)) {
      writeFileSync(join(folder, `second-instance-${process.pid}`), JSON.stringify(process.argv))
      return false
    }
    writeFileSync(lock, String(process.pid))
    this.#lock = lock
    this.#watcher = watch(folder, () => this.#hearSecondInstances(folder))
    return true
  }

  #hearSecondInstances(folder: string): void {
    for (const name of readdirSync(folder).filter((name) => name.startsWith('second-instance-'))) {
      const file = join(folder, name)
      const text = readFileSync(file, 'utf8')
      // The first event comes before the text of the file is written, and the next one after it.
      if (text === '') continue
      unlinkSync(file)
      this.emit('second-instance', refusable({}), JSON.parse(text), process.cwd(), null)
    }
  }

  /** Electron's order: before-quit, then every window is asked, then will-quit and quit. */
  quit(): void {
    const before = refusable({})
    this.emit('before-quit', before)
    if (before.defaultPrevented) return
    this.#isQuitting = true
    for (const window of this.windows) window.close()
    this.#quitWhenEmpty()
  }

  /** Cancels the end, because a window refused to close. */
  stayOpen(): void {
    this.#isQuitting = false
  }

  windowClosed(window: Closable): void {
    this.windows.delete(window)
    if (this.windows.size > 0) return
    if (this.#isQuitting) return this.#quitWhenEmpty()
    if (this.listenerCount('window-all-closed') === 0) this.quit()
    else this.emit('window-all-closed')
  }

  #quitWhenEmpty(): void {
    if (this.windows.size > 0) return
    const event = refusable({})
    this.emit('will-quit', event)
    if (!event.defaultPrevented) this.exit(0)
  }

  exit(code = 0): void {
    this.emit('quit', {}, code)
    this.#watcher?.close()
    if (this.#lock) rmSync(this.#lock, { force: true })
    void endPages().finally(() => process.exit(code))
  }
}

export const app = new StandInApp()
