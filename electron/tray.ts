import { app, clipboard, Menu, nativeImage, Tray } from 'electron'
import { join } from 'node:path'

import type { MenuItemConstructorOptions } from 'electron'

import type { Shell } from './handlers.ts'

const LOOK_AGAIN_MS = 5000
const NAMED = 5

const separator: MenuItemConstructorOptions = { type: 'separator' }

/** Pauses the built-in runner, if it is enabled. */
function runnerItems(of: Shell, update: () => void): MenuItemConstructorOptions[] {
  const paused = of.builtInRunner.isPaused()
  if (paused === undefined) return []
  const click = () => {
    of.builtInRunner.setPaused(!paused)
    update()
  }
  return [{ id: 'runner', label: paused ? 'Resume the Runner' : 'Pause the Runner', click }]
}

function itemsFor(of: Shell, update: () => void): MenuItemConstructorOptions[] {
  const work = of.runningWork()
  const count = work.length === 1 ? '1 job is running' : `${String(work.length)} jobs are running`
  const recent = of.recentProjects().slice(0, NAMED)
  return [
    { label: `Running at ${of.origin}`, enabled: false },
    { label: work.length === 0 ? 'No jobs are running' : count, enabled: false },
    ...work.slice(0, NAMED).map((label) => ({ label: `   ${label}`, enabled: false })),
    { label: 'Copy Address', click: () => void clipboard.writeText(of.origin) },
    ...runnerItems(of, update),
    separator,
    ...recent.map(({ name, path }) => ({ label: name, click: () => of.goTo(path) })),
    ...(recent.length > 0 ? [separator] : []),
    { label: 'Open Deskforge', click: () => of.open() },
    { label: 'Quit', click: () => app.quit() },
  ]
}

/**
 * Adds the icon to the system's tray, with a menu of the address, the running jobs and the recent projects.
 * Undefined if the desktop has no tray.
 */
export function openTray(of: Shell): Tray | undefined {
  const file = process.platform === 'darwin' ? 'trayTemplate.png' : 'tray.png'
  try {
    const tray = new Tray(nativeImage.createFromPath(join(import.meta.dirname, 'icons', file)))
    let shown = ''
    const update = (): void => {
      const items = itemsFor(of, update)
      // Replacing an open menu closes it.
      const labels = items.map(({ label }) => label).join('\n')
      if (shown === labels) return
      shown = labels
      const count = of.runningWork().length
      const busy = count === 0 ? '' : `, ${String(count)} running`
      const paused = of.builtInRunner.isPaused() === true ? ', runner paused' : ''
      tray.setToolTip(`Deskforge is running at ${of.origin}${busy}${paused}`)
      tray.setContextMenu(Menu.buildFromTemplate(items))
    }
    update()
    setInterval(update, LOOK_AGAIN_MS).unref()
    tray.on('click', () => of.open())
    return tray
  } catch {
    return undefined
  }
}
