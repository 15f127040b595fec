import { dialog } from 'electron'

import type { ApplicationPreferences, MoveProgress, PreferenceAction, UpdateState } from './bridge.ts'
import { useDataDir, chooseDataDir, copyDataDir, moveProblem } from './data-folder.ts'
import { isOpenedAtLogin, setOpenedAtLogin } from './login-item.ts'
import { changesOf, type PreferencesFile } from './preferences.ts'
import { push, type Shell } from './handlers.ts'
import { restart } from './quit.ts'
import { namesOfWork } from './running-work.ts'
import { text } from './texts.ts'

/** Reads and changes the preferences of the application for the page. */
export interface PreferenceActions {
  values(): ApplicationPreferences
  /** Applies the valid changes in the data of the page. */
  change(changes: unknown): ApplicationPreferences
  run(action: unknown): Promise<ApplicationPreferences>
  /** Closes the instance for a restart of the application. If work is running, it is shown and the result is false. */
  prepareRestart(): Promise<boolean>
}

interface Options {
  readonly shell: Pick<Shell, 'origin' | 'dataDir' | 'window' | 'runningWork'>
  readonly preferences: PreferencesFile
  readonly defaultDir: string
  /** Returns the result of the last check for updates. */
  update(): UpdateState
  /** Called after the preferences of updates changed. */
  updatesChanged(): void
  close(): Promise<void>
}

async function choose(kind: 'openFile' | 'openDirectory', title: string): Promise<string | undefined> {
  const properties = kind === 'openFile' ? [kind] : [kind, 'createDirectory' as const]
  const { canceled, filePaths } = await dialog.showOpenDialog({ title, properties })
  return canceled ? undefined : filePaths[0]
}

const PROGRESS_INTERVAL_MS = 100

/** Returns a function that shows the progress of a move in the page and on the icon. */
function showProgress(shell: Options['shell']): (progress: MoveProgress) => void {
  let lastShown = -Infinity
  return (progress) => {
    if (performance.now() - lastShown < PROGRESS_INTERVAL_MS) return
    lastShown = performance.now()
    const { copiedBytes, totalBytes } = progress
    shell.window()?.setProgressBar(totalBytes === 0 ? 1 : Math.min(copiedBytes / totalBytes, 1))
    push(shell, 'shell.moving', progress)
  }
}

export function preferenceActions(options: Options): PreferenceActions {
  const { shell, preferences, defaultDir, close } = options
  const { dataDir } = shell
  let needsRestart = false
  const showError = (message: string) =>
    dialog.showMessageBox({ type: 'error', message, buttons: [text('crash.ok')] })
  const isIdle = async (): Promise<boolean> => {
    const work = shell.runningWork()
    if (work.length > 0) await showError([text('quit.wait_first'), ...namesOfWork(work)].join('\n'))
    return work.length === 0
  }

  const prepareRestart = async (): Promise<boolean> => {
    if (!(await isIdle())) return false
    await close()
    return true
  }

  const values = (): ApplicationPreferences => {
    const { port, gitPath, quitOnClose, notifications, updates, updateFeed } = preferences.values
    return {
      openAtLogin: isOpenedAtLogin(),
      quitOnClose: quitOnClose === true,
      notifications: notifications !== false,
      port: port ?? Number(new URL(shell.origin).port),
      gitPath: gitPath ?? null,
      dataDir,
      updates: updates === true,
      updateFeed: updateFeed ?? '',
      update: options.update(),
      needsRestart,
    }
  }

  const actions: Record<PreferenceAction, () => Promise<void>> = {
    choose_git: async () => {
      const gitPath = await choose('openFile', text('choose.git'))
      if (!gitPath) return
      preferences.set({ gitPath })
      needsRestart = true
    },
    use_folder: async () => {
      const folder = await choose('openDirectory', text('choose.folder'))
      if (!folder || !(await isIdle())) return
      const problem = useDataDir(defaultDir, folder)
      if (problem) {
        await showError(problem)
        return
      }
      await close()
      restart({ keepFolder: false })
    },
    move_folder: async () => {
      const folder = await choose('openDirectory', text('choose.empty_folder'))
      if (!folder) return
      const problem = moveProblem(dataDir, folder)
      if (problem) {
        await showError(problem)
        return
      }
      if (!(await isIdle())) return
      await close()
      try {
        await copyDataDir(dataDir, folder, showProgress(shell))
        chooseDataDir(defaultDir, folder)
      } catch (error) {
        // The old folder is unchanged, and the next start uses it.
        await showError(text('folder.not_moved', { reason: (error as Error).message }))
      }
      restart({ keepFolder: false })
    },
    restart: async () => {
      if (await prepareRestart()) restart({ keepFolder: true })
    },
  }

  return {
    values,
    prepareRestart,
    change: (input) => {
      const { openAtLogin, gitPath, ...changes } = changesOf(input)
      if (openAtLogin !== undefined) setOpenedAtLogin(openAtLogin)
      if (gitPath === null) preferences.unset('gitPath')
      needsRestart ||= gitPath === null || (changes.port ?? values().port) !== values().port
      preferences.set(changes)
      if (changes.updates !== undefined || changes.updateFeed !== undefined) options.updatesChanged()
      return values()
    },
    run: async (action) => {
      if (typeof action === 'string' && Object.hasOwn(actions, action))
        await actions[action as PreferenceAction]()
      return values()
    },
  }
}
