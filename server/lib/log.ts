import { mkdirSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'

import { destination, pino, type Logger as PinoLogger } from 'pino'

/** Structured log, JSON lines. ERROR only if someone must act; a healthy day has none. */
export type Logger = PinoLogger

const MAX_LOG_BYTES = 16 * 1024 * 1024

/** Names of fields that never reach the log in clear. */
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

/**
 * Opens `<dir>/deskforge.log`; the file of an earlier run is kept as `deskforge.1.log` once it is over 16 MB.
 * Lines are gathered and written in the background. Close with `flush()`.
 */
export function openLog(dir: string, level: string): Logger {
  if (level === 'silent') return pino({ level: 'silent' })
  mkdirSync(dir, { recursive: true })
  const file = join(dir, 'deskforge.log')
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
  if (size > MAX_LOG_BYTES) renameSync(file, join(dir, 'deskforge.1.log'))
  const out = destination({ dest: file, sync: false, minLength: 4096 })
  return pino({ level, base: null, redact: { paths: SECRETS, censor: '[masked]' } }, out)
}
