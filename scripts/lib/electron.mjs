import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './node.mjs'

const programs = { darwin: 'Electron.app/Contents/MacOS/Electron', win32: 'electron.exe' }

/**
 * Returns the Electron program, or undefined if it is not installed. The package's own entry is never imported: it
 * would try to download the program, and hangs without a network.
 */
export function findElectron() {
  const program = programs[process.platform] ?? 'electron'
  const folders = [process.env.ELECTRON_OVERRIDE_DIST_PATH, join(root, 'node_modules/electron/dist')]
  const candidates = folders.filter(Boolean).map((folder) => join(folder, program))
  if (process.env.DESKFORGE_ELECTRON) candidates.unshift(process.env.DESKFORGE_ELECTRON)
  const pathFile = join(root, 'node_modules/electron/path.txt')
  if (existsSync(pathFile)) {
    candidates.push(join(root, 'node_modules/electron/dist', readFileSync(pathFile, 'utf8').trim()))
  }
  return candidates.find((candidate) => existsSync(candidate))
}

/** Whether this session can show a window. */
export function hasDisplay() {
  if (process.platform !== 'linux') return true
  return Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY)
}

/** Chromium's sandbox refuses to run as root on Linux; only there it is turned off. */
export function sandboxFlags() {
  return process.platform === 'linux' && process.getuid?.() === 0 ? ['--no-sandbox'] : []
}
