import { mkdirSync, openSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'

import { pino, type Logger as PinoLogger } from 'pino'

import { LogFile } from './files/log-file.ts'

/** Structured log, JSON lines. Use ERROR only if the owner has to act. */
export type Logger = PinoLogger

const MAX_LOG_BYTES = 16 * 1024 * 1024

/** Fields that are removed from the log. */
const SECRETS = [
  'authorization',
  'cookie',
  'password',
  'token',
  'private_token',
  '*.authorization',
  '*.cookie',
  '*.password',
  '*.token',
  '*.private_token',
]

function openFile(dir: string): number {
  mkdirSync(dir, { recursive: true })
  const file = join(dir, 'deskforge.log')
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
  if (size > MAX_LOG_BYTES) renameSync(file, join(dir, 'deskforge.1.log'))
  return openSync(file, 'a', 0o600)
}

/**
 * A log in `<dir>/deskforge.log`. A file over 16 MB is kept as `deskforge.1.log`, and a new one begins. The file is
 * opened with the first line, so that a failed start creates no file. Lines are collected and written in the
 * background, at the latest after a second; `flush()` writes the remaining lines.
 */
export function openLog(dir: string, level: string): Logger {
  if (level === 'silent') return pino({ level: 'silent' })
  const file = new LogFile(() => openFile(dir), MAX_LOG_BYTES)
  const out = {
    write: (line: string) => file.write(line),
    flush: (done?: () => void) => {
      file.flush()
      done?.()
    },
  }
  return pino({ level, base: null, redact: { paths: SECRETS, censor: '[masked]' } }, out)
}
