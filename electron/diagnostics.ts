import { app, dialog } from 'electron'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

import type { Shell } from './handlers.ts'
import { withoutSecrets } from './masking.ts'
import { nameOfWork } from './running-work.ts'
import { text } from './texts.ts'

const MAX_LOG_LINES = 2000

/** Returns the versions and the address for a bug report, without names, tokens or project paths. */
export function details(address: string): string {
  const { electron = '', chrome = '', node = '' } = process.versions
  return [
    `Deskforge ${app.getVersion()}`,
    `Electron ${electron}, Chromium ${chrome}, Node ${node}`,
    `${process.platform} ${process.arch} ${process.getSystemVersion?.() ?? ''}`,
    `Address ${address}`,
  ].join('\n')
}

/** Returns the last lines of a log; an empty text if the file does not exist. */
function logEnd(file: string): string {
  if (!existsSync(file)) return ''
  return readFileSync(file, 'utf8').split('\n').slice(-MAX_LOG_LINES).join('\n')
}

/** Returns a text for a bug report: versions, preferences, running work and the end of the log. */
function diagnosticsOf(of: Shell): string {
  const { updateFeed, ...preferences } = of.preferences.values()
  const parts = [
    details(of.origin),
    `Preferences ${JSON.stringify({ ...preferences, hasUpdateFeed: updateFeed !== '' }, null, 2)}`,
    `Running\n${of.runningWork().map(nameOfWork).join('\n')}`,
    `Log\n${logEnd(join(of.dataDir, 'logs/deskforge.log'))}`,
  ]
  return `${withoutSecrets(parts.join('\n\n'), homedir())}\n`
}

/** Asks for a file name, and saves the diagnostics as a text file. */
export async function saveDiagnostics(of: Shell): Promise<void> {
  const defaultPath = `deskforge-diagnostics-${new Date().toISOString().slice(0, 10)}.txt`
  const { canceled, filePath } = await dialog.showSaveDialog({
    title: text('choose.diagnostics'),
    defaultPath,
  })
  if (canceled || !filePath) return
  try {
    writeFileSync(filePath, diagnosticsOf(of), { mode: 0o600 })
  } catch (error) {
    const reason = (error as Error).message
    await dialog.showMessageBox({ type: 'error', message: text('diagnostics.not_saved', { reason }) })
  }
}
