import { app, clipboard, dialog, shell } from 'electron'
import { join } from 'node:path'

import { StartupError, type StartOptions } from '../server/index.ts'
import { useDataDir } from './data-folder.ts'
import { keepRunning, type Running } from './keep-running.ts'
import { LaunchError } from './launch.ts'
import type { PreferencesFile } from './preferences.ts'
import { restart } from './quit.ts'
import { StartPage, type Action } from './start-page.ts'
import { text } from './texts.ts'

/** The time after which a window shows that the start takes longer. */
const SLOW_START_MS = 1000
const DEFAULT_PORT = 7080
const MAX_PORTS = 20

interface StartAttempt {
  readonly options: StartOptions
  readonly preferences: PreferencesFile
  readonly defaultDir: string
  /** Whether nothing is shown unless the start fails, because the application was started at login. */
  readonly isHidden: boolean
  /** Throws if the data folder cannot be used. */
  prepare(): void
  readonly on: Parameters<typeof keepRunning>[1]
}

interface StartedInstance {
  readonly instance: Running
  /** The requested port, if another program uses it. */
  readonly takenPort?: number
  /** Closes the start page, if it was shown. */
  closePage(): void
}

const isPortTaken = (error: unknown) => error instanceof StartupError && error.reason === 'port_taken'

/** Returns the sentence about an error for the user; a general one for an unexpected error. */
export function sentenceOf(error: unknown): string {
  if (error instanceof StartupError || error instanceof LaunchError) return error.message
  return text('start.internal_error')
}

/** Tries the port of the launch or of the last start, then the next ones, then any free port. Saves the port. */
async function startOnFreePort({
  options,
  preferences,
  on,
}: StartAttempt): Promise<Omit<StartedInstance, 'closePage'>> {
  const { gitPath } = preferences.values
  const first = options.port ?? preferences.values.port ?? DEFAULT_PORT
  const next = Array.from({ length: MAX_PORTS }, (_, at) => first + at).filter((port) => port < 65_536)
  for (const port of first === 0 ? [0] : [...next, 0]) {
    try {
      const instance = await keepRunning({ ...options, port, ...(gitPath ? { gitPath } : {}) }, on)
      if (port === first) return { instance }
      preferences.set({ port: Number(new URL(instance.url).port) })
      return { instance, takenPort: first }
    } catch (error) {
      if (!isPortTaken(error) || port === 0) throw error
    }
  }
  throw new LaunchError(text('start.no_port'))
}

function actionsFor(error: unknown, { options, preferences }: StartAttempt): Action[] {
  const isGit = error instanceof StartupError && error.reason === 'git'
  const isOwnChoice = Boolean(preferences.values.gitPath ?? options.gitPath)
  const gitActions: Action[] = [
    ...(options.bundledGitPath && isOwnChoice ? (['bundled-git'] as const) : []),
    'choose-git',
  ]
  // Most other reasons concern the data folder, so the user can choose another one.
  const choice: Action[] = isGit ? gitActions : ['choose-folder']
  return ['try-again', ...choice, 'show-log', 'copy-details', 'quit']
}

async function chooseFile(kind: 'openFile' | 'openDirectory', title: string): Promise<string | undefined> {
  const { canceled, filePaths } = await dialog.showOpenDialog({ title, properties: [kind] })
  return canceled ? undefined : filePaths[0]
}

/** Runs the user's choice. Returns the next attempt to start; undefined if the page must ask again. */
async function runAction(
  action: Action,
  error: unknown,
  start: StartAttempt,
): Promise<StartAttempt | undefined> {
  const { dataDir } = start.options
  if (action === 'show-log') await shell.openPath(join(dataDir, 'logs'))
  if (action === 'copy-details') {
    const details = error instanceof Error ? (error.stack ?? error.message) : String(error)
    await clipboard.writeText(`Deskforge ${app.getVersion()} on ${process.platform}\n${dataDir}\n${details}`)
  }
  if (action === 'choose-git') {
    const gitPath = await chooseFile('openFile', text('choose.git'))
    if (gitPath) start.preferences.set({ gitPath })
    return gitPath === undefined ? undefined : start
  }
  if (action === 'bundled-git') {
    start.preferences.unset('gitPath')
    const { gitPath: _, ...options } = start.options
    return { ...start, options }
  }
  if (action === 'choose-folder') {
    const folder = await chooseFile('openDirectory', text('choose.folder'))
    if (!folder) return undefined
    const message = useDataDir(start.defaultDir, folder)
    if (message) await dialog.showMessageBox({ type: 'error', message, buttons: [text('crash.ok')] })
    else {
      restart({ keepFolder: false })
      // The process is ending. The page must not ask again, because its closing would count as "quit".
      await new Promise<never>(() => undefined)
    }
  }
  return action === 'try-again' ? start : undefined
}

/**
 * Starts the instance. If it cannot start, a page shows the reason until it starts. Returns undefined if the user
 * quits.
 */
export async function startWithHelp(first: StartAttempt): Promise<StartedInstance | undefined> {
  const page = new StartPage()
  for (let start = first; ;) {
    const timer = setTimeout(() => {
      if (!start.isHidden) page.waiting(text('start.longer'))
    }, SLOW_START_MS)
    try {
      start.prepare()
      const started = await startOnFreePort(start)
      clearTimeout(timer)
      return { ...started, closePage: () => page.close() }
    } catch (error) {
      clearTimeout(timer)
      console.error(error instanceof StartupError || error instanceof LaunchError ? error.message : error)
      for (let next: StartAttempt | undefined; !next;) {
        const action = await page.ask(sentenceOf(error), actionsFor(error, start))
        if (action === 'quit') return undefined
        next = await runAction(action, error, start)
        if (next) start = next
      }
    }
  }
}
